"""What must agree between the parts of a study file, and between the file and what it names.

One file a part; each gives problems and raises nothing.
"""
