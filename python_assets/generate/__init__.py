"""Answers to prompts: the loop with its response log, and one file a provider."""

import sys

from python_assets.registry import import_files

import_files(sys.modules[__name__])
