"""How much is read of what others wrote: a small file can ask for more time and memory than there is."""

from typing import Final

# A response may hold 10 MB; what stands after this is not read by rules, lexicons and models.
MOST_CHARACTERS: Final = 100_000
# of a Word or Excel file, all its parts unpacked
MOST_UNPACKED_BYTES: Final = 256 * 1024 * 1024
# of a table: rows times columns, and columns alone
MOST_CELLS: Final = 20_000_000
MOST_COLUMNS: Final = 10_000
# lists and mappings within each other in one line of JSON
MOST_NESTED_LEVELS: Final = 100
# of a PDF file: bytes that draw one page, and what draws all pages
MOST_PAGE_BYTES: Final = 16 * 1024 * 1024
MOST_DRAWN: Final = 5_000_000
# for one expression of a study file to be looked for in one text
PATTERN_SECONDS: Final = 1.0
