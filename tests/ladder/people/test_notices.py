from sqlalchemy.orm import Session

from ladder.errors import Phrase
from ladder.model import Notice, NoticeTone, now
from ladder.people import notices
from ladder.people.accounts import audit_records, record_action
from ladder.people.notices import notify
from tests.ladder.league import register_bots
from tests.ladder.people.people import sign_up


def test_notices_are_new_until_they_are_marked_as_read(session: Session) -> None:
    ana, luz = sign_up(session), sign_up(session, "luz")
    (bot_id,) = register_bots(session, 1)
    notify(session, ana.id, NoticeTone.NEUTRAL, "One.")
    notify(session, ana.id, NoticeTone.NEUTRAL, "Two.", bot_id=bot_id)
    notify(session, luz.id, NoticeTone.NEUTRAL, "Hers.")
    two, one = notices.list_notices(session, ana)
    assert (one.sentence, one.bot_id, one.bot, one.unread) == ("One.", None, None, True)
    assert (two.sentence, two.bot_id, two.bot, two.unread) == ("Two.", bot_id, "ada", True)
    assert notices.count_unread(session, ana) == 2
    notices.mark_read(session, ana, [two])
    assert [told.unread for told in notices.list_notices(session, ana)] == [False, True]
    notices.mark_read(session, ana, [two, one, *notices.list_notices(session, luz)])
    assert notices.count_unread(session, ana) == 0
    assert notices.count_unread(session, luz) == 1


def test_a_notice_can_be_said_in_another_language(session: Session) -> None:
    ana = sign_up(session)
    why = Phrase("An admin paused it: %(reason)s", reason="100 % too loud")
    notify(session, ana.id, NoticeTone.BAD, "%(bot)s was paused. %(reason)s", bot="ada", reason=why)
    session.expire_all()
    (told,) = notices.list_notices(session, ana)
    assert told.sentence == "ada was paused. An admin paused it: 100 % too loud"
    assert told.phrase is not None
    assert told.phrase == told.sentence
    assert told.phrase.template == "%(bot)s was paused. %(reason)s"
    reason = told.phrase.fields["reason"]
    assert isinstance(reason, Phrase)
    assert (reason.template, reason.fields) == (why.template, why.fields)


def test_an_old_notice_has_its_english_sentence_alone(session: Session) -> None:
    ana = sign_up(session)
    session.add(Notice(user_id=ana.id, sentence="ada was paused.", created_at=now(session)))
    session.flush()
    (told,) = notices.list_notices(session, ana)
    assert (told.sentence, told.phrase) == ("ada was paused.", None)


def test_both_lists_have_pages(session: Session) -> None:
    ana = sign_up(session)
    for number in range(5):
        notify(session, ana.id, NoticeTone.NEUTRAL, f"{number}.")
        record_action(session, ana, "annul", f"match {number}", "a bug")
    first = notices.list_notices(session, ana, limit=3)
    then = notices.list_notices(session, ana, before=first[-1].id, limit=3)
    assert [told.sentence for told in first + then] == ["4.", "3.", "2.", "1.", "0."]
    newest = audit_records(session, limit=3)
    older = audit_records(session, before=newest[-1].id, limit=3)
    assert [entry.subject for entry in newest + older] == [f"match {n}" for n in (4, 3, 2, 1, 0)]
    assert {(entry.actor, entry.reason) for entry in newest} == {("ana", "a bug")}
