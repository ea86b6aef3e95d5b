import duckdb
import pandas as pd
import pytest

from python_assets.labelling.sample import draw_answers, draw_pairs
from python_assets.labelling.sheets import SHEET_SUFFIXES
from python_assets.labelling.written_sheets import write_sheet
from python_assets.warehouse.build import Home, open_build, write_stage

GROUPS = ("woman", "man")
SYSTEMS = ("plain", "warm")
PROMPTS = {
    "templates": {
        "cross": ["gender"],
        "texts": [{"id": f"t{at}", "text": f"What of the {{gender}} in place {at}?"} for at in range(6)],
    }
}
FACTORS = {"gender": {"levels": list(GROUPS), "reference": "man"}}
MEASURES = [
    "vader",
    {"name": "verdict", "choices": ["kind", "cruel"], "kind": "binary", "favourable": "kind"},
    {"name": "tone", "choices": ["soft", "hard", "=cold"]},
]
MEASURED = ("vader", "verdict", "tone", "refusal")
# what a spreadsheet or a mark-up would take for its own
ODD = {0: "=1+1 is what she said", 1: "-2 and <b>bold</b> & more", 2: 'a "quote", a comma\nand a line'}


class Studied:
    """A study that was run: its build file, what is published of it, and its sheets beside it."""

    def __init__(self, study, folder):
        self.study, self.folder = study, folder
        self.home = Home(folder / "home")

    def draw(self, measure="vader", n=3, seed=1, **options):
        return draw_answers(self.study, self.home, measure, n, seed=seed, **options)

    def draw_pairs(self, n=4, seed=1, **options):
        return draw_pairs(self.study, self.home, n, seed=seed, **options)

    def write(self, sample, output="csv", name="sheet"):
        path = self.folder / (name + SHEET_SUFFIXES[output])
        write_sheet(sample, path, output)
        return path

    def build(self):
        return open_build(self.home.build(self.study.study_id))


@pytest.fixture
def studied(make_study):
    """A study of 6 root prompts, 2 groups and 2 generations, one answer of which was refused."""
    study = make_study(PROMPTS, factors=FACTORS, measures=MEASURES)
    done = Studied(study, study.folder)
    prompts = [(f"t{at}", group) for at in range(6) for group in GROUPS]
    answers = [(name, root, group) for name in SYSTEMS for root, group in prompts]
    texts = [
        f"{ODD.get(at, 'All is well')}; the {group} of {root} says {name}"
        for at, (name, root, group) in enumerate(answers)
    ]
    ids = [f"{root}_{group}" for root, group in prompts]
    with done.build() as connection:
        write_stage(
            connection,
            study.study_id,
            "assemble",
            {
                "prompts": pd.DataFrame(
                    {
                        "prompt_id": ids,
                        "root_prompt_id": [root for root, _ in prompts],
                        "unit_id": [root for root, _ in prompts],
                        "is_root": [group == "woman" for _, group in prompts],
                        "task": "question",
                        "prompt_text": [f"What of the {group} in place {root[1:]}?" for root, group in prompts],
                        "source_tag": "",
                        "keyword": "",
                        "document_id": "",
                    }
                ),
                "prompt_factors": pd.DataFrame(
                    {"prompt_id": ids, "factor": "gender", "level": [group for _, group in prompts]}
                ),
                "systems": pd.DataFrame(
                    {
                        "system_id": SYSTEMS,
                        "provider": "simulator",
                        "model": "m",
                        "system_prompt": "",
                        "decoding_json": "{}",
                        "extensions_json": "{}",
                        "model_details_json": "{}",
                        "is_simulated": True,
                        "is_engine": False,
                        "is_baseline": False,
                    }
                ),
                "responses": pd.DataFrame(
                    {
                        "system_id": [name for name, _, _ in answers],
                        "prompt_id": [f"{root}_{group}" for _, root, group in answers],
                        "replicate": 0,
                        "response_id": [f"{name}-{root}-{group}" for name, root, group in answers],
                        "response_text": texts,
                        "status": "ok",
                    }
                ),
                "measurements": pd.DataFrame(
                    [
                        {
                            "system_id": name,
                            "prompt_id": f"{root}_{group}",
                            "replicate": 0,
                            "measure_id": measure,
                            "value": 0.0,
                            "scorer_version": "1",
                            "reason": "response_refused" if (name, root, measure) == ("warm", "t5", "vader") else None,
                        }
                        for measure in MEASURED
                        for name, root, group in answers
                    ]
                ),
            },
        )
    publish(done)
    return done


def publish(done):
    """What readers open: the tables that a sample is drawn from."""
    with duckdb.connect(str(done.home.published)) as connection:
        connection.execute(f"attach '{done.home.build(done.study.study_id)}' as build (read_only)")
        for table in ("prompts", "prompt_factors", "keywords", "responses", "systems", "measurements"):
            connection.execute(f"create or replace table {table} as from build.raw.{table}")
