"""Hierarchies of any shape, for property tests."""

from hypothesis import reject
from hypothesis import strategies as st

from engine.core.errors import InputError
from engine.hierarchy import ROOT_LABEL, Hierarchy

labels = st.text(
    # Surrogates cannot be written in UTF-8, a first byte order mark is not read, and
    # control characters mean a binary file.
    st.characters(
        exclude_categories=("Cs", "Cc"),
        include_characters="\t\r\n",
        exclude_characters="\ufeff",
    ),
    min_size=1,
    max_size=4,
).filter(str.strip)


@st.composite
def hierarchies(draw: st.DrawFn) -> Hierarchy:
    """Draw leaves, and merge them at random from level to level."""
    leaves = draw(st.lists(labels, min_size=1, max_size=8, unique=True))
    levels: list[list[str]] = [leaves]
    for _ in range(draw(st.integers(0, 3))):
        below = levels[-1]
        parents = {
            label: draw(labels, label=f"parent of {label!r}")
            for label in dict.fromkeys(below)
        }
        levels.append([parents[label] for label in below])
    levels.append([ROOT_LABEL] * len(leaves))
    try:
        return Hierarchy(tuple(zip(*levels, strict=True)))
    except InputError as error:
        if "lies above itself" not in str(error):
            raise
        reject()
