"""Whether a root prompt asks the same of every level."""
