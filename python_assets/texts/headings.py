"""Sections that hold no running text: lists of references, notes and links."""

from typing import Final

_REFERENCES: Final = frozenset(
    {
        "references",
        "notes",
        "notes and references",
        "footnotes",
        "citations",
        "bibliography",
        "works cited",
        "sources",
        "further reading",
        "external links",
        "see also",
        "literatur",
        "literaturverzeichnis",
        "einzelnachweise",
        "anmerkungen",
        "weblinks",
        "siehe auch",
        "références",
        "notes et références",
        "bibliographie",
        "liens externes",
        "voir aussi",
        "referencias",
        "bibliografía",
        "enlaces externos",
        "véase también",
        "note",
        "bibliografia",
        "collegamenti esterni",
        "voci correlate",
        "referências",
        "ver também",
        "脚注",
        "出典",
        "参考文献",
        "関連項目",
        "外部リンク",
        "参见",
        "参考资料",
        "外部链接",
        "सन्दर्भ",
        "संदर्भ",
        "इन्हें भी देखें",
        "बाहरी कड़ियाँ",
    }
)


def is_reference_heading(text: str) -> bool:
    """Tell whether a heading opens a list of references, notes or links, its number left out."""
    return " ".join(text.split()).lstrip("0123456789.) ").rstrip(":：").casefold() in _REFERENCES


class Sections:
    """Follows the headings of a text and tells where its lists of references are."""

    def __init__(self) -> None:
        self._left_out_below: int | None = None

    def open(self, level: int, heading: str) -> None:
        """Pass a heading; a list ends with the next heading that is as high as its own."""
        if self._left_out_below is not None and level <= self._left_out_below:
            self._left_out_below = None
        if self._left_out_below is None and is_reference_heading(heading):
            self._left_out_below = level

    @property
    def is_left_out(self) -> bool:
        """Whether the text that follows is in such a list."""
        return self._left_out_below is not None
