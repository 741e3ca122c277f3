"""The site that the tests of the client ask."""

from collections.abc import Iterator

import pytest

from tests.ladder.cli.client.sites import Running, running


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("site")) as made:
        yield made
