"""Parts of pages are drawn when what they show changes, and not before."""

from flask import Flask

from web.caching import Cache, cached_drawing


def test_it_is_kept_as_long_as_its_source_is_equal() -> None:
    cache = Cache[str](2)
    cache.put("a", (1, 2), "drawn")
    assert cache.get("a", (1, 2)) == "drawn"
    assert cache.get("a", (1, 3)) is None
    assert cache.get("b", (1, 2)) is None


def test_what_was_not_wanted_for_longest_is_dropped() -> None:
    cache = Cache[str](2)
    for place in ("a", "b"):
        cache.put(place, 0, place)
    assert cache.get("a", 0) == "a"
    cache.put("c", 0, "c")
    assert [cache.get(place, 0) for place in ("a", "b", "c")] == ["a", None, "c"]


def test_a_macro_is_drawn_once_in_each_language(app: Flask) -> None:
    template = app.jinja_env.from_string(
        "{% macro one(n) %}{{ n[0] }} {{ language() }}{% endmacro %}"
    )
    macro = template.module.one  # type: ignore[attr-defined]
    source = [1]
    for code, told in (("de", "1 de"), ("fr", "1 fr")):
        with app.test_request_context(headers={"Accept-Language": code}):
            assert cached_drawing(macro, tuple(source), "test") == told
            assert cached_drawing(macro, (1,), "test") is cached_drawing(macro, (1,), "test")
            assert cached_drawing(macro, (2,), "test") == f"2 {code}"
