import re

import pytest

from python_assets.errors import WarehouseError
from python_assets.published import reports
from python_assets.published.reports import browser, print_pdf

PAGE = "<!doctype html><title>Report</title><p>Nothing was found.</p><details><summary>More</summary>Much</details>"


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "a report.html"
    path.write_text(PAGE)
    return path


@pytest.mark.skipif(browser() is None, reason="no Chromium")
def test_a_report_is_printed_over_an_earlier_print(page, tmp_path):
    out = tmp_path / "report.pdf"
    out.write_bytes(b"earlier")
    print_pdf(page, out)
    assert len(re.findall(rb"/Type /Page\b", out.read_bytes())) == 1


@pytest.mark.skipif(browser() is None, reason="no Chromium")
def test_a_file_that_cannot_be_written_is_told(page, tmp_path, refused):
    with refused(WarehouseError, "the file"):
        print_pdf(page, tmp_path / "nowhere" / "report.pdf")


def test_without_a_browser_the_reason_is_told(page, tmp_path, monkeypatch, refused):
    monkeypatch.setenv("PATH", str(tmp_path))
    with refused(WarehouseError, "printing"):
        print_pdf(page, tmp_path / "report.pdf")


def test_a_browser_that_prints_nothing_is_told_with_what_it_said(page, tmp_path, monkeypatch):
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\necho no display >&2\n")
    program.chmod(0o755)
    monkeypatch.setattr(reports, "browser", lambda: str(program))
    with pytest.raises(WarehouseError, match="no display"):
        print_pdf(page, tmp_path / "report.pdf")
