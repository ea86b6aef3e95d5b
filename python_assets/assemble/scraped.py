"""Prompts from scraped sentences: made by the study's method, sampled, branched, their levels merged."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import duckdb

from python_assets.assemble.branching import BranchOutcome, Rewriter, branch_prompts, merge_levels
from python_assets.assemble.found_replacements import find_replacements
from python_assets.assemble.judged_pairs import judge_pairs
from python_assets.assemble.methods import MethodJob, Sentence
from python_assets.assemble.planted_pairs import JudgeTrial
from python_assets.assemble.portable_roots import (
    StudyCheck,
    listed_reasons,
    only_word_left_over,
    portable_counts,
    pronoun_note,
)
from python_assets.assemble.prompts import AssembledPrompt
from python_assets.assemble.root_prompts import SentenceOutcome, check_again, make_root_prompts
from python_assets.assemble.vocabulary import Vocabulary
from python_assets.assemble.written_items import TAG, Topic, WrittenItems, study_topics, write_items
from python_assets.errors import SourceError
from python_assets.importers.level_map import study_level_table
from python_assets.study.factors import mapped_factors
from python_assets.study.problems import listed
from python_assets.study.pronouns import Pronouns
from python_assets.study.scrape import PAGE_TITLE
from python_assets.study.study import Scrape, Study
from python_assets.warehouse.build import Quarantined
from python_assets.warehouse.run_context import RunContext


class ScrapedPrompts(NamedTuple):
    """Root prompts and their branches, and what became of the rest.

    outcomes: one a sentence. branches: one a pair of root prompt and level. n_dropped: sentences and branches
    without a prompt, by reason. n_replacements: words that an engine was asked to replace, by what became of
    them. quarantine: branches that a judge refused; trial: what it said of planted pairs. notes: for the user.
    """

    prompts: list[AssembledPrompt]
    outcomes: list[SentenceOutcome]
    n_dropped: Counter[str]
    n_replacements: Counter[str]
    quarantine: Sequence[Quarantined] = ()
    trial: JudgeTrial | None = None
    branches: Sequence[BranchOutcome] = ()
    notes: Sequence[str] = ()


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
        SourceError: a level stays without any prompt, or a model that the study names is not there.
        SourceError: a judge cannot tell bad pairs from good ones.
        OfflineError, ProviderError: as ask_engine.
    """
    keywords = _keywords(study, connection)
    job = MethodJob(study, run_context, {level: keywords.get(level, [level]) for level in scrape.levels})
    branch = study.prompts.branch
    if branch is None:
        roots = make_root_prompts(job, scrape.factor, _sentences(study, connection), _not_branched, drops=())
        made = ScrapedPrompts(*roots, _reasons(roots.outcomes), Counter())
    else:
        titles, pronouns = _titles(study, connection), _pronouns(study, scrape)
        words = partial(Vocabulary, scrape, branch, keywords, titles=titles, pronouns=pronouns)
        assembling = study.prompts.assemble
        sentences = [] if assembling.chosen_method == TAG else _sentences(study, connection)
        step = _Branching(scrape, StudyCheck(study, scrape, branch), Rewriter(words(), branch), words)
        made = _root_prompts_and_branches(job, step, sentences)
        if assembling.items is not None:
            made = _joined(made, _from_items(job, step, study_topics(study, connection)))
    _check_levels(study, scrape, made)
    messages = study.prompts.assemble.messages or ()
    return made._replace(prompts=[prompt._replace(messages=messages) for prompt in made.prompts])


class _Branching(NamedTuple):
    """What sentences and items are checked and branched by.

    given: by the words that the study gives. vocabulary_with: those and further ones, that an engine found.
    """

    scrape: Scrape
    study_check: StudyCheck
    given: Rewriter
    vocabulary_with: Callable[..., Vocabulary]


def _from_items(job: MethodJob, step: _Branching, topics: Sequence[Topic]) -> ScrapedPrompts:
    job, branch = job._replace(method=TAG), step.given.branch
    check = step.study_check.before_finding(step.given, of_items=True) if branch.portable == "drop" else None
    written = write_items(job._replace(check=check), step.scrape, branch, step.given.vocabulary, topics)
    return _with_items(_root_prompts_and_branches(job, step, written.sentences), written)


def _joined(one: ScrapedPrompts, other: ScrapedPrompts) -> ScrapedPrompts:
    """The prompts of sentences and of items; root prompts first."""
    return ScrapedPrompts(
        sorted([*one.prompts, *other.prompts], key=lambda prompt: not prompt.is_root),
        [*one.outcomes, *other.outcomes],
        one.n_dropped + other.n_dropped,
        one.n_replacements + other.n_replacements,
        quarantine=[*one.quarantine, *other.quarantine],
        trial=other.trial or one.trial,
        branches=[*one.branches, *other.branches],
        notes=list(dict.fromkeys([*one.notes, *other.notes])),
    )


def _with_items(made: ScrapedPrompts, written: WrittenItems) -> ScrapedPrompts:
    """What was made of items, which are no sentences: one without a prompt is in quarantine with its text."""
    reasons = {one.sentence_id: one for one in made.outcomes if one.dropped_reason is not None}
    dropped = [
        Quarantined(item.sentence_id, str(one.dropped_reason), f"assemble: written: {item.text!r}", item.text)
        for item in written.sentences
        if (one := reasons.get(item.sentence_id)) is not None
    ]
    notes = [*([] if written.note is None else [written.note]), *made.notes]
    quarantine = [*written.quarantine, *dropped, *made.quarantine]
    # items are no rows of raw.sentences
    return made._replace(outcomes=[], quarantine=quarantine, notes=notes)


def _not_branched(sentence: Sentence, prompt: str) -> None:
    return None


def _reasons(outcomes: Sequence[SentenceOutcome]) -> Counter[str]:
    return Counter(one.dropped_reason for one in outcomes if one.dropped_reason is not None)


def _keywords(study: Study, connection: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
    """The keywords of each level that has some, given and found."""
    rows = connection.execute(
        "select level, keyword from raw.keywords where study_id = ? order by rowid", [study.study_id]
    ).fetchall()
    keywords: dict[str, list[str]] = {}
    for level, keyword in rows:
        keywords.setdefault(level, []).append(keyword)
    return keywords


def _titles(study: Study, connection: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
    """The titles of the pages that names of levels redirect to."""
    rows = connection.execute(
        "select level, list(keyword) from raw.keywords where study_id = ? and keyword_type = ? group by level",
        [study.study_id, PAGE_TITLE],
    ).fetchall()
    return dict(rows)


def _pronouns(study: Study, scrape: Scrape) -> dict[str, Pronouns]:
    """The pronouns of levels: their own, or those of the level that a mapped factor gives them, as of names."""
    factor = study.factors.get(scrape.factor)
    if factor is not None and factor.pronouns:
        return {level: Pronouns.read(written) for level, written in factor.pronouns.items()}
    by_level: dict[str, Pronouns] = {}
    for name, level_map in mapped_factors(study.factors).items():
        written = study.factors[name].pronouns
        if written and level_map.from_ == scrape.factor:
            mapped = study_level_table(study, name).of(scrape.levels)
            by_level |= {one: Pronouns.read(written[level]) for one, level in mapped.items() if level in written}
    return by_level


def _sentences(study: Study, connection: duckdb.DuckDBPyConnection) -> list[Sentence]:
    rows = connection.execute(
        "select sentence_id, document_id, source_tag, level, keyword, sentence_text from raw.sentences "
        "where study_id = ? and dropped_reason is null order by rowid",
        [study.study_id],
    ).fetchall()
    return [Sentence(*row) for row in rows]


def _root_prompts_and_branches(job: MethodJob, step: _Branching, sentences: Sequence[Sentence]) -> ScrapedPrompts:
    scrape, study_check, rewriter = step.scrape, step.study_check, step.given
    given, branch = rewriter.vocabulary, rewriter.branch
    drops, are_items = study_check.drops, job.method == TAG
    # sentences that name another level have no branch, so that no engine need be asked about them
    others = {one.sentence_id: given.words_of_others(one.level, one.text) for one in sentences}
    names_another = [
        SentenceOutcome(sentence_id, "names_another_level", portability_words=", ".join(dict.fromkeys(words)))
        for sentence_id, words in others.items()
        if words
    ]
    kept = [one for one in sentences if not others[one.sentence_id]]
    check = study_check.before_finding(rewriter, of_items=are_items)
    job = job._replace(vocabulary=given, check=check if branch.portable == "drop" else only_word_left_over(check))
    roots = make_root_prompts(job, scrape.factor, kept, check, drops=drops)
    search = find_replacements(job.study, job.run_context, branch, given, _by_level(roots.prompts, scrape.factor))
    if branch.find is not None:
        rewriter = Rewriter(step.vocabulary_with(found=search.replacements), branch)
        roots = check_again(roots, scrape.factor, study_check.of(rewriter, of_items=are_items), drops=drops)
    branched = branch_prompts(roots.prompts, scrape.factor, rewriter)
    refused: Sequence[Quarantined] = ()
    trial: JudgeTrial | None = None
    if branch.check is not None:
        branched, refused, trial = judge_pairs(job, scrape.factor, branch.check, roots.prompts, branched)
    prompts = merge_levels([*roots.prompts, *branched.branches], scrape.factor, branch)
    outcomes = [*roots.outcomes, *names_another]
    notes = [] if trial is None else [trial.found.note]
    notes += pronoun_note(scrape.factor, roots.prompts, rewriter.vocabulary)
    n_dropped = _reasons(outcomes) + branched.n_dropped
    return ScrapedPrompts(
        prompts,
        outcomes,
        n_dropped,
        search.counts,
        quarantine=refused,
        trial=trial,
        branches=branched.outcomes,
        notes=notes,
    )


def _by_level(prompts: Sequence[AssembledPrompt], factor: str) -> dict[str, list[AssembledPrompt]]:
    by_level: dict[str, list[AssembledPrompt]] = {}
    for prompt in prompts:
        by_level.setdefault(prompt.levels[factor], []).append(prompt)
    return by_level


def _check_levels(study: Study, scrape: Scrape, made: ScrapedPrompts) -> None:
    """A level that stays without any prompt would be missing from every table."""
    present = {prompt.levels[scrape.factor] for prompt in made.prompts}
    missing = [level for level in study.prompts.scraped_levels if level not in present]
    if not missing:
        return
    reasons = ", ".join(f"{n} {reason}" for reason, n in sorted(made.n_dropped.items())) or "nothing"
    n_checked, n_portable = portable_counts(made.outcomes)
    if n_checked and not n_portable and not made.prompts:
        raise SourceError(
            (study.path, "prompts", "branch", "portable"),
            f"none of {n_checked} root prompts: {listed_reasons(made.outcomes)}",
            "some that carry over to other levels",
            "scrape texts that speak of the level itself, or give the words to replace in prompts.branch; "
            "portable: keep branches them as they are",
        )
    example = next((one.detail for one in made.quarantine if one.record_key.endswith(missing[0])), "")
    raise SourceError(
        (study.path, "prompts", "scrape", "levels"),
        f"no prompt for {scrape.factor} {listed(missing)}; dropped on the way, by reason: {reasons}"
        + (f", for example: {example}" if example else ""),
        "a prompt of every level",
        "give the level keywords and a source, or make it a target of prompts.branch, or take it out",
    )
