import pytest

from engine.methods.fixed_size.ldf import LDF
from engine.methods.variable_size.ldf2 import LDF2
from tests.casc import information_loss, zscored


@pytest.mark.parametrize("dataset", ["census", "tarragona"])
def test_the_second_stage_lowers_the_loss_of_ldf(dataset: str) -> None:
    X = zscored(dataset)
    first, second = (
        information_loss(X, method(5).fit(X).labels_) for method in (LDF, LDF2)
    )
    assert second < first
