"""Plugin of pytest by which a run of tests is as on Windows; see `tests.windows`.

``python -m pytest -p tests.windows_plugin`` runs the whole default suite like that;
``COTERIE_LIKE_WINDOWS=1 .ci/run`` ends with it. Tests of what Windows lacks are marked
``posix``, with the reason.
"""

from collections.abc import Iterator

import pytest

from tests.windows import bad_names, install

install()


@pytest.fixture(autouse=True)
def _names_are_such_as_windows_takes(request: pytest.FixtureRequest) -> Iterator[None]:
    folder = None
    if "tmp_path" in request.fixturenames:
        folder = request.getfixturevalue("tmp_path")
    yield
    assert folder is None or list(bad_names(folder)) == []
