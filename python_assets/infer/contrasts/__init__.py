"""A group against what it is compared with, and indices over all groups: means, rates and labels."""
