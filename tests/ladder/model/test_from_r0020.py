"""The way back from a ladder that hosts bots, and forth again."""

from datetime import UTC, datetime

from sqlalchemy import MetaData, text

from ladder import model

AT = datetime.now(UTC)
SHA256 = "a" * 64


def test_an_older_release_does_not_see_hosted_bots(empty_url: str) -> None:
    model.upgrade(empty_url)
    engine = model.engine(empty_url)
    with engine.begin() as connection:
        tables = MetaData()
        tables.reflect(connection)
        user = {"id": 1, "name": "ana", "role": "author", "created_at": AT}
        blob = {"sha256": SHA256, "size": 1, "kind": "package", "created_at": AT}
        for name, rows in {
            "users": [user],
            "bots": [{"id": 1, "user_id": 1, "name": "zorro", "created_at": AT}],
            "blobs": [blob],
            "blob_chunks": [{"sha256": SHA256, "number": 0, "data": b"x"}],
            "versions": [
                {
                    **{"id": number, "bot_id": 1, "name": str(number), "created_at": AT},
                    **{"address": f"hosted:{number}", "package": SHA256, "state": state},
                }
                for number, state in enumerate(("active", "building", "submitted"), start=1)
            ],
            "jobs": [
                {"kind": "build", "subject": 2, "queue": "build"},
                {"kind": "check", "subject": 3, "queue": "check"},
            ],
        }.items():
            connection.execute(tables.tables[name].insert(), rows)
    model.downgrade(empty_url, "r0020")
    with engine.connect() as connection:
        states = connection.scalars(text("SELECT state FROM versions ORDER BY id")).all()
        assert list(states) == ["active", "rejected", "rejected"]
        assert connection.scalar(text("SELECT count(*) FROM jobs")) == 0
    engine.dispose()
    model.upgrade(empty_url, regardless=True)
