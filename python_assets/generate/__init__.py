"""Answers to the prompts of a study: the stage, and one file an extension, registered in extension.py."""
