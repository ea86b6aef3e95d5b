"""Templates of pages, and a page written whole or not at all.

Belongs here: jinja2 and the file. What a page says is where its template is filled.
"""

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from python_assets.errors import OTHER_HOME, WarehouseError
from python_assets.published import plain_numbers
from python_assets.published.effects import margin_words
from python_assets.report import charts, text

if TYPE_CHECKING:
    from jinja2 import Template

TEMPLATE_FOLDER: Final = Path(__file__).parent


@cache
def template(name: str) -> "Template":
    """A template of this folder: all that is put into it is escaped, and a name without a value is an error.

    Args:
        name: of its file, from this folder on.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATE_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    writers = (
        text.number, text.plain, text.interval, text.probability, text.share, text.words, text.verdict,
        text.direction, text.plural, text.counted, text.many, text.listed, text.shortened, charts.bar, charts.stacked,
        text.scope_words, margin_words,
    )  # fmt: skip
    environment.filters["share_of"] = plain_numbers.share
    environment.filters |= {writer.__name__: writer for writer in writers}
    return environment.get_template(name)


def write_page(path: Path, page: bytes) -> None:
    """Put a page in the place of an earlier one.

    Raises:
        WarehouseError: it cannot be written.
    """
    unfinished = path.with_name(path.name + ".publishing")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(page)
        os.replace(unfinished, path)  # noqa: PTH105
    except OSError as error:
        raise WarehouseError(path, error, "a file that can be written", OTHER_HOME) from error
