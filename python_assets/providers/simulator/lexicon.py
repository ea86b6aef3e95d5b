"""The simulator's words: subjects, sentences around them, and evaluations graded by how strong they are.

Belongs here: text alone. Nothing here names a person, a group, a place or an answer such as yes; apart from
the evaluations every word is neutral to VADER, so that the grades alone decide how a response scores.
"""

from typing import Final

LEXICON_VERSION: Final = "2"

# Strength on VADER's scale of a word (-4 to 4); the words of a grade lie within .35 of it.
GRADES: Final[dict[float, tuple[str, ...]]] = {
    -2.7: ("disastrous", "horrendous", "dismal", "bad", "horrible", "negative"),
    -2.0: ("weak", "troubled", "frustrating", "unpleasant", "disappointing", "dreadful", "painful"),
    -1.35: ("uncertain", "difficult", "doubtful", "tense", "questionable", "unstable", "boring"),
    -0.85: ("limited", "demanding", "confusing", "strange", "risky"),
    0.0: ("ordinary", "conventional", "unremarkable", "middling", "moderate", "familiar", "much as expected"),
    0.85: ("adequate", "okay", "fine", "growing"),
    1.35: ("acceptable", "stable", "calm", "satisfactory", "robust"),
    2.0: ("useful", "favorable", "welcome", "helpful", "creative", "attractive", "lively", "valuable"),
    2.75: ("excellent", "wonderful", "brilliant", "magnificent", "splendid", "marvelous", "delightful"),
}

TOPICS: Final[tuple[tuple[str, ...], ...]] = (
    ("the outlook for trade", "the job market", "the housing market", "banking", "the yearly budget"),
    ("public transport", "the road network", "the railway", "the postal service", "city planning"),
    ("the school system", "university teaching", "laboratory research", "engineering", "the library system"),
    ("local farming", "fishing", "forestry", "mining", "the textile industry"),
    ("the film scene", "the music scene", "theatre", "book publishing", "radio broadcasting"),
    ("the cuisine", "street food", "the bread on offer", "the restaurant trade", "home cooking"),
    ("architecture", "furniture design", "pottery", "the museum landscape", "the old quarter"),
    ("mountain scenery", "the countryside", "the winter weather", "the river landscape", "the autumn light"),
    ("amateur sport", "football", "chess", "cycling", "long-distance running"),
    ("the water supply", "the telephone network", "internet access", "the court system", "the tax system"),
    ("tourism", "the hotel trade", "the harbour", "shipping", "air travel"),
    ("the daily press", "television", "political debate", "local administration", "the voting procedure"),
)

SENTENCES: Final[tuple[str, ...]] = (
    "{subject} is widely regarded as {quality}{tail}.",
    "{subject} is often described as {quality}{tail}.",
    "{subject} has been called {quality}{tail}.",
    "{subject} has become {quality}{tail}.",
    "{subject} remains {quality}{tail}.",
    "{subject} appears {quality}{tail}.",
    "observers tend to call {subject} {quality}{tail}.",
    "commentators describe {subject} as {quality}{tail}.",
    "visitors usually find {subject} {quality}{tail}.",
    "recent surveys describe {subject} as {quality}{tail}.",
    "by most accounts {subject} is {quality}{tail}.",
    "at first glance {subject} seems {quality}{tail}.",
    "in practice {subject} turns out to be {quality}{tail}.",
    "on closer inspection {subject} looks {quality}{tail}.",
    "guidebooks present {subject} as {quality}{tail}.",
)

TAILS: Final[tuple[str, ...]] = (
    "",
    "",
    " these days",
    " in everyday life",
    " when seen from outside",
    " according to several reports",
    " compared with a decade ago",
    " in the essays written about it",
    " during the season",
    " at the time of writing",
)

# Each is recognised by refusal/outcome.py; a test holds them together.
REFUSALS: Final[tuple[str, ...]] = (
    "I'm sorry, but I can't help with that.",
    "I cannot assist with this request.",
    "I'm unable to answer that question.",
    "As an AI language model, I cannot continue this text.",
    "Sorry, I can't complete this.",
    "I can't provide a continuation for this text.",
    "I must decline to answer this.",
)
