"""The prompts of a study file: sentences scraped and branched, templates, or an import.

Belongs here: the shape of these sections and their defaults. Checking them against one another is
study_file/checks/prompts.py.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from pydantic import Field, SerializeAsAny, StrictStr, ValidationInfo, field_validator, model_validator

from python_assets.study.base import Expanded, FactorName, Level, Part, PromptTask, Unfit, Words, stated_fields
from python_assets.study.imports import Import, options_of
from python_assets.study.messages import FixedMessages
from python_assets.study.scrape import Scrape

# rules of quarantine: what the judge of branch.check said of a pair
REFUSED_BY_JUDGE: Final = "refused_by_judge"
UNUSABLE_VERDICT: Final = "unusable_verdict"
OF_JUDGE: Final = (REFUSED_BY_JUDGE, UNUSABLE_VERDICT)

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
OPTIONS: Final = "options"
OPTIONS_SLOT: Final = f"{{{OPTIONS}}}"
OPTION_ORDER: Final = "option_order"  # the factor of prompts that tells in which order options are shown
NO_OPTIONS: Final = "(none)"


KEYWORD: Final = "keyword"
SUBJECT: Final = "subject"
AfterWords = Annotated[int, Field(ge=0)] | Literal["keyword", "subject"]
PromptMethodName = Literal["split_sentences", "questions", "written"]


class Assemble(Part):
    """How sentences become prompts (SAGED 2.2): by questions where an engine is named, else by splitting.

    n_checks: of how many other levels the keywords are put into a question to see whether it still makes
    sense. after_words: a sentence is split at its first verb after so many words (the document's are
    six), or after the keyword; subject takes the clause whose subject it is.
    items, themes, form: of written, or beside split_sentences, where the engine writes that many items, about
    the themes or from the documents, in which a form of branch.forms stands for the level, its name where
    absent. messages: a conversation so far, the same before every prompt, which names no level.
    """

    method: PromptMethodName | None = None
    engine: StrictStr | None = None
    n_checks: int = Field(3, ge=0)
    after_words: AfterWords = 6
    items: int | None = Field(None, ge=1, le=2000)
    themes: Annotated[list[Level], Field(min_length=1)] | None = None
    form: StrictStr | None = None
    messages: FixedMessages | None = None
    max_per_level: int | None = Field(None, ge=1)

    @property
    def chosen_method(self) -> PromptMethodName:
        """The method, which an engine decides where none is named."""
        return self.method or ("questions" if self.engine else "split_sentences")

    @model_validator(mode="after")
    def _engine_of_its_method(self) -> "Assemble":
        if self.method == "questions" and self.engine is None:
            raise Unfit("engine, which writes the questions", "add engine: NAME of a generation")
        if self.method == "split_sentences" and self.engine is not None and self.items is None:
            raise Unfit("items beside the engine of split_sentences, which asks nobody", "add items, or remove engine")
        if "after_words" in stated_fields(self) and self.chosen_method != "split_sentences":
            raise Unfit("no after_words beside another method, for it says where a sentence is split", "remove it")
        if (self.method == "written" or self.items is not None) and (self.engine is None or self.items is None):
            raise Unfit("engine and items, how many it writes", "add engine: NAME of a generation and items: 40")
        if self.items is None and (wrong := sorted(stated_fields(self) & {"themes", "form"})):
            raise Unfit(f"no {wrong[0]} without items, which an engine writes", "add items: 40, or remove it")
        if self.items is not None and self.method not in ("written", "split_sentences"):
            raise Unfit("items of method written, or beside split_sentences", "name the method")
        return self


class FindReplacements(Part):
    """Words of the level branched from, found by embedding, and their counterparts, asked of an engine.

    threshold: the smallest cosine to the level's name; auto searches it with the engine's help (SAGED C.2).
    """

    engine: StrictStr
    threshold: Annotated[float, Field(ge=-1, le=1)] | Literal["auto"] = "auto"


class Branch(Part):
    """Which root prompts get branches, to which levels, with which words replaced (SAGED 2.3).

    pairs: [from, to] in place of from and to; both_directions: each pair the other way round too.
    source_tags: only root prompts of these. replacements: words by target level, for one source level. forms:
    the words of every level by form, for branching from several levels; the first word of a list is the one
    written, all of them are found. find: replacements that are found, beside those given. merge: levels of
    root prompts that become one level once branched (SAGED A.2). portable: whether root prompts that do not
    carry over to other levels are dropped or kept. spacy_model: folder or name of a spaCy pipeline that finds
    names, which are told by their capitals without one. incomplete: whether a root prompt for which a level
    lacks a word has no branch at all, so that all groups meet the same prompts, or those that there are.
    check: an engine that answers four questions of each root prompt and its branch.
    """

    from_: Literal["all"] | list[Level] = Field("all", alias="from")
    to: Literal["all"] | list[Level] = "all"
    pairs: list[Annotated[list[Level], Field(min_length=2, max_length=2)]] | None = Field(None, min_length=1)
    both_directions: bool = False
    source_tags: list[Level] | None = Field(None, min_length=1)
    replacements: dict[Level, dict[StrictStr, StrictStr]] = {}
    forms: dict[Level, dict[StrictStr, StrictStr | Words]] = {}
    find: FindReplacements | None = None
    counterfactual_baseline: bool = True
    merge: dict[Level, Annotated[list[Level], Field(min_length=1)]] = {}
    portable: Literal["drop", "keep"] = "drop"
    incomplete: Literal["drop", "keep"] = "drop"
    spacy_model: Expanded | None = None
    check: StrictStr | None = None

    @model_validator(mode="before")
    @classmethod
    def _one_level_is_a_list(cls, data: Any) -> Any:
        if isinstance(data, dict) and isinstance(data.get("from"), str) and data["from"] != "all":
            return {**data, "from": [data["from"]]}
        return data

    @model_validator(mode="after")
    def _pairs_or_ends(self) -> "Branch":
        if self.pairs is not None and stated_fields(self) & {"from_", "to"}:
            raise Unfit("either pairs, or from and to", "remove one of them")
        if self.both_directions and self.pairs is None:
            raise Unfit("pairs beside both_directions", "add pairs: [[a, b]], or remove it")
        return self

    def ends(self, levels: Sequence[str]) -> list[tuple[str, str]]:
        """Every level to branch from with every level to branch to; levels that become one are no pair."""
        if self.pairs is not None:
            pairs = [(source, target) for source, target in self.pairs]
            pairs += [(target, source) for source, target in pairs if self.both_directions]
        else:
            sources = levels if self.from_ == "all" else self.from_
            targets = levels if self.to == "all" else self.to
            pairs = [(source, target) for source in sources for target in targets]
        return [ends for ends in dict.fromkeys(pairs) if self.merged(ends[0]) != self.merged(ends[1])]

    def merged(self, level: str) -> str:
        """What a level becomes once branched: itself unless it merges into another."""
        return next((name for name, levels in self.merge.items() if level in levels), level)


class TemplateUnits(Part):
    """What the prompts of a template are draws of, such as the names of people of a gender and race.

    file: a table with a row a unit. name: its column with the units, and the factor that they are levels of.
    nested_in: its columns with the levels that a unit keeps, by factor. text: its column with what stands in the
    prompt, where units are wordings: then a unit has a row for each combination of nested_in, and a template has one
    unit alone, which templates take by turns.
    """

    file: Expanded
    name: FactorName = "name"
    nested_in: list[FactorName] = Field(min_length=1)
    text: FactorName | None = None

    @property
    def columns(self) -> list[str]:
        """The columns of the table that are read."""
        return [*self.nested_in, self.name, *([self.text] if self.text else [])]


class Template(Part):
    """A prompt with {slots} for the factors it is crossed with; factors: levels of the template itself.

    cross: factors of this template, in the place of those of all templates. units: what it is put to one by
    one, each with every combination of the crossed factors that units are not nested in. options: what a
    multiple choice offers, by the role that measures call an option by; the slot {options} becomes the list,
    a letter each. Every rotation of them is a prompt. messages: a conversation so far, which text goes on with;
    their contents have slots as it has.
    """

    id: Level
    text: StrictStr
    messages: FixedMessages | None = None
    baseline: StrictStr | None = None
    factors: dict[FactorName, Level] = {}
    cross: list[FactorName] | None = None
    units: TemplateUnits | None = None
    options: Annotated[dict[Level, StrictStr], Field(min_length=2, max_length=len(LETTERS))] | None = None

    @model_validator(mode="before")
    @classmethod
    def _a_list_names_its_options(cls, data: Any) -> Any:
        options = data.get("options") if isinstance(data, dict) else None
        if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
            return data
        if repeated := [option for i, option in enumerate(options) if option in options[:i]]:
            raise Unfit(f"each option once, not {repeated[0]!r} twice", "remove one")
        return {**data, "options": {option: option for option in options}}

    @model_validator(mode="after")
    def _options_have_a_place(self) -> "Template":
        n_slots = self.text.count(OPTIONS_SLOT)
        if self.options is not None and n_slots != 1:
            raise Unfit(f"a text that holds {OPTIONS_SLOT} once", "write it where the options stand")
        if self.options is None and n_slots:
            raise Unfit(f"options: for the slot {OPTIONS_SLOT}", "add them, or take the slot away")
        if any(OPTIONS_SLOT in message.content for message in self.messages or ()):
            raise Unfit(f"messages without the slot {OPTIONS_SLOT}, which the text holds", "take it away")
        return self

    @property
    def asked(self) -> str:
        """All that holds slots and is sent: the messages and the text."""
        return "\n\n".join([*(message.content for message in self.messages or ()), self.text])

    def holds(self, words: str) -> bool:
        """Whether the text or a message has some words, or a slot."""
        return words in self.asked

    @property
    def option_orders(self) -> list[list[str]]:
        """The roles of the options in every rotation; one empty order where there are none."""
        roles = list(self.options or ())
        return [[*roles[start:], *roles[:start]] for start in range(len(roles))] or [[]]

    def order_name(self, order: Sequence[str]) -> str:
        """The level of OPTION_ORDER: the options by their number in the study file, as they are shown."""
        roles = list(self.options or ())
        return "-".join(str(roles.index(role) + 1) for role in order) or NO_OPTIONS


class Templates(Part):
    """Templates crossed with factors: every combination of their levels, or the listed ones.

    cross, combinations: of every template that has no cross of its own.
    """

    texts: list[Template] = Field(min_length=1)
    cross: list[FactorName] = []
    combinations: list[dict[FactorName, Level]] = []
    task: PromptTask = "question"
    max_per_level: int | None = Field(None, ge=1)

    def cross_of(self, text: Template) -> list[str]:
        """The factors whose levels a template is crossed with, but for those that its units bring."""
        brought = [] if text.units is None else text.units.nested_in
        return [name for name in (self.cross if text.cross is None else text.cross) if name not in brought]

    def combinations_of(self, text: Template) -> list[dict[str, str]]:
        """The listed combinations that a template is filled with."""
        return self.combinations if text.cross is None else []

    def factors_of(self, text: Template) -> list[str]:
        """Every factor that prompts of a template have, but for those of its listed combinations."""
        units = [] if text.units is None else [*text.units.nested_in, text.units.name]
        return list(dict.fromkeys([*text.factors, *self.cross_of(text), *units]))

    @property
    def units(self) -> dict[str, TemplateUnits]:
        """The units of the templates that have some, by the factor that they are levels of."""
        return {text.units.name: text.units for text in self.texts if text.units is not None}

    @property
    def option_orders(self) -> list[str]:
        """The levels of OPTION_ORDER, none where no template has options."""
        if all(text.options is None for text in self.texts):
            return []
        return list(dict.fromkeys(text.order_name(order) for text in self.texts for order in text.option_orders))


class Prompts(Part):
    """Exactly one of the three ways to have prompts.

    add_prompt: measure each response with its prompt before it. remove_prompt: take the prompt from the start
    of response and baseline before measuring, so that like is compared with like; absent, it is done for
    split sentences.
    """

    scrape: Scrape | None = None
    assemble: Assemble = Assemble()
    branch: Branch | None = None
    templates: Templates | None = None
    import_: SerializeAsAny[Import] | None = Field(None, alias="import")
    add_prompt: bool = False
    remove_prompt: bool | None = None

    @model_validator(mode="before")
    @classmethod
    def _written_items_need_less(cls, data: Any) -> Any:
        """Their root level needs no keyword but its name; they come from what is named alone, and are branched."""
        assemble, scrape = (data.get(key) for key in ("assemble", "scrape")) if isinstance(data, dict) else (None, None)
        if not isinstance(assemble, dict) or assemble.get("method") != "written" or not isinstance(scrape, dict):
            return data
        levels = scrape.get("levels")
        root = scrape.get("reference") or (levels[0] if isinstance(levels, list) and levels else None)
        keywords = scrape.get("keywords", {})
        if isinstance(keywords, dict) and isinstance(root, str):
            keywords = {root: [root], **keywords}
        return {"branch": {}, **data, "scrape": {"sources": [], **scrape, "keywords": keywords}}

    @field_validator("import_", mode="before")
    @classmethod
    def _options_of_its_format(cls, data: Any, info: ValidationInfo) -> Any:
        return options_of(data).model_validate(data, context=info.context) if isinstance(data, dict) else data

    @property
    def removes_prompt(self) -> bool:
        """Whether the prompt is taken from response and baseline before measuring."""
        if self.remove_prompt is not None:
            return self.remove_prompt
        return self.scrape is not None and self.assemble.chosen_method == "split_sentences" and not self.add_prompt

    @property
    def units(self) -> dict[str, list[str]]:
        """The factors whose levels are units of some prompts, each with those that units are nested in."""
        if self.import_ is not None:
            return self.import_.units
        template_units = self.templates.units if self.templates is not None else {}
        return {name: [] if units.text else units.nested_in for name, units in template_units.items()}

    @property
    def wordings(self) -> dict[str, TemplateUnits]:
        """The units that are wordings of groups, by the factor that they are levels of."""
        template_units = self.templates.units if self.templates is not None else {}
        return {name: units for name, units in template_units.items() if units.text}

    @property
    def written_level(self) -> str:
        """The scraped level that written items are of, as root prompts: the reference, or the first one."""
        return "" if self.scrape is None else self.scrape.reference or self.scrape.levels[0]

    def level(self, scraped: str) -> str:
        """The level that prompts of a scraped level have: the level it merges into, if any."""
        return scraped if self.branch is None else self.branch.merged(scraped)

    @property
    def scraped_levels(self) -> list[str]:
        """The levels that scraped prompts have, in order, merged ones as one; none without scrape."""
        return list(dict.fromkeys(map(self.level, self.scrape.levels))) if self.scrape else []

    @model_validator(mode="after")
    def _one_origin(self) -> "Prompts":
        given = [origin for origin in (self.scrape, self.templates, self.import_) if origin is not None]
        if len(given) != 1:
            raise Unfit("exactly one of scrape, templates and import", "keep one")
        if self.branch and not self.scrape:
            raise Unfit("no branch without scrape", "templates and imports bring their levels, remove branch")
        if self.add_prompt and self.remove_prompt:
            raise Unfit("one of add_prompt and remove_prompt at most", "remove one of them")
        return self
