"""A check is of a study: one that fails is red for its study alone, as the UI asks for it over GraphQL."""

import pandas as pd

STUDY = """
prompts:
  import: {path: NAME.csv, columns: {prompt: [item, who], root_prompt: item, replicate: auto}, factors: {who: who}}
factors: {who: {levels: [a, b]}}
systems: [{name: one, provider: replay}]
measures: [{name: score, kind: continuous, column: score}]
groupings: [who]
"""
STATUSES = """{assetNodeOrError(assetKey: {path: ["raw", "responses"]}) {... on AssetNode {assetChecksOrError {
    ... on AssetChecks {checks {name partitionStatuses {
        ... on AssetCheckDefaultPartitionStatuses {succeededPartitions failedPartitions}
    }}}
}}}}"""


def test_of_three_studies_the_one_that_fails_is_red(ui, tmp_path, plumbline):
    _, client, home = ui
    scores = pd.DataFrame([(f"i{i}", who, i % 3) for i in range(6) for who in "ab"], columns=["item", "who", "score"])
    rejected = scores.assign(item=scores["item"].where(scores.index > 5, " "))
    for name, table in (("first", scores), ("second", rejected), ("third", scores)):
        table.to_csv(tmp_path / f"{name}.csv", index=False)
        (tmp_path / f"{name}.yml").write_text(STUDY.replace("NAME", name), encoding="utf-8")
        done = plumbline(home, "run", name, PLUMBLINE_STUDIES=str(tmp_path))
        assert done.returncode == (name == "second"), done.stderr
    answered = client.post("/graphql", json={"query": STATUSES}).raise_for_status().json()
    (check,) = answered["data"]["assetNodeOrError"]["assetChecksOrError"]["checks"]
    assert check["name"] == "great_expectations"
    assert sorted(check["partitionStatuses"]["succeededPartitions"]) == ["first", "third"]
    assert check["partitionStatuses"]["failedPartitions"] == ["second"]
