"""Responses and baseline texts to measurements: one file a method, registered in extractor.py by its name."""

import sys

from python_assets.extract.extractor import extractor, extractors
from python_assets.extract.measures import Measure, resolve_measures
from python_assets.extract.run import ExtractCounts, extract
from python_assets.registry import import_files

import_files(sys.modules[__name__])

__all__ = ["ExtractCounts", "Measure", "extract", "extractor", "extractors", "resolve_measures"]
