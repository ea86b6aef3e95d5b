"""Files and pages to paragraphs, sentences and words."""
