"""Many values at once, as Prometheus reads them."""

from prometheus_client import REGISTRY

from referee.metrics import Spread


def sample(name: str, bound: str = "") -> float | None:
    return REGISTRY.get_sample_value(f"tests_spread_{name}", {"le": bound} if bound else {})


def test_values_are_counted_up_to_each_bound() -> None:
    spread = Spread("tests_spread", "Only of this test.", (1.0, 2.5))
    assert (sample("count"), sample("sum")) == (0, 0)
    spread.observe([0.5, 1.0, 2.0])
    spread.observe([9.0])
    assert [sample("bucket", bound) for bound in ("1.0", "2.5", "+Inf")] == [2, 3, 4]
    assert (sample("count"), sample("sum")) == (4, 12.5)
    REGISTRY.unregister(spread)
