"""docs/operate.md: what it says to Prometheus is valid, and its rules fire when they should."""

import re
import shutil
import subprocess
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlalchemy.orm import sessionmaker

from ladder import model, scheduler
from ladder.operating.metrics import Gauges
from referee import metrics
from tests.conftest import missing
from tests.docs.pages import TIMEOUT, blocks
from tests.ladder.databases import new_ladder
from web import traffic

WELL = {
    "santiago_workers": "2",
    "santiago_oldest_waiting_seconds": "900",  # of a long tournament
    'santiago_matches_total{reason="ships"}': "0+3x60",
    "santiago_failed": "3",
    "santiago_reaped_total": "5",
    "santiago_worst_lag_seconds": "0.01",
    'santiago_site_requests_total{endpoint="a",status="200"}': "0+100x60",
    'santiago_site_requests_total{endpoint="a",status="500"}': "0",
    'santiago_site_seconds_bucket{endpoint="a",le="1.0"}': "0+100x60",
    'santiago_site_seconds_bucket{endpoint="a",le="3.0"}': "0+100x60",
    'santiago_site_seconds_bucket{endpoint="a",le="+Inf"}': "0+100x60",
}
"""Values of an hour, one a minute, in promtool's notation; a single one stays."""
ILL = {
    "NoScheduler": {"santiago_workers": "_"},
    "NoWorker": {"santiago_workers": "0"},
    "MatchesWait": {'santiago_matches_total{reason="ships"}': "3x60"},
    "MatchGivenUp": {"santiago_failed": "3x40 4x20"},
    "WorkersDie": {"santiago_reaped_total": "0+1x60"},
    "WorkersLag": {"santiago_worst_lag_seconds": "0.8"},
    "HostMissing": {"santiago_hosts_missing": "1"},
    "SiteFails": {'santiago_site_requests_total{endpoint="a",status="500"}': "0+2x60"},
    "SiteSlow": {'santiago_site_seconds_bucket{endpoint="a",le="1.0"}': "0+90x60"},
}
"""What is different when each alert has to fire."""


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page's files in a folder."""
    if not shutil.which("promtool"):
        missing("promtool")
    folder = tmp_path_factory.mktemp("prometheus")
    config, rules = (block.text for block in blocks("operate.md") if block.language == "yaml")
    (folder / "prometheus.yml").write_text(config)
    (folder / "santiago.rules.yml").write_text(rules)
    return folder


def promtool(folder: Path, *words: str) -> None:
    done = subprocess.run(
        ["promtool", *words], cwd=folder, capture_output=True, text=True, timeout=TIMEOUT
    )
    assert done.returncode == 0, done.stdout + done.stderr


def alerts(rules: Path) -> list[str]:
    (group,) = yaml.safe_load((rules / "santiago.rules.yml").read_text())["groups"]
    return [rule["alert"] for rule in group["rules"]]


def test_prometheus_accepts_them(rules: Path) -> None:
    promtool(rules, "check", "config", "prometheus.yml")


def test_each_rule_fires_alone_when_it_should(rules: Path) -> None:
    assert alerts(rules) == list(ILL)
    tests = [case(rules, WELL, None), *(case(rules, WELL | ILL[one], one) for one in ILL)]
    written = {"rule_files": ["santiago.rules.yml"], "evaluation_interval": "1m", "tests": tests}
    (rules / "tests.yml").write_text(yaml.safe_dump(written))
    promtool(rules, "test", "rules", "tests.yml")


def case(rules: Path, values: dict[str, str], fires: str | None) -> dict[str, Any]:
    """A test of promtool: after 55 minutes of these values this alert fires, and no other."""
    series = [
        {"series": name, "values": value if "x" in value or value == "_" else f"{value}x60"}
        for name, value in values.items()
    ]
    return {
        "interval": "1m",
        "input_series": series,
        "alert_rule_test": [
            {"eval_time": "55m", "alertname": one, "exp_alerts": [{}] if one == fires else []}
            for one in alerts(rules)
        ],
    }


def test_they_ask_for_numbers_that_exist(rules: Path, tmp_path: Path) -> None:
    url = new_ladder(tmp_path / "ladder.db")
    engine = model.engine(url)
    known = {family.name for family in Gauges(sessionmaker(engine)).collect()}
    engine.dispose()
    of_parts = (
        scheduler._REGISTRY.collect(),
        traffic._REGISTRY.collect(),
        metrics.MATCHES.collect(),
    )
    for family in chain(*of_parts):
        known |= {family.name + end for end in ("_total", "_bucket")}
    asked = set(re.findall(r"santiago_\w+", (rules / "santiago.rules.yml").read_text()))
    assert asked <= known
