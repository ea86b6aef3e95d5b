"""Work given to other processes and machines: a cluster of Ray."""
