"""Extensions by the type that a study file names: what one is made from, where a new one registers itself."""

from collections.abc import Callable
from typing import Final, NamedTuple

import duckdb

from python_assets.providers.records import Extension
from python_assets.registry import Registry
from python_assets.study.study import ExtensionSpec, Study
from python_assets.warehouse.build import Home
from python_assets.warehouse.progress import SILENT, Progress


class ExtensionJob(NamedTuple):
    """What an extension is made from.

    connection: that of the build file, with raw.sentences filled. progress: is told what is embedded.
    """

    study: Study
    spec: ExtensionSpec
    connection: duckdb.DuckDBPyConnection
    home: Home
    progress: Progress = SILENT


extensions: Final[Registry[Callable[[ExtensionJob], Extension]]] = Registry("extension", __name__)
extension = extensions.register
