"""Sections of study files that the tests of reading them start from, and the table that IMPORT names."""

import pandas as pd

SCRAPE = {
    "prompts": (
        "{scrape: {levels: [Ideraland, Italy], reference: Ideraland, keywords: {Ideraland: [Ideraland]}, "
        "sources: [{tag: article, path: a.md}]}, branch: {from: Ideraland}}"
    ),
    "systems": "[{name: fair, provider: simulator}]",
}
TEMPLATES = {
    "factors": "{gender: {levels: [woman, man], reference: man}}",
    "prompts": '{templates: {cross: [gender], texts: [{id: t1, text: "A {gender} asks."}]}}',
    "systems": "[{name: fair, provider: simulator}]",
}
IMPORT = {
    "prompts": (
        "{import: {path: scores.csv, columns: {prompt: id, system: model, response: answer}, factors: {gender: sex}}}"
    ),
    "systems": '[{name: "*", provider: replay}]',
    "measures": "[{name: score, kind: continuous, column: score}]",
}


def scrape(**changes):
    parts = {
        "levels": "[Ideraland, Italy]",
        "reference": "Ideraland",
        "keywords": "{Ideraland: [Ideraland]}",
        "sources": "[{tag: article, path: a.md}]",
    }
    branch = changes.pop("branch", "{from: Ideraland}")
    parts |= changes
    content = ", ".join(f"{key}: {value}" for key, value in parts.items())
    return {**SCRAPE, "prompts": f"{{scrape: {{{content}}}, branch: {branch}}}"}


def templates(texts='[{id: t1, text: "A {gender} asks."}]', **changes):
    content = ", ".join(f"{key}: {value}" for key, value in ({"cross": "[gender]"} | changes).items())
    return {**TEMPLATES, "prompts": f"{{templates: {{{content}, texts: {texts}}}}}"}


def systems(text):
    return {**SCRAPE, "systems": text}


def measures(text):
    return {**SCRAPE, "measures": text}


def imported(**changes):
    columns = changes.pop("columns", "{prompt: id, system: model, response: answer}")
    return {
        **IMPORT,
        "prompts": f"{{import: {{path: scores.csv, columns: {columns}, factors: {{gender: sex}}}}}}",
        **changes,
    }


def write_scores(folder, name):
    frame = pd.DataFrame({"id": ["1"], "model": ["m"], "answer": ["a"], "sex": ["f"], "score": ["0.5"]})
    path = folder / name
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    elif path.suffix == ".xlsx":
        frame.to_excel(path, index=False)
    elif path.suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False)
