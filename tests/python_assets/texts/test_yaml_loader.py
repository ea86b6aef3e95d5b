import pytest
import yaml

from python_assets.texts.yaml_loader import LOADER
from tests.conftest import ROOT


def places(node):
    """What is read, and from where to where in the text."""
    is_scalar = isinstance(node, yaml.ScalarNode)
    held = [] if is_scalar else node.value
    pairs = held if isinstance(node, yaml.MappingNode) else [held]
    own = (node.tag, node.start_mark.line, node.start_mark.index, node.end_mark.index, node.value if is_scalar else "")
    return [own, *(place for pair in pairs for one in pair for place in places(one))]


@pytest.mark.parametrize("file", ["g20_demo.yml", "benchmarks/hiring.yml"])
def test_libyaml_reads_what_the_parser_in_python_reads_where_it_reads_it(file):
    text = (ROOT / "studies" / file).read_text(
        encoding="utf-8"
    ) + "\n\u00e9: {a: &a ['\u4e2d', \"b\\n\"], b: *a} # \U0001f642\n"
    by_c, by_python = (places(yaml.compose(text, Loader=loader)) for loader in (LOADER, yaml.SafeLoader))
    assert by_c == by_python
    assert yaml.load(text, LOADER) == yaml.safe_load(text)


def test_brackets_without_end_are_an_error_and_no_crash():
    with pytest.raises(RecursionError):
        yaml.compose("[" * 100_000, Loader=LOADER)
