"""What readers open: the published database, queries, exports with their manifest, the summary of a run."""
