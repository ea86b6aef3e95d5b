"""Labels and letters by rules over the words of a text."""
