"""Null, p, interval, q and verdict of every difference between groups; run.py is the door."""
