"""Vocabularies and root prompts of a few countries, and the branches of them."""

from python_assets.assemble.branching import Rewriter, branch_prompts
from python_assets.assemble.prompts import AssembledPrompt
from python_assets.assemble.vocabulary import Vocabulary
from python_assets.study.study import Branch, Scrape

FORMS = {
    "Italy": {"name": "Italy", "adjective": "Italian"},
    "United Kingdom": {"name": ["the United Kingdom", "the UK"], "adjective": ["British", "UK"]},
    "United States": {"name": ["the United States", "the US"], "adjective": ["American", "US"]},
    "European Union": {"name": "the European Union", "adjective": "European"},
}


def vocabulary(keywords=None, levels=None, found=None, **branch):
    keywords = keywords or {level: [level] for level in FORMS}
    scrape = Scrape(
        levels=levels or list(FORMS), keywords=keywords, sources=[{"tag": "t", "type": "local", "path": "a.txt"}]
    )
    return Vocabulary(scrape, Branch(**({"forms": FORMS} | branch)), keywords, found)


def branched(roots, words_of, **branch):
    made = branch_prompts(roots, "concept", Rewriter(words_of, Branch(**branch)))
    return made.branches, made.n_dropped


def root(text, level="Italy", baseline=None):
    return AssembledPrompt(
        prompt_id="a#1",
        root_prompt_id="a#1",
        is_root=True,
        task="completion",
        prompt_text=text,
        baseline_text=baseline or f"{text} more.",
        baseline_kind="actual",
        source_tag="t",
        levels={"concept": level},
        keyword=level,
        document_id="a",
    )
