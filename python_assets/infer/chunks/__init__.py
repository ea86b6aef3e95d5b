"""The measures of a study in parts: in this process, or on Ray."""
