"""No forgery passes: it is refused, or what it leaves out is counted."""

import pytest

from engine.certificate import certify as checker
from tests.engine.certificate.forgeries import FORGERIES, TRUE, as_file, honest
from tests.engine.certificate.made import sealed


def test_what_the_forgeries_begin_with_holds() -> None:
    file = as_file(TRUE)
    lines, out, n = checker.examine(sealed(honest(file)), file)
    assert (out, n) == (0, len(TRUE))
    assert lines[0].endswith("not the file: the hierarchy of 'c'.")


@pytest.mark.parametrize("way", FORGERIES)
def test_a_forgery_is_refused_or_counted(way: str) -> None:
    certificate, file = FORGERIES[way]()
    try:
        _, out, _ = checker.examine(certificate, file)
    except checker.Refused:
        return
    assert way == "tampered: a gap made"  # which the certificate says to be one
    assert out == 1
