import unicodedata

from python_assets.cli import main
from python_assets.study.control_characters import has_control, printable


def test_every_control_character_is_written_out_and_lines_stay():
    controls = [chr(n) for n in range(0x10000) if unicodedata.category(chr(n)) == "Cc"]
    assert not any(map(has_control, printable("".join(controls)).replace("\t", "").replace("\n", "")))
    assert all(map(has_control, controls))
    assert printable("a\tb\nc é 日本 שלום 👩‍👩‍👧") == "a\tb\nc é 日本 שלום 👩‍👩‍👧"
    assert printable("\x1b[31m") == r"\u001b[31m"


def test_an_error_is_told_without_them(tmp_path, capsys):
    path = tmp_path / "mine.yml"
    path.write_text('title: "\\e[31mred"\nnothing: "\\e]0;owned\\a"\nprompts: "\\e[2J"\n', encoding="utf-8")
    assert main(["plan", str(path)]) == 1
    told = capsys.readouterr().err
    assert "\x1b" not in told and "\x07" not in told and "prompts" in told
