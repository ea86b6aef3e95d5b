import pytest

from python_assets.texts.headings import Sections, is_reference_heading


@pytest.mark.parametrize("heading", ["References", " 12. See  also:", "Einzelnachweise", "参考文献", "सन्दर्भ"])
def test_headings_of_references_notes_and_links(heading):
    assert is_reference_heading(heading)


@pytest.mark.parametrize("heading", ["History", "References to Italy in poetry", "", "2"])
def test_other_headings(heading):
    assert not is_reference_heading(heading)


def test_a_list_of_references_ends_with_the_next_heading_as_high_as_its_own():
    sections = Sections()
    left_out = []
    for level, heading in [(2, "History"), (2, "Notes"), (3, "Books"), (2, "Economy"), (3, "Notes"), (1, "B")]:
        sections.open(level, heading)
        left_out.append(sections.is_left_out)
    assert left_out == [False, True, True, False, True, False]
