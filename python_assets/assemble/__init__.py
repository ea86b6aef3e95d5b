"""Prompts of a study: from sentences and branches, from templates, or from an imported table.

A new prompt method is one file here, registered in methods.py by its name.
"""
