from python_assets.texts.documents import OMISSION
from python_assets.texts.markdown import markdown_paragraphs

TEXT = """---
title: front matter
---

# Heading of Italy

Italy has a [long coast](https://example.org/coast "title") and *many*
harbours.[^1]

| Italy | share |
|---|---|
| Italy cell | 3 |

```python
print("Italy in code")
```

    Italy indented

- Italy in a list.

> Italy in a quotation.

![Italy picture](a.png) Italy after a picture.

Italy has `code` in it. See <https://example.org/italy> too.

<div>Italy in HTML</div>
"""


def test_running_text_is_kept_and_nothing_else():
    assert [" ".join(paragraph.split()) for paragraph in markdown_paragraphs(TEXT)] == [
        "Italy has a long coast and many harbours.[^1]",
        "Italy in a list.",
        "Italy in a quotation.",
        "Italy after a picture.",
        f"Italy has {OMISSION} in it. See {OMISSION} too.",
    ]
