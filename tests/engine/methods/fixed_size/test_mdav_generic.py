import numpy as np
import pytest

from engine.methods.fixed_size.mdav import MDAV
from engine.methods.fixed_size.mdav_generic import MDAVGeneric
from tests.casc import zscored


@pytest.mark.parametrize("n", range(14, 43))
def test_no_record_is_left_over(n: int) -> None:
    k = 7
    X = np.random.default_rng(n).standard_normal((n, 2))
    sizes = np.bincount(MDAVGeneric(k).fit(X).labels_)
    assert (sizes[:-1] == k).all()
    assert k <= sizes[-1] < 2 * k


@pytest.mark.parametrize("k", [3, 4, 5, 10])
def test_equals_mdav_where_k_divides_the_records_into_an_even_number(k: int) -> None:
    X = zscored("census")[: 1080 // (2 * k) * 2 * k]
    generic, plain = MDAVGeneric(k).fit(X).labels_, MDAV(k).fit(X).labels_
    last = generic.max() - 1  # the ends of the last pair are found in another order
    np.testing.assert_array_equal(np.minimum(generic, last), np.minimum(plain, last))
