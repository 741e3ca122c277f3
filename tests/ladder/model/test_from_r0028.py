"""Notices of an older release, which did not say how they sound."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import MetaData, insert, select
from sqlalchemy.exc import IntegrityError

from ladder import model
from ladder.model import Notice, NoticeTone

AT = datetime.now(UTC)


def test_their_tone_is_guessed_from_their_words(empty_url: str) -> None:
    model.upgrade(empty_url)
    model.downgrade(empty_url, "r0028")
    engine = model.engine(empty_url)
    told = (
        ("zorro 2 is now active.", "%(bot)s %(version)s is now active."),
        ("An admin resumed zorro: sorry", "An admin resumed %(bot)s: %(reason)s"),
        ("zorro was paused.", None),
        ("Your role is now admin; it was author.", "Your role is now %(role)s; it was %(before)s."),
        ("has lost was paused is now active", "A sentence without any of these words."),
    )
    with engine.begin() as connection:
        tables = MetaData()
        tables.reflect(connection)
        user = {"id": 1, "name": "ana", "role": "author", "created_at": AT}
        connection.execute(tables.tables["users"].insert(), user)
        for sentence, template in told:
            row = {"user_id": 1, "sentence": sentence, "template": template, "created_at": AT}
            connection.execute(tables.tables["notices"].insert(), row)
    model.upgrade(empty_url, regardless=True)
    with model.session_factory(engine)() as session:
        tones = session.scalars(select(Notice.tone).order_by(Notice.id)).all()
        good, bad, neutral = NoticeTone
        assert tones == [good, good, bad, neutral, neutral]
        model.write(session)
        session.execute(insert(Notice).values(user_id=1, sentence="", created_at=AT))
        assert session.scalars(select(Notice.tone).order_by(Notice.id.desc())).first() is neutral
        with pytest.raises(IntegrityError):
            session.connection().exec_driver_sql("UPDATE notices SET tone = 'loud'")
    engine.dispose()
