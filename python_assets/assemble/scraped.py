"""Prompts from scraped sentences: made by the study's method, sampled, branched, their levels merged."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import duckdb

from python_assets.assemble.branching import branch_prompts, merge_levels
from python_assets.assemble.found_replacements import find_replacements
from python_assets.assemble.methods import METHODS, MethodJob, Sentence
from python_assets.assemble.prompts import AssembledPrompt
from python_assets.assemble.sampling import make_per_stratum
from python_assets.assemble.vocabulary import Vocabulary
from python_assets.errors import SourceError
from python_assets.study.study import (
    Branch,
    PromptTask,
    Scrape,
    Study,
)
from python_assets.warehouse.run_context import RunContext


class ScrapedPrompts(NamedTuple):
    """Root prompts and their branches, and what became of the rest.

    n_dropped: sentences and branches without a prompt, by reason. n_replacements: words that an engine was
    asked to replace, by what became of them.
    """

    prompts: list[AssembledPrompt]
    n_dropped: Counter[str]
    n_replacements: Counter[str]


def prompts_from_sentences(
    study: Study, scrape: Scrape, connection: duckdb.DuckDBPyConnection, run_context: RunContext | None
) -> ScrapedPrompts:
    """Make the prompts of a study that scrapes.

    Args:
        study: its method and its branches.
        scrape: its levels.
        connection: the build file, with its sentences and keywords scraped.
        run_context: for methods and replacements that an engine is asked for.

    Returns:
        Root prompts first, in the order of the sentences.

    Raises:
        SourceError: a level stays without any prompt.
        OfflineError, GenerationError: as ask_engine.
    """
    keywords = _keywords(study, connection)
    sentences = _sentences(study, connection)
    job = MethodJob(study, run_context, {level: keywords.get(level, [level]) for level in scrape.levels})
    branch = study.prompts.branch
    if branch is None:
        prompts, n_dropped = _root_prompts(job, scrape.factor, sentences)
        made = ScrapedPrompts(prompts, n_dropped, Counter())
    else:
        made = _root_prompts_and_branches(job, scrape, branch, keywords, sentences)
    made = made._replace(n_dropped=+made.n_dropped)
    _check_levels(study, scrape, made)
    return made


def _keywords(study: Study, connection: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
    """The keywords of each level that has some, given and found."""
    rows = connection.execute(
        "select level, keyword from raw.keywords where study_id = ? order by rowid", [study.study_id]
    ).fetchall()
    keywords: dict[str, list[str]] = {}
    for level, keyword in rows:
        keywords.setdefault(level, []).append(keyword)
    return keywords


def _sentences(study: Study, connection: duckdb.DuckDBPyConnection) -> list[Sentence]:
    rows = connection.execute(
        "select sentence_id, document_id, source_tag, level, keyword, sentence_text from raw.sentences "
        "where study_id = ? and dropped_reason is null order by rowid",
        [study.study_id],
    ).fetchall()
    return [Sentence(*row) for row in rows]


def _root_prompts(
    job: MethodJob, factor: str, sentences: Sequence[Sentence]
) -> tuple[list[AssembledPrompt], Counter[str]]:
    """Prompts in the order of the sentences, and how many sentences gave none, by reason."""
    assembling = job.study.prompts.assemble
    method = METHODS[assembling.chosen_method]
    tried = make_per_stratum(
        sentences,
        stratum=lambda sentence: (sentence.level, sentence.source_tag),
        content=lambda sentence: f"{sentence.level}\0{sentence.text}",
        max_per_stratum=assembling.max_per_level,
        seed=job.study.seed,
        make=method.maker(job),
        is_made=lambda made: made.prompt_text is not None,
    )
    prompts = [
        _root_prompt(sentence, made.prompt_text, method.task, factor)
        for sentence, made in tried
        if made.prompt_text is not None
    ]
    n_dropped = Counter(str(made.reason) for _, made in tried if made.prompt_text is None)
    n_dropped["not_sampled"] = len(sentences) - len(tried)
    return prompts, n_dropped


def _root_prompt(sentence: Sentence, text: str, task: PromptTask, factor: str) -> AssembledPrompt:
    return AssembledPrompt(
        prompt_id=sentence.sentence_id,
        root_prompt_id=sentence.sentence_id,
        is_root=True,
        task=task,
        prompt_text=text,
        baseline_text=sentence.text,
        baseline_kind="actual",
        source_tag=sentence.source_tag,
        levels={factor: sentence.level},
        keyword=sentence.keyword,
        document_id=sentence.document_id,
    )


def _root_prompts_and_branches(
    job: MethodJob,
    scrape: Scrape,
    branch: Branch,
    keywords: Mapping[str, Sequence[str]],
    sentences: Sequence[Sentence],
) -> ScrapedPrompts:
    given = Vocabulary(scrape, branch, keywords)
    # sentences that name another level have no branch, so that no engine need be asked about them
    kept = [one for one in sentences if not given.names_another_level(one.level, one.text)]
    roots, n_dropped = _root_prompts(job, scrape.factor, kept)
    n_dropped["names_another_level"] = len(sentences) - len(kept)
    found = find_replacements(job.study, job.run_context, branch, given, _by_level(roots, scrape.factor))
    vocabulary = Vocabulary(scrape, branch, keywords, found.replacements)
    branched = branch_prompts(roots, scrape.factor, vocabulary, branch)
    prompts = merge_levels([*roots, *branched.branches], scrape.factor, branch)
    return ScrapedPrompts(prompts, n_dropped + branched.n_dropped, found.counts)


def _by_level(prompts: Sequence[AssembledPrompt], factor: str) -> dict[str, list[AssembledPrompt]]:
    by_level: dict[str, list[AssembledPrompt]] = {}
    for prompt in prompts:
        by_level.setdefault(prompt.levels[factor], []).append(prompt)
    return by_level


def _check_levels(study: Study, scrape: Scrape, made: ScrapedPrompts) -> None:
    """A level that stays without any prompt would be missing from every table."""
    present = {prompt.levels[scrape.factor] for prompt in made.prompts}
    missing = [level for level in study.prompts.scraped_levels if level not in present]
    if missing:
        reasons = ", ".join(f"{n} {reason}" for reason, n in sorted(made.n_dropped.items())) or "nothing"
        raise SourceError(
            f"{study.path.name}: prompts.scrape.levels: no prompt for {scrape.factor} "
            f"{', '.join(map(repr, missing))}. Dropped on the way, by reason: {reasons}. Give the level "
            "keywords and a source, or make it a target of prompts.branch, or take it out."
        )
