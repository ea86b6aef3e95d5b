"""The questions whether groups differ: one slice and grouping, its rows, computed once or again."""
