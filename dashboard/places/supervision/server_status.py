"""Status and metrics of a server with places, for its administrator."""

from __future__ import annotations

import time
from collections import Counter
from importlib.metadata import version

from dashboard.places.admin.control import PlaceStatus, ServerStatus
from dashboard.places.admin.metrics import Metric, memory_bytes_by_role
from dashboard.places.entrance.place_assigner import PlaceAssigner
from dashboard.places.sharing.shared_readings import SharedReadingQueue
from dashboard.places.sharing.shared_runs import PlaceRunScheduler
from dashboard.places.supervision.place_table import Place, PlacesByName
from dashboard.places.supervision.state_sync import StateSync
from engine.pipeline.outcome import library_versions


class StatusCollector:
    """Collector of a server's status and metrics from its parts.

    Attributes
    ----------
    n_ends : Counter
        How many processes of places have ended, by why.
    dependencies : dict of str to str
        As in :class:`ServerStatus`.
    sync : StateSync or None
        With servers that share their state.
    """

    def __init__(
        self,
        places: PlacesByName,
        door: PlaceAssigner,
        runs: PlaceRunScheduler,
        readings: SharedReadingQueue,
        n_ends: Counter[str],
    ) -> None:
        self._places, self._door, self.n_ends = places, door, n_ends
        self._runs, self._readings = runs, readings
        self.sync: StateSync | None = None
        self.dependencies = dict(library_versions())
        del self.dependencies["coterie"]  # which stands for itself
        for name in ("streamlit", "starlette", "uvicorn"):
            self.dependencies[name] = version(name)

    def collect_status(self) -> ServerStatus:
        """Return the state, person and work of every place, and the server's totals."""
        roles = {place.pid: place.name for place in self._places.values() if place.pid}
        for pid, token in self._runs.worker_owners().items():
            roles[pid] = token.partition(".")[0]
        memory = memory_bytes_by_role(roles)
        return ServerStatus(
            version("coterie"),
            self._door.is_open,
            self._door.n_waiting,
            memory["server"],
            [self._place_status(p, memory[p.name]) for p in self._places.values()],
            self._runs.max_minutes,
            self.dependencies,
            self.sync.servers if self.sync else [],
        )

    def _place_status(self, place: Place, memory_bytes: int) -> PlaceStatus:
        if place.state != "taken":
            return PlaceStatus(place.name, place.state, memory_bytes=memory_bytes)
        now = time.monotonic()
        return PlaceStatus(
            place.name,
            "taken" if self._door.is_open else "draining",
            place.who,
            place.tabs,
            now - place.taken,
            now - place.active,
            memory_bytes,
            dict(self._runs.count_jobs(place.token)),
            dict(self._readings.count_orders(place.token)),
            self._runs.spent_minutes(place.token, place.who),
        )

    def collect_metrics(self, n_proxy_ends: int) -> list[Metric]:
        """Return the metrics for Prometheus, without names of people."""
        places = list(self._places.values())
        roles = {place.pid: "places" for place in places if place.pid}
        roles |= dict.fromkeys(self._runs.worker_owners(), "workers")
        waiting, tabs = self._door.n_waiting, sum(place.tabs for place in places)
        runs, files = self._runs.count_jobs(), self._readings.count_orders()
        states = self._places.count_states()
        return [
            Metric("coterie_places", "Places", states, "state"),
            Metric("coterie_people_waiting", "People without a place", {"": waiting}),
            Metric("coterie_tabs", "Tabs that are connected", {"": tabs}),
            Metric("coterie_jobs", "Runs", runs, "state"),
            Metric("coterie_readings", "Files that are read", files, "state"),
            Metric(
                "coterie_memory_bytes",
                "Memory, what is shared in equal parts",
                memory_bytes_by_role(roles),
                "process",
            ),
            Metric(
                "coterie_place_ends_total",
                "Processes of places that have ended",
                self.n_ends,
                "why",
                "counter",
            ),
            Metric(
                "coterie_proxy_ends_total",
                "How often the proxy has ended by itself",
                {"": n_proxy_ends},
                kind="counter",
            ),
        ]
