"""One report over all studies of an audit, and its findings for programs."""
