"""The page that lists all calls of the API."""

from flask.testing import FlaskClient


def test_the_footer_leads_to_a_page_with_all_calls(client: FlaskClient) -> None:
    assert 'href="/docs/api/calls"' in client.get("/").text
    page = client.get("/docs/api/calls").text
    assert 'href="/docs/api"' in page
    assert 'href="/api/v1/openapi.json"' in page
    described = client.get("/api/v1/openapi.json").json
    assert described is not None
    for path, calls in described["paths"].items():
        for method in calls:
            assert f"<code>{method.upper()} {path}</code>" in page.replace("&lt;", "<")
