"""What bots used in casual games of an older release, which counted milliseconds."""

from sqlalchemy import select, text, update

from ladder import model
from ladder.casual import outputs
from ladder.matches.results import Written
from ladder.model import Bot, CasualOutput
from tests.ladder.bots.authors import author
from tests.ladder.bots.uploads import active_upload, host
from tests.ladder.casual.tables import friends


def test_milliseconds_become_microseconds_and_back(empty_url: str) -> None:
    model.upgrade(empty_url)
    engine = model.engine(empty_url)
    with model.session_factory(engine)() as session:
        ana = author(session)
        host(session)
        bot = active_upload(session, ana).bot_id
        session.execute(update(Bot).values(open_to_people=True))
        for cpu_us in (2_400, None):  # the second one did not start
            game = friends(session, 1, bots=(bot,))
            outputs.keep(session, game, [Written(1, b"", b"", None, cpu_us)])
        session.commit()
    model.downgrade(empty_url, "r0036")
    before = text("SELECT cpu_ms FROM casual_outputs ORDER BY game_id")
    with engine.connect() as connection:
        assert connection.scalars(before).all() == [2, None]
    model.upgrade(empty_url, regardless=True)
    after = select(CasualOutput.cpu_us).order_by(CasualOutput.game_id)
    with engine.connect() as connection:
        assert connection.scalars(after).all() == [2_000, None]
    engine.dispose()
