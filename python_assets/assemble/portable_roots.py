"""What the portability check of a study looks at, and what it comes to in words.

Belongs here: from the study file to the check, from outcomes to a line. The reasons are portability.py.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from python_assets.assemble.branching import Rewriter
from python_assets.assemble.methods import PORTABLE, CheckPortability, Portability, Sentence
from python_assets.assemble.portability.kinds import kinds, kinds_of
from python_assets.assemble.portability.portability import (
    FORM_MISSING,
    OF_SOME_LEVELS,
    REASONS_AGAINST,
    REPLACEABLE,
    PortabilityCheck,
)
from python_assets.assemble.prompts import AssembledPrompt
from python_assets.assemble.pronouns import ANY_PRONOUN
from python_assets.assemble.root_prompts import SentenceOutcome
from python_assets.assemble.vocabulary import Vocabulary
from python_assets.study.problems import listed
from python_assets.study.prompts import SUBJECT
from python_assets.study.study import Branch, Scrape, Study
from python_assets.texts.names import names_by_capitals, names_by_model
from python_assets.texts.sentences import SentenceSplitter

# fewer root prompts let almost nothing be said of a model (docs/raw_thresholds.md)
FEW_PORTABLE: Final = 20
# of 100 sentences with a keyword, of texts that were read (docs/saged.md)
SENTENCES_LEFT: Final = {"occupation": 10, "faith": 10, "gender": 21, "age": 16}
SUBJECTS_LEFT: Final = {"occupation": 8, "faith": 2, "gender": 18}
REFERS_BACK: Final = "opening_refers_back"
_FIELD: Final = "prompts.branch"


class PortableCounts(NamedTuple):
    """Root prompts that were checked, and those that carry over."""

    n_checked: int = 0
    n_portable: int = 0


class StudyCheck:
    """The portability check of one study, as often as its vocabulary grows."""

    def __init__(self, study: Study, scrape: Scrape, branch: Branch) -> None:
        """Load what finds names.

        Args:
            study: the study.
            scrape: its levels and language.
            branch: what is branched.

        Raises:
            SourceError: the spaCy model that the study names cannot be used.
        """
        self._scrape, self._branch = scrape, branch
        if branch.spacy_model is None:
            self._find_names = names_by_capitals(scrape.language)
        else:
            model = pipeline_of(study, branch.spacy_model)
            self._find_names = names_by_model(model, (study.path, "prompts", "branch", "spacy_model"))

    def of(self, rewriter: Rewriter, passed_over: Collection[str] = (), *, of_items: bool = False) -> CheckPortability:
        """The check of single prompts.

        Args:
            rewriter: writes prompts in the words of other levels.
            passed_over: reasons that count for nothing.
            of_items: whether prompts are items that an engine wrote, of several sentences each.
        """
        vocabulary = rewriter.vocabulary
        against = PortabilityCheck(vocabulary, self._scrape.language, self._find_names)
        splitter = SentenceSplitter(self._scrape.language) if of_items else None
        tags = self._branch.source_tags

        def check(sentence: Sentence, prompt: str) -> Portability | None:
            if not vocabulary.targets(sentence.level) or (tags and sentence.source_tag not in tags):
                return None
            if splitter is not None:
                pieces = splitter.split([prompt])
                # that they suit all levels the engine is asked, and the judge
                within = {*passed_over, OF_SOME_LEVELS}
                return _first_in_item(against, sentence.level, pieces, within) or Portability(PORTABLE)
            # a prompt that is no part of its sentence was not cut; a connective before it may be left out
            at = sentence.text.find(prompt[1:])
            whole = prompt if at < 0 else prompt[:1] + sentence.text[at:]
            reason = against.first_reason(sentence.level, prompt, whole, passed_over)
            is_kept = reason is None or reason.verdict not in self.drops
            if is_kept and FORM_MISSING in self.drops - set(passed_over):
                reason = self._form_missing(rewriter, sentence, prompt) or reason
            return reason or Portability(PORTABLE)

        return check

    @property
    def drops(self) -> frozenset[str]:
        """The reasons for which a prompt is none."""
        reasons = REASONS_AGAINST if self._branch.portable == "drop" else ()
        incomplete = {FORM_MISSING} if self._branch.incomplete == "drop" else set()
        return frozenset(reasons) - {FORM_MISSING} | incomplete

    def _form_missing(self, rewriter: Rewriter, sentence: Sentence, prompt: str) -> Portability | None:
        """The levels that would get no branch where others do, each with the word that it has none for."""
        tried = rewriter.of(prompt, sentence.text, sentence.level)
        lacking = {
            target: one.words for target, one in tried.items() if one.dropped_reason == "word_without_replacement"
        }
        if not lacking:
            return None
        return Portability(FORM_MISSING, f"{next(iter(lacking.values()))} for {listed(lacking)}")

    def before_finding(self, rewriter: Rewriter, *, of_items: bool) -> CheckPortability:
        """The check of prompts of which an engine may yet replace words."""
        return self.of(rewriter, REPLACEABLE if self._branch.find is not None else (), of_items=of_items)


def _first_in_item(
    against: PortabilityCheck, level: str, pieces: Sequence[str], passed_over: Collection[str]
) -> Portability | None:
    """The first reason in the sentences of an item, of which all but the first may refer back to one before."""
    for position, piece in enumerate(pieces):
        within = {*passed_over, REFERS_BACK} if position else passed_over
        if reason := against.first_reason(level, piece, piece, within):
            return reason
    return None


def pipeline_of(study: Study, named: str) -> str:
    """The spaCy pipeline that a study names: a folder beside the study file, or an installed package."""
    folder = study.folder / named
    return str(folder) if folder.exists() else named


def only_word_left_over(check: CheckPortability) -> CheckPortability:
    """The check without any other reason: a question can be asked for again without such a word."""

    def check_word(sentence: Sentence, prompt: str) -> Portability | None:
        reason = check(sentence, prompt)
        return reason if reason is None or reason.verdict == "word_left_over" else Portability(PORTABLE)

    return check_word


def portable_counts(outcomes: Sequence[SentenceOutcome]) -> PortableCounts:
    """How many root prompts were checked and how many carry over."""
    checked = [one.portability for one in outcomes if one.portability is not None]
    return PortableCounts(len(checked), checked.count(PORTABLE))


def portability_note(outcomes: Sequence[SentenceOutcome], study: Study) -> str | None:
    """The share of root prompts that carry over with the reasons of the others; None where all do.

    Args:
        outcomes: of the sentences.
        study: whether others are dropped, how sentences are split and what its levels are.

    Returns:
        Where few are left also what the study could do besides, and how few others of such levels have.
    """
    n_checked, n_portable = portable_counts(outcomes)
    if n_checked == n_portable:
        return None
    branch = study.prompts.branch
    is_dropped = branch is not None and branch.portable == "drop"
    share = f"{n_portable:,} of {n_checked:,} root prompts ({n_portable / n_checked:.0%})"
    note = (
        f"{_FIELD}.portable: {share} carry over to other levels; the others are "
        f"{'dropped' if is_dropped else 'kept all the same'}: "
        f"{listed_reasons(outcomes)}"
    )
    if is_dropped and n_portable < FEW_PORTABLE:
        note += f". Fewer than {FEW_PORTABLE} are left: {' or '.join(_remedies(study))}{_left_of_kinds(study)}"
    return note


def _remedies(study: Study) -> list[str]:
    assembling = study.prompts.assemble
    remedies = ["scrape more texts"]
    if assembling.chosen_method == "split_sentences" and isinstance(assembling.after_words, int):
        remedies.append("split them behind the keyword (assemble.after_words: keyword)")
    if assembling.items is None:
        remedies.append("have an engine write items (assemble.items)")
    return remedies


def _left_of_kinds(study: Study) -> str:
    """How many sentences are left of levels of such a kind, where that is known."""
    branch = study.prompts.branch
    forms = (
        []
        if branch is None
        else [
            word
            for of in branch.forms.values()
            for one in of.values()
            for word in ([one] if isinstance(one, str) else one)
        ]
    )
    of = kinds_of([*study.prompts.scraped_levels, *forms])
    left = SUBJECTS_LEFT if study.prompts.assemble.after_words == SUBJECT else SENTENCES_LEFT
    names = [name for name, kind in kinds().items() if kind in of and name in left]
    shares = " and ".join(f"{left[name]} of levels of {name}" for name in names)
    return f". Of 100 sentences with a keyword about {shares} are left at best" if shares else ""


def listed_reasons(outcomes: Sequence[SentenceOutcome]) -> str:
    """Why root prompts do not carry over, the most frequent first, each with an example."""
    n = Counter(one.portability for one in outcomes)
    first = {one.portability: one.portability_words for one in reversed(outcomes)}
    by_frequency = sorted((reason for reason in REASONS_AGAINST if n[reason]), key=lambda reason: -n[reason])
    return ", ".join(f"{n[reason]:,} {reason} ({first[reason]!r})" for reason in by_frequency)


def pronoun_note(factor: str, roots: Sequence[AssembledPrompt], vocabulary: Vocabulary) -> list[str]:
    """How many root prompts hold she, he or a form of them that their branches keep; nothing where none does."""
    without = [root for root in roots if root.levels[factor] not in vocabulary.pronouns]
    n = sum(ANY_PRONOUN.search(root.prompt_text) is not None for root in without) if vocabulary.is_english else 0
    if not n:
        return []
    return [
        f"{n:,} of {len(roots):,} root prompts hold she, he or a form of them, which their branches keep; where it "
        f"refers to the level, write factors.{factor}.pronouns"
    ]
