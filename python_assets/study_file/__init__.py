"""From a study file to a Study: its lines, its parts, what they are short for, and errors in words."""
