"""The text of a packaged benchmark with other models, another size and another effect; all else stays as written.

Belongs here: places in a YAML text. How large a study is to be is design.py.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import yaml

from python_assets.texts.yaml_loader import LOADER

_TEXTS: Final = ("prompts", "templates", "texts")
_POWER: Final = ("analysis", "power")
ONE_LINE: Final = 1_000_000  # texts are not folded: a diff of two sizes is of whole lines


class _Edit(NamedTuple):
    """What stands from one place to another is replaced."""

    start: int
    end: int
    text: str


def sized_text(text: str, *, systems: Sequence[Mapping[str, Any]], effect: float, n_texts: int | None = None) -> str:
    """The text of a study file, edited.

    Args:
        text: of a packaged benchmark.
        systems: who is asked, instead of the systems of the file.
        effect: what is declared under `analysis.power`, wherever something is.
        n_texts: of its templates the first so many are kept; all where None.
    """
    root = yaml.compose(text, Loader=LOADER)
    edits = [_systems(root, systems), *_effects(root, effect)]
    if n_texts is not None:
        edits += _dropped_texts(text, root, n_texts)
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def n_texts_of(text: str) -> int:
    """How many texts the templates of a study file have; 0 where it has none."""
    entry = _find(yaml.compose(text, Loader=LOADER), _TEXTS)
    return 0 if entry is None else len(entry[1].value)


def _systems(root: yaml.Node | None, systems: Sequence[Mapping[str, Any]]) -> _Edit:
    entry = _find(root, ("systems",))
    assert entry is not None, "a benchmark has systems"
    key, value = entry
    written = {"systems": [*map(dict, systems)]}
    dumped = yaml.safe_dump(written, sort_keys=False, allow_unicode=True, width=ONE_LINE, default_flow_style=None)
    return _Edit(key.start_mark.index, _end(value), dumped.rstrip("\n"))


def _effects(root: yaml.Node | None, effect: float) -> Iterator[_Edit]:
    entry = _find(root, _POWER)
    for _, spec in [] if entry is None else entry[1].value:
        if (declared := _find(spec, ("effect",))) is not None:
            yield _Edit(declared[1].start_mark.index, declared[1].end_mark.index, f"{effect:g}")


def _dropped_texts(text: str, root: yaml.Node | None, n_texts: int) -> Iterator[_Edit]:
    entry = _find(root, _TEXTS)
    if entry is not None and n_texts < len(entry[1].value):
        first = entry[1].value[n_texts].start_mark.index
        yield _Edit(text.rindex("\n", 0, first), _end(entry[1]), "")


def _find(node: yaml.Node | None, path: Sequence[str]) -> tuple[yaml.Node, yaml.Node] | None:
    """The key and the value that a path of keys leads to."""
    entry = None
    for step in path:
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        entry = next(((key, value) for key, value in pairs if key.value == step), None)
        if entry is None:
            return None
        node = entry[1]
    return entry


def _end(node: yaml.Node) -> int:
    """Where the last value of a node ends: a block itself ends after the comments that follow it."""
    is_block = isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value
    if not is_block:
        return int(node.end_mark.index)
    last = node.value[-1]
    return _end(last[1] if isinstance(last, tuple) else last)
