"""What a study file says of its report.

Belongs here: the options. What they do is report/ and published/hidden_texts.py.
"""

from python_assets.study.base import Part


class ReportOptions(Part):
    """hide_texts: no text of a prompt or a response stands in the report or in an export."""

    hide_texts: bool = False
