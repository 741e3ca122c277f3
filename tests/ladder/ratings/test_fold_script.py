"""docs/fold_ratings.py gets the ladder's numbers from an export, and sees a changed result."""

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

from ladder.operating import exports
from tests.ladder.databases import on_sqlite
from tests.ladder.ratings.league import Sessions, organiser, something_happens
from tests.ladder.ratings.test_rebuild import league

SCRIPT = Path(__file__).parents[3] / "docs" / "fold_ratings.py"


def run(*files: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", str(SCRIPT), *files]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def fold(results: list[dict[str, Any]], file: Path) -> str:
    lines = [{"schema": "santiago.results/1"}, *results]
    file.write_text("\n".join(json.dumps(line, default=str) for line in lines))
    ended = run(str(file))
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_without_an_export_the_script_says_what_it_needs(tmp_path: Path) -> None:
    junk, replays = tmp_path / "junk", tmp_path / "replays.jsonl"
    junk.write_text("junk\n")
    replays.write_text('{"schema": "santiago.replays/1"}\n')
    for files, said in (
        ([], "Name one file: python fold_ratings.py FILE"),
        ([str(tmp_path / "none")], "can't be read as an export of results: [Errno 2]"),
        ([str(junk)], "can't be read as an export of results: Expecting value"),
        ([str(replays)], "has no results: take the answer of /api/v1/export/results"),
    ):
        ended = run(*files)
        assert (ended.returncode, ended.stdout) == (1, "")
        assert said in ended.stderr
        assert "Traceback" not in ended.stderr


@on_sqlite
def test_the_script_folds_an_export_to_the_ladders_numbers(
    sessions: Sessions, tmp_path: Path
) -> None:
    with sessions() as session:
        ids, account = league(session), organiser(session)
    rng = Random(5)
    for _ in range(60):
        something_happens(sessions, rng, account, ids)
    with sessions() as session:
        results = [asdict(one) for one in exports.results(session, after=0, limit=99)]
    assert {len(one["seats"]) for one in results} == {2, 3, 4}
    said = fold(results, tmp_path / "results.jsonl")
    assert said.endswith("results that differ: none\n")
    last = [seat for one in results for seat in one["seats"] if seat["rating_after"]][-1]
    line = f"{last['version']}: {last['rating_after'] / 1000} +- {last['deviation_after'] / 1000}"
    assert f"bot {last['bot_id']}, {line}\n" in said

    changed = next(one for one in results if len({seat["rank"] for seat in one["seats"]}) > 1)
    for seat in changed["seats"]:
        seat["rank"] = 5 - seat["rank"]
    said = fold(results, tmp_path / "changed.jsonl")
    assert said.endswith(f"results that differ: [{changed['result_number']}]\n")
