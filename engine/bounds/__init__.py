"""Lower bounds on the loss of any partition into groups of at least k records."""

from engine.bounds.base import CLOSED_GAP_PERCENT, NO_BOUND, LowerBound
from engine.bounds.choose_bound import strongest_affordable_bound, sum_bounds_of_parts
from engine.bounds.edge_cover import edge_cover_bound
from engine.bounds.linear_programme.column_generation import column_generation_bound
from engine.bounds.nearest_neighbour_bound import nearest_bound
from engine.bounds.persons import persons_bound

__all__ = [
    "CLOSED_GAP_PERCENT",
    "NO_BOUND",
    "LowerBound",
    "column_generation_bound",
    "edge_cover_bound",
    "nearest_bound",
    "persons_bound",
    "strongest_affordable_bound",
    "sum_bounds_of_parts",
]
