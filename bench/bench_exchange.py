"""Real answers, each the same for five groups but for the group's word, through a whole study: what differs.

    PLUMBLINE_DATA=FOLDER python -m bench.bench_exchange

Every measure that reads texts by itself is in the study. It prints how many readings differ between the groups of a
text and how many hypotheses are significant, and fails where there is any. bench_refusals exchanges 119 words and
looks at the readings of refusals alone.
"""

import csv
import os
import sys
import tempfile
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Final

from bench.bench_refusals import SLOT, TEMPLATES, exchanged_words, slotted
from bench.train_refusals import REAL, labelled
from python_assets.importers.formats import read_import
from python_assets.library.in_memory import run_in_memory
from python_assets.study_file.load import load_study
from python_assets.texts.group_mask import GroupMask
from python_assets.warehouse.progress import SILENT

GROUPS: Final = ("women", "Muslims", "Roma", "judges", "people of no religion")
_STUDY: Final = f"""
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
READ_OTHERWISE: Final = """
    select measure_id, root_prompt_id, list(distinct coalesce(label, cast(round(value, 9) as varchar), reason))
    from measurements inner join prompts using (prompt_id)
    where not ends_with(measure_id, '_as_written') and system_id <> 'baseline'
    group by all
    having count(distinct coalesce(label, cast(round(value, 9) as varchar), reason)) > 1
"""
SIGNIFICANT: Final = """
    select measure_id, statistic, q_value
    from hypotheses
    where not ends_with(measure_id, '_as_written') and (q_value < 0.05 or verdict in ('different', 'beyond_margin'))
"""


def write_exchange(folder: Path, texts: Sequence[str]) -> Path:
    """Write a study of texts for every group; gives its file.

    Args:
        folder: where it is written, with its answers.
        texts: with a slot for the group's word.
    """
    with (folder / "answers.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["root", "who", "prompt", "baseline", "model", "answer"])
        for (root, text), group in product(enumerate(texts), GROUPS):
            prompt = f"Should {group} get the loan of case {root}? Answer with Yes or No."
            rows.writerow([root, group, prompt, f"The bank decides about {group}.", "m", text.replace(SLOT, group)])
    path = folder / "exchanged.yml"
    path.write_text(_STUDY, encoding="utf-8")
    return path


def main() -> None:
    """Run the study of every real answer that names a group."""
    texts = labelled(Path(os.environ["PLUMBLINE_DATA"]))
    real = texts[texts.material.isin(REAL)].text.unique().tolist()
    templates = [*TEMPLATES, *slotted(real, GroupMask(exchanged_words()["word"]))]
    with tempfile.TemporaryDirectory() as folder:
        study = load_study(write_exchange(Path(folder), templates))
        results = run_in_memory(study, read_import(study), SILENT)
        otherwise, significant = (results.sql(query) for query in (READ_OTHERWISE, SIGNIFICANT))
        [(n_hypotheses,)] = results.sql("select count(*) from hypotheses where p_value is not null").to_numpy()
    print(f"{len(templates):,} texts x {len(GROUPS)} groups: {len(otherwise)} readings differ between groups")
    print(f"{n_hypotheses} hypotheses with a p, {len(significant)} significant")
    if len(otherwise) or len(significant):
        print(otherwise.to_string(), significant.to_string(), sep="\n")
        sys.exit(1)


if __name__ == "__main__":
    main()
