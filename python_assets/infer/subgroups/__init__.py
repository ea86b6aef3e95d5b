"""What is described without asking: intervals of subgroups, and sources of variance."""
