import numpy as np

from engine.methods.fixed_size.cbfs import CBFS


def test_groups_come_from_the_outside_in() -> None:
    X = np.random.default_rng(0).standard_normal((300, 3))
    labels = CBFS(4).fit(X).labels_
    remaining_mask = np.ones(300, dtype=bool)
    for group in range(labels.max()):
        middle = X[remaining_mask].mean(axis=0)
        distance = np.linalg.norm(X - middle, axis=1)
        assert labels[np.argmax(np.where(remaining_mask, distance, -1))] == group
        remaining_mask &= labels != group
