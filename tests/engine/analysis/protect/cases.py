"""A table of people, as those who protect without asking may have one."""

import numpy as np
import pandas as pd

N = 240
RNG = np.random.default_rng(8)


def people() -> pd.DataFrame:
    age = RNG.integers(18, 90, N)
    frame = pd.DataFrame(
        {
            "rownames": np.arange(1, N + 1),
            "name": [f"Anna Schmidt {i}" for i in range(N)],
            "age": age,
            "race": RNG.choice([1, 2, 4, 7, 9], N),
            "industry": RNG.choice([170, 3895, 6470, 7860, 8680, 9870], N),
            "income": RNG.lognormal(10, 0.5, N).round(-2),
            "senior": np.where(age >= 65, "yes", "no"),
            "notes": [f"came on day {i} and said it was fine" for i in range(N)],
            "disease": RNG.choice(["flu", "none", "asthma"], N),
        }
    )
    frame.loc[::17, "income"] = np.nan
    return frame
