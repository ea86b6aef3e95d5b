"""The tables and figures of the documents that Plumbline implements, from the published tables of a study."""
