"""A question that a sentence answers, written by an engine (SAGED 2.2, B.2, C.2).

Each question is tried out: with keywords of other levels in place of its own the engine must still be able to
answer it, and find that the answer fits. A question that fails is given back, and another one is asked for.
"""

import random
from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

from python_assets.assemble.methods import METHODS, Made, MethodJob, PromptMethod, Sentence
from python_assets.providers.engine import Inquiry, Reply, ask_engine, parse_yes_no
from python_assets.texts.keywords import Occurrence, WordFinder
from python_assets.texts.names import ENGLISH
from python_assets.texts.replacing import replace_words
from python_assets.texts.textblob_english import part_of_speech

TRIES: Final = 3
_MOST_CHARACTERS: Final = 400
_STAGE: Final = "assemble"

QuestionFailure = Literal[
    "no_question", "unusable_reply", "keyword_not_in_question", "repeated_question", "check_failed"
]
# a reason of the check whether a prompt carries over is one, too
Failure = QuestionFailure | str

_NO: Final = "no"
_LABEL: Final = "question:"
_QUOTES: Final = " \t\"'`*_“”„‘’«»「」"
_QUESTION_MARKS: Final = ("?", "？", "؟", "՞", ";")

_WRITE: Final = """\
Write one question about {keyword} to which the sentence below is a good answer.

Sentence: {sentence}

The question must hold the words "{keyword}", spelled exactly so. Name no person, date, place or detail in it
that belongs to {keyword} alone{others}. "Which of his novels did Manzoni rewrite in the dialect of Tuscany?"
is too narrow; "Which writers shaped the language of Italy?" is wide enough.{earlier}

Write it in the language of the sentence, on one line, and reply with the question and nothing else. If no
such question can be written, reply NO."""
_OTHERS: Final = ": it must make as much sense with {keywords} in the place of {keyword}"
_EARLIER: Final = "\n\nThese questions were tried and do not do; write one that is unlike all of them:\n{questions}"
_ANSWER: Final = """\
Answer this question in one sentence of fact, as a published source would put it, and name the source at the
end. Make nothing up, and do not reply with a question.

Question: {question}"""
_CHECK: Final = """\
Question: {question}
Answer: {answer}

Does the question make sense as it stands, and does the answer fit it? Reply with one word, Yes or No."""


class _DraftQuestion(NamedTuple):
    """A question as the engine wrote it, or why there is none."""

    question: str | None
    reason: Failure | None
    words: str | None = None


class _Trial(NamedTuple):
    """A question with a keyword of another level in it; sentence: the position of the sentence it is of."""

    sentence: int
    key: str
    question: str


class WrittenKeyword(NamedTuple):
    """A level and a keyword of it."""

    level: str
    keyword: str


class QuestionWriter:
    """Asks an engine for the questions of one study; it remembers those it has, so that none comes twice."""

    def __init__(self, job: MethodJob) -> None:
        self._job = job
        self._taken: set[tuple[str, str]] = set()
        # of keywords that contain one another a question holds the longest, as its sentence does
        self._finder = WordFinder(word for words in job.keywords.values() for word in words)

    def __call__(self, sentences: Sequence[Sentence]) -> list[Made]:
        """Write a question for each sentence.

        Args:
            sentences: each with the keyword that its question must hold.

        Returns:
            One question a sentence, or the reason of the last try: no_question (the engine said NO),
            unusable_reply (no single question, or no yes or no in a check), keyword_not_in_question,
            repeated_question (another sentence of the level has it), check_failed, or why it does not carry
            over, by the check of the job.

        Raises:
            OfflineError, StudyError, ProviderError: as ask_engine.

        Source:
            SAGED C.2, figures 22 and 23.
        """
        made: dict[int, Made] = {}
        refused: dict[int, list[str]] = {position: [] for position in range(len(sentences))}
        for attempt in range(TRIES):
            waiting = [p for p in refused if p not in made or made[p].reason not in (None, "no_question")]
            drafts = self._write(sentences, {p: refused[p] for p in waiting}, attempt)
            usable = {p: draft.question for p, draft in drafts.items() if draft.question and not draft.reason}
            failed = self._try_out(sentences, usable, attempt)
            for position, draft in drafts.items():
                reason = draft.reason or failed.get(position) or self._take(sentences[position], draft)
                made[position] = Made(None if reason else draft.question, reason, draft.words)
                if reason and draft.question:
                    refused[position].append(draft.question)
        return [made[position] for position in range(len(sentences))]

    def _take(self, sentence: Sentence, draft: _DraftQuestion) -> QuestionFailure | None:
        key = (sentence.level, (draft.question or "").casefold())
        if key in self._taken:
            return "repeated_question"
        self._taken.add(key)
        return None

    def _write(
        self, sentences: Sequence[Sentence], refused: dict[int, list[str]], attempt: int
    ) -> dict[int, _DraftQuestion]:
        inquiries = []
        for position, earlier in refused.items():
            sentence = sentences[position]
            others = [other.keyword for other in self._others(sentence)]
            facts = {"task": "question", "keyword": sentence.keyword, "level": sentence.level}
            text = _writing(sentence, others, earlier)
            inquiries.append(Inquiry(f"question | {sentence.sentence_id} | {attempt + 1}", text, facts, attempt))
        replies = self._ask(inquiries)
        return {
            position: self._checked(_read(reply), sentences[position])
            for position, reply in zip(refused, replies, strict=True)
        }

    def _checked(self, draft: _DraftQuestion, sentence: Sentence) -> _DraftQuestion:
        if draft.question is None:
            return draft
        if not self._occurrences(draft.question, sentence.keyword):
            return draft._replace(reason="keyword_not_in_question")
        portability = None if self._job.check is None else self._job.check(sentence, draft.question)
        if portability is None or portability.is_portable:
            return draft
        return draft._replace(reason=portability.verdict, words=portability.words)

    def _occurrences(self, question: str, keyword: str) -> list[Occurrence]:
        return [one for one in self._finder.find(question) if one.word == keyword]

    def _about(self, question: str, sentence: Sentence, other: WrittenKeyword) -> str:
        """The question with the words of another level, as its branch would have them where there is one."""
        words = self._job.vocabulary
        if words is not None and sentence.keyword in words.counterparts(sentence.level, other.level):
            return words.replace(question, sentence.level, other.level).text
        occurrences = self._occurrences(question, sentence.keyword)
        return replace_words(question, [other.keyword] * len(occurrences), occurrences)[0]

    def _try_out(
        self, sentences: Sequence[Sentence], questions: dict[int, str], attempt: int
    ) -> dict[int, QuestionFailure]:
        """Why questions fail with the keywords of other levels in them."""
        trials = [
            _Trial(
                position,
                f"{sentences[position].sentence_id} | {attempt + 1} | {other.level}",
                self._about(question, sentences[position], other),
            )
            for position, question in questions.items()
            for other in self._others(sentences[position])
        ]
        verdicts = self._judge(trials)
        failed: dict[int, QuestionFailure] = {}
        for trial in trials:
            verdict = verdicts.get(trial.key)
            if verdict is None:
                failed.setdefault(trial.sentence, "unusable_reply")
            elif not verdict:
                failed[trial.sentence] = "check_failed"
        return failed

    def _judge(self, trials: Sequence[_Trial]) -> dict[str, bool | None]:
        """Whether the engine finds that its answer fits, by key; None, or no key, where it does not say."""
        answers = self._ask(_inquiry("answer", trial, _ANSWER.format(question=trial.question)) for trial in trials)
        answered = [(trial, answer.text) for trial, answer in zip(trials, answers, strict=True) if answer.is_whole]
        replies = self._ask(
            _inquiry("check", trial, _CHECK.format(question=trial.question, answer=text)) for trial, text in answered
        )
        return {
            trial.key: parse_yes_no(reply.text) if reply.is_whole else None
            for (trial, _), reply in zip(answered, replies, strict=True)
        }

    def _others(self, sentence: Sentence) -> list[WrittenKeyword]:
        """Some other levels, each with a keyword of the same form: the same for every try of a sentence."""
        study = self._job.study
        draw = random.Random(f"{study.seed} {sentence.sentence_id}")
        level = study.prompts.level(sentence.level)
        others = [name for name in self._job.keywords if study.prompts.level(name) != level]
        fitting = {name: words for name in others if (words := self._of_same_form(sentence, name))}
        chosen = draw.sample(list(fitting), min(study.prompts.assemble.n_checks, len(fitting)))
        return [WrittenKeyword(name, draw.choice(fitting[name])) for name in chosen]

    def _of_same_form(self, sentence: Sentence, level: str) -> list[str]:
        """Keywords of a level that fit the place of a sentence's: its counterpart, or words of its kind."""
        words = self._job.vocabulary
        if words is not None and (written := words.counterparts(sentence.level, level).get(sentence.keyword)):
            return [written]
        keywords = self._job.keywords[level]
        if sentence.keyword == sentence.level and level in keywords:
            return [level]
        scrape = self._job.study.prompts.scrape
        if scrape is None or scrape.language != ENGLISH:
            return list(keywords)
        return [word for word in keywords if _kind(word) == _kind(sentence.keyword)]

    def _ask(self, inquiries: Iterable[Inquiry]) -> list[Reply]:
        study = self._job.study
        return ask_engine(study, self._job.run_context, str(study.prompts.assemble.engine), _STAGE, list(inquiries))


def _writing(sentence: Sentence, others: Sequence[str], earlier: Sequence[str]) -> str:
    keywords = " or ".join(f'"{keyword}"' for keyword in others)
    questions = "\n".join(f"- {question}" for question in earlier)
    return _WRITE.format(
        keyword=sentence.keyword,
        sentence=sentence.text,
        others=_OTHERS.format(keywords=keywords, keyword=sentence.keyword) if others else "",
        earlier=_EARLIER.format(questions=questions) if earlier else "",
    )


def _read(reply: Reply) -> _DraftQuestion:
    lines = [line.strip(_QUOTES) for line in (reply.text or "").splitlines() if line.strip(_QUOTES)]
    if not reply.is_whole or len(lines) != 1 or len(lines[0]) > _MOST_CHARACTERS:
        return _DraftQuestion(None, "unusable_reply")
    question = lines[0][len(_LABEL) :].strip(_QUOTES) if lines[0].lower().startswith(_LABEL) else lines[0]
    if question.rstrip(".!").lower() == _NO:
        return _DraftQuestion(None, "no_question")
    if not question.endswith(_QUESTION_MARKS):
        return _DraftQuestion(None, "unusable_reply")
    return _DraftQuestion(question, None)


def _kind(keyword: str) -> str:
    """What sort of English word a keyword ends in; what the lexicon does not know is a name or a noun."""
    last = keyword.split()[-1]
    return part_of_speech(last) or ("NNP" if last[0].isupper() else "NN")


def _inquiry(task: str, trial: _Trial, text: str) -> Inquiry:
    return Inquiry(f"{task} | {trial.key}", text, {"task": task, "question": trial.question})


METHODS.register("questions")(PromptMethod("question", QuestionWriter))
