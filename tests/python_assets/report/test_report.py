import json
import re
from base64 import b64encode
from datetime import datetime
from hashlib import sha256
from pathlib import Path

import pytest

from python_assets.errors import WarehouseError
from python_assets.report.templates import TEMPLATE_FOLDER
from python_assets.report.text import SIMULATED
from python_assets.report.write_report import write_report
from tests.account import told_apart
from tests.python_assets.report.conftest import Page, small_study

ATTACK = "<script>alert('x')</script> \"quoted\" & {{ 7 * 7 }} 😀 שלום"
OF_EVERY_STUDY = [
    "findings", "groups", "hypotheses", "scorers", "asked", "variance", "red-flags", "coverage", "quality",
    "provenance", "guide", "measurements", "statistics", "disparity",
]  # fmt: skip


def test_the_page_has_the_sections_that_have_rows(report):
    with_disparities = [*OF_EVERY_STUDY[:5], "disparities", *OF_EVERY_STUDY[5:]]
    assert [name for name in report().sections if name] == with_disparities
    empty = MARTS.keys() - {"studies"}
    page = report(**{mart: [] for mart in empty})
    assert [name for name in page.sections if name] == OF_EVERY_STUDY


def test_counts_say_what_the_page_shows(publish_small, tmp_path):
    out = tmp_path / "deep" / "folder" / "small.html"
    counts = write_report(publish_small(), "small", out)
    assert (counts.n_facts, counts.n_figures) == (1, 1)
    assert counts.n_bytes == out.stat().st_size
    assert [path.name for path in out.parent.iterdir()] == ["small.html"]


def test_nothing_is_loaded_from_elsewhere_and_no_script_but_the_page_s_own_can_run(publish_small, tmp_path):
    out = tmp_path / "r.html"
    write_report(publish_small(), "small", out)
    written = out.read_text()
    page = Page(written)
    loading = [
        value
        for tag, attributes in page.tags
        for name, value in attributes.items()
        if name in ("src", "href", "srcset", "poster", "data", "action") and tag != "a"
    ]
    assert loading == []
    links = [attributes["href"] for tag, attributes in page.tags if tag == "a"]
    workbook, *elsewhere = [link for link in links if not link.startswith("#")]
    assert workbook.startswith("data:application/vnd.openxmlformats-officedocument.spreadsheetml.sheet;base64,")
    assert elsewhere == ["https://example.org/ideraland"]
    assert not {"iframe", "object", "embed", "link"} & {tag for tag, _ in page.tags}
    kinds = [attributes.get("type") for tag, attributes in page.tags if tag == "script"]
    assert kinds == ["application/gzip"] * 4 + [None]
    script = written.split("<script>")[1].split("</script>")[0]
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = {a["content"] for tag, a in page.tags if a.get("http-equiv") == "Content-Security-Policy"}
    assert policy == {f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'"}


def test_style_names_no_address_and_hides_nothing_until_it_is_scrolled_to(publish_small, tmp_path):
    write_report(publish_small(), "small", tmp_path / "r.html")
    style = (tmp_path / "r.html").read_text().split("<style>")[1].split("</style>")[0]
    assert "url(" not in style
    assert "@import" not in style
    assert "content-visibility" not in style, "a picture of the whole page would show gaps for figures"


def test_the_head_and_every_figure_say_so_when_responses_are_simulated(report):
    page = report(is_simulated=True)
    assert page.text.count(SIMULATED) == 1
    assert SIMULATED in page.sections[""]
    for name in ("groups", "measurements", "statistics", "disparity"):
        assert page.sections[name].count("simulated") == 1
    for name in ("findings", "hypotheses", "disparities", "coverage", "quality", "guide"):
        assert "simulated" not in page.sections[name].lower()


def test_no_figure_is_marked_where_nothing_is_simulated(report):
    page = report(is_simulated=False)
    assert "imulated" not in page.text


def test_a_printed_page_says_so_when_responses_are_simulated(publish_small, tmp_path):
    for is_simulated, name in ((True, "simulated"), (False, "real")):
        path = publish_small(name, is_simulated=is_simulated)
        write_report(path, name, tmp_path / f"{name}.html")
    header = f'@top-left {{ content: "{SIMULATED}"'
    assert header in (tmp_path / "simulated.html").read_text()
    assert SIMULATED not in (tmp_path / "real.html").read_text()


def test_some_simulated_systems_are_named_beside_those_that_are_not(report, snapshot):
    common = {"provider": "p", "model": "m", "system_prompt": "", "decoding_json": "{}", "is_baseline": False}
    page = report(
        systems=[
            common | {"system_id": "biased", "is_simulated": True},
            common | {"system_id": "llama", "is_simulated": False},
        ]
    )
    assert page.blocks[""][1] == snapshot


def test_what_became_of_responses_is_said_by_flags_and_status(report, snapshot):
    key = {"system_id": "biased", "replicate": 0, "response_text": "I cannot"}
    flags = {"is_refused": True, "is_empty": False, "is_truncated": True}
    responses = [
        key | {"prompt_id": "r1_Ideraland", "status": "ok"} | flags,
        key | {"prompt_id": "r1_Chad", "status": "ok"} | dict.fromkeys(flags, False),
        key | {"prompt_id": "r1_Brazil", "status": "not_recorded"},
    ]
    page = report(responses=responses)
    assert page.blocks["quality"][7] == snapshot
    assert "biased (refused and truncated)" in page.text


def test_what_models_and_files_say_is_shown_as_text(report):
    responses = [
        {"system_id": "biased", "prompt_id": "r1_Ideraland", "replicate": 0, "status": "ok"} | {"response_text": ATTACK}
    ]
    documents = [
        {"document_id": ATTACK, "source_tag": ATTACK, "uri": f"javascript:{ATTACK}", "licence": ATTACK}
        | {"sha256": ATTACK}
    ]
    quarantined = [{"stage": ATTACK, "record_key": "k", "rule": ATTACK, "detail": ATTACK}]
    page = report(responses=responses, documents=documents, quarantined_records=quarantined)
    assert page.text.count(ATTACK) >= 6
    assert [tag for tag, _ in page.tags].count("script") == 5
    assert not [a for tag, a in page.tags if tag == "a" and "javascript" in (a["href"] or "")]


def test_messages_before_a_prompt_are_shown_as_text(report):
    said = [{"role": "user", "content": f"Hi {ATTACK}"}, {"role": "assistant", "content": "Hello."}]
    prompt = {"prompt_id": "r1_Ideraland", "root_prompt_id": "r1", "is_root": True, "prompt_text": "Who?"}
    page = report(prompts=[prompt | {"messages_json": json.dumps(said)}])
    assert f"user: Hi {ATTACK}\n\nassistant: Hello." in page.text
    assert [tag for tag, _ in page.tags].count("script") == 5


def test_ids_and_sentences_are_shown_as_text(report):
    finding = {"finding_rank": 1, "family_id": "primary", "is_repeated": False, "slice_id": ATTACK}
    finding |= {"system_id": ATTACK, "measure_id": ATTACK, "calibration": "raw", "grouping_id": ATTACK}
    finding |= {"is_tool_bias": False, "verdict": "beyond_margin", "sentence": ATTACK, "scope": ATTACK}
    group = {name: finding[name] for name in ("slice_id", "system_id", "measure_id", "calibration")}
    group |= {"grouping_id": ATTACK, "statistic": "mean", "parameters": "", "group_id": ATTACK, "category": ""}
    group |= {"reference": "rest", "position": 1, "direction": "disadvantaged", "sentence": ATTACK}
    page = report(findings=[finding | {"statistic": "mean", "parameters": "", "scope": ATTACK}], finding_groups=[group])
    assert page.sections["findings"].count(ATTACK) >= 5
    assert page.sections["hypotheses"].count(ATTACK) >= 5


def test_a_number_that_is_missing_shows_its_reason(report):
    shown = report().sections["disparities"]
    assert "mixed signs" in shown
    assert "not tested" in shown


def test_noise_floors_point_to_the_side_that_chance_stays_on(report):
    row = {"slice_id": "all", "system_id": "biased", "measure_id": "sentiment", "calibration": "raw"}
    row |= {"grouping_id": "concept", "statistic": "selection_rate", "parameters": "standard=mean", "n_groups": 3}
    shown = report(
        disparities=[
            row | {"metric": "impact_ratio", "value": 0.5, "null_q95": 0.62},
            row | {"metric": "range", "value": 0.5, "null_q95": 0.31},
        ]
    ).sections["disparities"]
    assert "≥ 0.620" in shown
    assert "≤ 0.310" in shown


def test_tool_bias_stands_apart(report):
    finding = {"finding_rank": 1, "family_id": "primary", "is_repeated": False, "slice_id": "all"}
    finding |= {"system_id": "baseline", "measure_id": "sentiment", "calibration": "raw"}
    finding |= {"grouping_id": "concept", "is_tool_bias": True, "verdict": "different"}
    page = report(findings=[finding | {"sentence": "The names carry score."}])
    assert "The names carry score." in page.sections["tool-bias"]
    assert "The names carry score." not in page.sections["findings"]
    assert "The names carry score." not in page.sections["hypotheses"]


def test_the_same_database_gives_the_same_page(publish_small, tmp_path):
    published = publish_small()
    for name in ("a.html", "b.html"):
        write_report(published, "small", tmp_path / name)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_other_studies_leave_no_trace(publish_small, tmp_path):
    write_report(publish_small(), "small", tmp_path / "alone.html")
    finding = {"finding_rank": 1, "is_tool_bias": False, "is_repeated": False, "verdict": "beyond_margin"}
    elsewhere = [finding | {"sentence": "elsewhere"}]
    write_report(publish_small("other", findings=elsewhere), "small", tmp_path / "beside.html")
    assert (tmp_path / "alone.html").read_bytes() == (tmp_path / "beside.html").read_bytes()


def test_a_study_that_is_not_published_is_told_to_run(publish_small, tmp_path, refused):
    with refused(WarehouseError, "studies"):
        write_report(publish_small(), "other", tmp_path / "r.html")


def test_a_folder_that_cannot_be_written_names_the_remedy(publish_small, tmp_path, refused):
    (tmp_path / "file").write_text("")
    with refused(WarehouseError, "the file"):
        write_report(publish_small(), "small", tmp_path / "file" / "r.html")


MARTS = {path.stem: [] for path in (Path(__file__).parents[3] / "dbt_models/models/marts").glob("*.sql")}
STUDY = {
    "title": "t",
    "domain": "d",
    "config_json": '{"analysis": {"alpha": 0.1}}',
    "significance_level": 0.1,
    "config_sha256": "c",
    "plumbline_version": "v",
    "run_id": "r",
}


def test_interval_level_and_error_rate_are_those_of_the_study(report):
    page = report(studies=[STUDY])
    assert "90 % interval" in page.sections["groups"]
    assert "q at most 0.1" in page.sections["guide"]


def test_the_guide_explains_every_number_that_the_study_has_and_no_other(report, snapshot):
    page = report()
    assert [page.blocks["guide"][place] for place in (23, 25)] == snapshot
    assert "cramers v" not in page.sections["guide"]


def test_the_page_says_what_the_design_could_show(report):
    asked = report().sections["asked"]
    assert "0.61" in asked
    assert "1.73" in asked
    assert "no effect declared" in asked


def test_findings_are_exploratory_where_nothing_was_preregistered(report):
    assert "exploratory" in report().sections["findings"]


def preregistration(page):
    """What page one says of it."""
    blocks = page.blocks["findings"]
    return next(text for text in blocks if "reregistered" in text).partition(" All hypotheses")[0]


@pytest.fixture
def findings_declared(report):
    """The page of a frozen analysis, with a finding declared before or after, each."""

    def section(*declared):
        tables = small_study(is_simulated=True)
        preregistered = {"preregistered_at": datetime(2025, 1, 1), "analysis_sha256": "deadbeef" * 8}
        findings = [
            tables["findings"][0] | {"finding_rank": rank, "is_preregistered": is_before}
            for rank, is_before in enumerate(declared, start=1)
        ]
        return report(studies=[tables["studies"][0] | preregistered], findings=told_apart(findings))

    return section


def test_findings_of_an_analysis_that_was_preregistered_first_say_so(findings_declared, snapshot):
    page = findings_declared(True, True)
    assert (
        next(text for text in page.blocks["findings"] if "reregistered" in text).partition("All hypoth")[0] == snapshot
    )
    assert "xploratory" not in page.sections["findings"]


def test_findings_of_which_some_were_declared_before_say_which(findings_declared, snapshot):
    page = findings_declared(True, False)
    assert (
        next(text for text in page.blocks["findings"] if "reregistered" in text).partition("All hypoth")[0] == snapshot
    )


def test_findings_of_an_analysis_that_was_preregistered_too_late_are_exploratory(findings_declared):
    findings = findings_declared(False).sections["findings"]
    assert "exploratory" in findings
    assert "2025-01-01" not in findings


def test_the_first_section_says_that_a_service_answered_in_several_versions(report):
    system = {"system_id": "biased", "provider": "openai", "model": "m", "system_prompt": "", "decoding_json": "{}"}
    system |= {"is_simulated": False, "is_baseline": False, "served_models": "m-1, m-2", "n_served_models": 2}
    told = "biased: served by 2 versions: m-1, m-2; 2 system fingerprints: fp_1, fp_2"
    prints = {"system_fingerprints": "fp_1, fp_2", "n_system_fingerprints": 2}
    page = report(systems=[system | prints])
    first = next(iter(name for name in page.sections if name))
    assert told in page.sections[first]
    assert "Versions" not in report(systems=[system | {"n_served_models": 1}]).sections[first]


def test_nothing_is_printed_below_eight_points():
    css = (TEMPLATE_FOLDER / "page.css").read_text(encoding="utf-8")
    printed = css.partition("@media print")[2]
    sizes = [float(size) for size in re.findall(r"font-size: ([\d.]+)pt", printed)]
    assert len(sizes) > 3
    assert min(sizes) >= 8
