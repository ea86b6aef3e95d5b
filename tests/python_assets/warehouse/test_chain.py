"""The chain of a warehouse: what follows what, and what of it was changed."""

import hashlib
import json

import pytest

from python_assets.errors import WarehouseError
from python_assets.warehouse.build import Home
from python_assets.warehouse.chain import Entry, line_of, open_chain, read_chain, require_clock, walked


@pytest.fixture
def home(tmp_path):
    """A warehouse with a chain of three lines."""
    made = Home(tmp_path / "home")
    for number in range(3):
        with open_chain(made) as chain:
            chain.add(Entry("publication", "mine", f"p{number}", f"content {number}"))
    return made


def lines_in(home):
    return [json.loads(line) for line in home.chain.read_text().splitlines()]


def write_lines(home, lines):
    home.chain.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def test_each_line_has_the_hash_of_the_one_before_it_and_its_own(home):
    first, second, third = lines_in(home)
    assert first["previous"] == ""
    assert (second["previous"], third["previous"]) == (first["sha256"], second["sha256"])
    for line in (first, second, third):
        # by hand: what anybody can compute with sha256sum
        content = {name: value for name, value in line.items() if name != "sha256"}
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert hashlib.sha256(text.encode()).hexdigest() == line["sha256"]
    assert [line.entry.subject for line in read_chain(home)] == ["p0", "p1", "p2"]


def test_what_is_chained_already_is_not_chained_again(home):
    with open_chain(home) as chain:
        chain.add(Entry("publication", "mine", "p1", "content 1"))
    assert len(read_chain(home)) == 3


def without_second(lines):
    return [lines[0], lines[2]]


def in_another_order(lines):
    return [lines[1], lines[0], lines[2]]


def of_another_time(lines):
    return [lines[0], lines[1] | {"at": "2026-01-01T00:00:00.000000Z"}, lines[2]]


def of_another_content(lines):
    return [lines[0], lines[1] | {"content_sha256": "other"}, lines[2]]


def with_a_line_put_in(lines):
    entry = Entry("preregistration", "mine", "f", "content")
    put_in = line_of(entry, lines[0]["at"], lines[0]["sha256"])
    return [lines[0], json.loads(put_in.text()), *lines[1:]]


def with_a_key_more(lines):
    return [lines[0], lines[1] | {"more": 1}, lines[2]]


def of_no_line(lines):
    return [lines[0], [], lines[2]]


CHANGES = [
    without_second, in_another_order, of_another_time, of_another_content, with_a_line_put_in, with_a_key_more,
    of_no_line,
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_changed_is_found_and_nothing_is_added_to_it(home, change):
    write_lines(home, change(lines_in(home)))
    before = home.chain.read_bytes()
    assert any(fault for _, fault in walked(home))
    with pytest.raises(WarehouseError, match="plumbline verify tells every fault"):
        read_chain(home)
    with pytest.raises(WarehouseError, match="plumbline verify tells every fault"), open_chain(home):
        pass
    assert home.chain.read_bytes() == before


def test_a_time_before_that_of_the_line_before_is_found_though_its_hashes_are_right(home):
    entry, last = Entry("preregistration", "mine", "f", "content"), lines_in(home)[-1]
    back_dated = line_of(entry, "2026-01-01T00:00:00.000000Z", last["sha256"])
    write_lines(home, [*lines_in(home), json.loads(back_dated.text())])
    *_, (_, fault) = walked(home)
    assert fault.startswith("2026-01-01T00:00:00.000000Z, a time before that")


def test_a_line_that_a_kill_cut_short_is_taken_off(home):
    with home.chain.open("a") as file:
        file.write('{"at": "2026-')
    assert len(read_chain(home)) == 3
    with open_chain(home) as chain:
        chain.add(Entry("publication", "mine", "p3", "content 3"))
    assert [line.entry.subject for line in read_chain(home)] == ["p0", "p1", "p2", "p3"]


def test_a_clock_behind_the_last_line_is_told_before_a_run(home):
    require_clock(home)
    last, entry = read_chain(home)[-1], Entry("publication", "mine", "p3", "content 3")
    with home.chain.open("a") as file:
        file.write(line_of(entry, "2999-01-01T00:00:00.000000Z", last.sha256).text() + "\n")
    with pytest.raises(WarehouseError, match="got 2999-01-01"):
        require_clock(home)


def test_a_chain_begins_with_the_kept_runs_that_are_there(tmp_path):
    home = Home(tmp_path / "home")
    for run in ("a", "b.publishing"):
        folder = home.archives("mine") / run
        folder.mkdir(parents=True)
        (folder / "manifest.json").write_text("{}")
    with open_chain(home) as chain:
        assert [line.entry for line in chain.lines] == [
            Entry("archive", "mine", "a", hashlib.sha256(b"{}").hexdigest(), is_earlier=True)
        ]
