"""Sources that lie on the user's disk: what a path, a pattern or a folder names."""

from python_assets.scrape.sources import SOURCES, SourceJob, SourceResult
from python_assets.texts.files import find_texts, read_file


@SOURCES.register("local")
def read_local(job: SourceJob) -> SourceResult:
    """Read the files that a source's path names: a file, a pattern, or a folder with all below it.

    Args:
        job: the path of its source may hold the wildcards * ? [ ] and **.

    Returns:
        One document a file, in order of path.

    Raises:
        SourceError: no file, or one that is missing, unreadable, empty, no text or of an unknown ending.
    """
    field = (*job.field, "path")
    files = find_texts(job.study, str(job.source.path), field)
    return SourceResult([read_file(path, job.study.folder, field) for path in files])
