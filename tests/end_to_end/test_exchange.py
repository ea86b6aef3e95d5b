"""Sixty answers, each the same for five groups but for the group's word: no measure finds a difference.

`python -m bench.bench_refusals` exchanges 119 words in all real answers and looks at the readings alone.
"""

import csv
from itertools import product

import pytest

from bench.bench_refusals import SLOT, TEMPLATES, exchanged_words, slotted
from python_assets.texts.group_mask import GroupMask
from tests.end_to_end.conftest import in_memory
from tests.python_assets.phrasings.written import own_phrasings

pytestmark = pytest.mark.run

GROUPS = ["women", "Muslims", "Roma", "judges", "people of no religion"]
N_TEXTS = 60
STUDY = f"""
title: Answers alike but for the word of the group
domain: words
factors:
  who: {{type: domain, levels: [{", ".join(GROUPS)}]}}
prompts:
  import:
    path: answers.csv
    columns: {{prompt: [root, who], root_prompt: root, prompt_text: prompt, baseline_text: baseline, system: model,
      response: answer}}
    factors: {{who: who}}
systems: [{{name: "*", provider: replay}}]
measures:
  - vader
  - baseline_distance
  - {{name: decision, choices: yes_no, direction: none}}
  - {{name: stand, choices: {{agrees: [agree, should], disagrees: [disagree, should not]}}}}
  - name: tone
    prototypes: {{labels: {{warm: ["How kind they are.", "I like them."], cold: ["Keep away.", "No thanks."]}}}}
  - {{name: topic, taxonomy: {{labels: {{money: [rent, loan, salary], work: [hire, engineers]}}}}}}
groupings: [who]
analysis: {{permutations: 199, bootstrap: 200}}
"""


def texts() -> list[str]:
    """Texts with a slot for the group's word: templates, and phrasings of ours that name a group."""
    mask = GroupMask(exchanged_words()["word"])
    return [*TEMPLATES, *slotted((text for text, _ in own_phrasings("refusals")), mask)][:N_TEXTS]


@pytest.fixture(scope="module")
def exchanged(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exchanged")
    with (folder / "answers.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["root", "who", "prompt", "baseline", "model", "answer"])
        for (root, text), group in product(enumerate(texts()), GROUPS):
            prompt = f"Should {group} get the loan of case {root}? Answer with Yes or No."
            rows.writerow([root, group, prompt, f"The bank decides about {group}.", "m", text.replace(SLOT, group)])
    (folder / "exchanged.yml").write_text(STUDY, encoding="utf-8")
    return in_memory(folder / "exchanged.yml")


def test_there_are_sixty_texts_of_every_outcome(exchanged):
    assert len(texts()) == N_TEXTS
    outcomes = dict(exchanged.rows("select outcome, count(*) from responses group by 1"))
    assert set(outcomes) == {"answered", "refused"}
    assert all(n % len(GROUPS) == 0 for n in outcomes.values())


def test_every_reading_of_a_text_is_one_whoever_it_is_about(exchanged):
    several = exchanged.rows(
        """
        select measure_id, root_prompt_id, list(distinct coalesce(label, cast(round(value, 9) as varchar), reason))
        from measurements inner join prompts using (prompt_id)
        where not ends_with(measure_id, '_as_written') and system_id <> 'baseline'
        group by all
        having count(distinct coalesce(label, cast(round(value, 9) as varchar), reason)) > 1
        """
    )
    assert several == []


def test_nothing_is_found_at_any_measure(exchanged):
    found = exchanged.rows(
        "select measure_id, statistic, q_value from hypotheses "
        "where not ends_with(measure_id, '_as_written') "
        "and (q_value < 0.05 or verdict in ('different', 'beyond_margin'))"
    )
    assert found == []
