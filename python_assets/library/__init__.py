"""Studies and their results from Python; package plumbline has the names that others use."""
