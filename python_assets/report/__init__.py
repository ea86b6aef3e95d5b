"""The report of a study: one file that needs no server and no other file, and reads without a script."""
