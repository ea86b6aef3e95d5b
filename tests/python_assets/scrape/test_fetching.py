import pytest

from python_assets.scrape.fetching import PageCache, user_agent


def test_the_agent_names_program_contact_and_library():
    name, version_and_rest = user_agent("auditor@example.org").split("/", 1)
    assert name == "Plumbline"
    assert " (auditor@example.org) httpx/" in version_and_rest
    assert "(" not in user_agent(None)


@pytest.mark.parametrize("name", ["Italy", "../../etc/passwd", "AC/DC", "x" * 400, "日本", "a\nb", ""])
def test_a_record_is_kept_under_any_name_inside_its_folder(tmp_path, name):
    cache = PageCache(tmp_path / "pages", "https://user:secret@en.wikipedia.org/w/api.php")
    cache.put("entry", name, {"name": name, "lone": "\ud800"})
    assert cache.get("entry", name) == {"name": name, "lone": "\ud800"}
    (file,) = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert file.parent == tmp_path / "pages" / "en.wikipedia.org" / "entry"


def test_records_of_other_kinds_names_and_paths_are_others(tmp_path):
    first = PageCache(tmp_path, "https://example.org/en/api.php")
    first.put("entry", "Italy", {})
    assert first.get("links", "Italy") is None
    assert first.get("entry", "italy") is None
    assert PageCache(tmp_path, "https://example.org/de/api.php").get("entry", "Italy") is None


@pytest.mark.parametrize("torn", ["", "{", "[1]", "null"])
def test_a_torn_record_is_none(tmp_path, torn):
    cache = PageCache(tmp_path, "https://example.org/")
    cache.put("entry", "Italy", {})
    (file,) = tmp_path.rglob("*.json")
    file.write_text(torn, encoding="utf-8")
    assert cache.get("entry", "Italy") is None


@pytest.mark.parametrize(
    ("contact", "written"), [("Zoë <z@example.org>", "(Zo%C3%AB <z@example.org>)"), ("a\nX-Y: 1", "(a X-Y: 1)")]
)
def test_the_agent_is_one_line_of_ascii_whatever_the_contact(contact, written):
    agent = user_agent(contact)
    assert agent.isascii() and agent.isprintable()
    assert written in agent
