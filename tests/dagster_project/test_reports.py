import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from dagster_project.reports import Reports, address_of


@pytest.fixture
def client(tmp_path, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path))
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "mine.html").write_text("<p>The report é</p>", encoding="utf-8")
    (tmp_path / "secret.html").write_text("not for readers", encoding="utf-8")
    return TestClient(Reports(PlainTextResponse("Dagster")))


def test_the_link_of_a_report_opens_it_as_a_page_of_no_origin(client):
    page = client.get(address_of("mine"))
    assert (page.status_code, page.text) == (200, "<p>The report é</p>")
    assert page.headers["content-security-policy"].startswith("sandbox allow-scripts")
    assert "allow-same-origin" not in page.headers["content-security-policy"]


@pytest.mark.parametrize(
    "path", ["/", "/reports/other.html", "/reports/..%2Fsecret.html", "/reports/%2e%2e/secret.html", "/reports/mine"]
)
def test_everything_else_is_dagsters(client, path):
    assert client.get(path).text == "Dagster"
