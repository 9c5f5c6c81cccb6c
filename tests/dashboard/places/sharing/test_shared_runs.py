"""Turns, quotas and workers are given to all places as one process would give them."""

import json
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from dashboard.jobs.job import Job
from dashboard.jobs.scheduling import scheduler as scheduler_module
from dashboard.jobs.scheduling.quota import RunQuota
from dashboard.jobs.scheduling.scheduler import FairScheduler
from dashboard.jobs.workers.process import CLUSTER_VARIABLE, WorkerProcess
from dashboard.jobs.workers.resource_limits import compute_resource_limits
from dashboard.jobs.workers.spare import SpareWorkerHolder
from dashboard.places.sharing.remote_runs import (
    RemoteQuota,
    RemoteScheduler,
    RemoteWorkerSource,
)
from dashboard.places.sharing.shared_runs import PlaceRunScheduler, RemoteJob
from dashboard.places.sharing.supervisor_link import SupervisorLink
from engine.core.message import NO_MESSAGE, Message

SHARE = compute_resource_limits(memory_bytes=2**34, n_cores=4, has_many_users=True)


@dataclass(eq=False)
class Run(RemoteJob):
    """A run that keeps what it was told, in the place that has it."""

    told: str = ""

    def pause_after_plan(self) -> None:
        if self.worker is not None:
            self.told = "pause"

    def preempt(self) -> None:
        self.told, self.launched, self.worker = "give way", False, None

    def finish(self, state: str, message: Message = NO_MESSAGE) -> None:
        if self.state == "running":
            self.told, self.state = "end", state


class Wire:
    """A link whose other end is in this process."""

    def __init__(self, runs: PlaceRunScheduler, token: str) -> None:
        self.runs, self.token = runs, token
        self.heard: dict[str, Any] = {}

    def register_listener(self, told: str, hear: Any) -> None:
        self.heard[told] = hear

    def tell(self, what: str, **facts: Any) -> None:
        assert what == "spent"
        self.runs.note_spent(**facts)

    def ask(self, what: str, **facts: Any) -> Any:
        facts = json.loads(json.dumps(facts))
        answers = {
            "turns": lambda: self.runs.take_turns(self.token, facts["jobs"]),
            "quota": lambda: self.runs.explain_denial(
                self.token, facts["person"], facts["jobs"]
            ),
            "worker": lambda: self.runs.hand_worker(self.token),
            "order": lambda: self.runs.send_job(
                self.token, facts["worker"], facts["folder"]
            ),
            "end worker": lambda: self.runs.end_worker(self.token, facts["worker"]),
        }
        return json.loads(json.dumps(answers[what]()))


def linked(runs: PlaceRunScheduler, token: str) -> SupervisorLink:
    return cast(SupervisorLink, Wire(runs, token))


def begin(turns: RemoteScheduler, jobs: list[Run]) -> list[Run]:
    return cast("list[Run]", turns.dispatch(cast("list[Job]", jobs)))


@pytest.fixture
def runs() -> Iterator[PlaceRunScheduler]:
    scheduler = PlaceRunScheduler(SHARE, spare=SpareWorkerHolder(keeps_worker=False))
    yield scheduler
    scheduler.close()


@pytest.mark.parametrize("seed", range(20))
def test_places_take_turns_as_tabs_of_one_process_do(seed: int) -> None:
    """As many steps, with the same runs in one process: the same begin."""
    chance = random.Random(seed)
    runs = PlaceRunScheduler(
        SHARE, FairScheduler(2, 1e9), SpareWorkerHolder(keeps_worker=False)
    )
    twin = FairScheduler[Run](2, 1e9)
    places = {name: RemoteScheduler(linked(runs, name)) for name in "abc"}
    place_runs: dict[str, list[Run]] = {name: [] for name in places}
    twin_runs: dict[str, list[Run]] = {name: [] for name in places}
    for step in range(40):
        name = chance.choice("abc")
        if chance.random() < 0.5:
            facts = {"person": name, "asked_since": float(step)}
            place_runs[name].append(Run(**facts))
            twin_runs[name].append(Run(**facts))
        elif at_work := [at for at, run in enumerate(place_runs[name]) if run.launched]:
            at = chance.choice(at_work)
            place_runs[name][at].state = twin_runs[name][at].state = "done"
        twin.dispatch([run for each in twin_runs.values() for run in each])
        for _ in range(2):  # whoever was told late
            for each in places:
                begin(places[each], place_runs[each])
        for each in places:
            assert [(run.launched, run.state) for run in place_runs[each]] == [
                (run.launched, run.state) for run in twin_runs[each]
            ]


def test_whoever_waits_is_told_how_many_elsewhere_come_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scheduler_module.time, "monotonic", lambda: 100.0)
    runs = PlaceRunScheduler(
        SHARE, FairScheduler(1, 20.0), SpareWorkerHolder(keeps_worker=False)
    )
    places = {name: RemoteScheduler(linked(runs, name)) for name in "abc"}
    waiting = {
        name: Run(
            person=name,
            asked_since=float(at),
            expected_seconds=[8.0] * 2,
            first_seconds=8.0,
        )
        for at, name in enumerate(places)
    }
    for _ in range(2):  # a look at the queue comes before others are in it
        runs._turns._looked = 0.0
        for name, run in waiting.items():
            begin(places[name], [run])
    assert waiting["a"].queue_place is None
    assert waiting["b"].queue_place is not None
    assert waiting["b"].queue_place.n_before == 0
    assert waiting["b"].queue_place.seconds == 8.0
    assert waiting["c"].queue_place is not None
    assert waiting["c"].queue_place.n_before == 1
    assert waiting["c"].queue_place.seconds == 18.0


def test_whoever_has_several_gives_one_up_for_people_elsewhere() -> None:
    runs = PlaceRunScheduler(
        SHARE, FairScheduler(2, 0.0), SpareWorkerHolder(keeps_worker=False)
    )
    ann, ben = (RemoteScheduler(linked(runs, name)) for name in ("a", "b"))
    hers = [Run(person="ann", asked_since=1.0), Run(person="ann", asked_since=2.0)]
    assert begin(ann, hers) == hers
    for run in hers:
        run.worker, run.since = object(), run.since - 1.0
    his = Run(person="ben", asked_since=time.monotonic() - 1.0)
    begin(ann, hers)
    assert begin(ben, [his]) == []
    begin(ann, hers)
    assert sorted(run.told for run in hers) == ["give way", "pause"]
    begin(ann, hers)  # which says that she has
    assert begin(ben, [his]) == [his]


def test_a_place_that_ends_gives_its_turns_up(runs: PlaceRunScheduler) -> None:
    ann, ben = (RemoteScheduler(linked(runs, name)) for name in ("a", "b"))
    begin(ann, [Run(person="ann", asked_since=n) for n in range(SHARE.runs)])
    his = Run(person="ben")
    assert begin(ben, [his]) == []
    runs.remove_place("a")
    assert begin(ben, [his]) == [his]


def test_quotas_hold_for_people_who_have_left_and_come_again(
    runs: PlaceRunScheduler,
) -> None:
    quota = RemoteQuota(linked(runs, "a"))
    twin = RunQuota[Job](SHARE.person_waiting, SHARE.person_minutes)
    spent = 60.0 * SHARE.person_minutes + 1.0
    assert quota.denial_reason("ann", []) == NO_MESSAGE
    quota.record_cpu_time("ann", spent)
    twin.record_cpu_time("ann", spent)
    runs.remove_place("a")
    later_quota = RemoteQuota(linked(runs, "b"))
    assert (
        later_quota.denial_reason("ann", [])
        == twin.denial_reason("ann", [])
        != NO_MESSAGE
    )
    assert later_quota.denial_reason("ben", []) == NO_MESSAGE


def test_quotas_count_runs_in_all_places(runs: PlaceRunScheduler) -> None:
    for name in "ab":
        turns = RemoteScheduler(linked(runs, name))
        begin(turns, [Run(person="ann") for _ in range(SHARE.person_waiting // 2)])
    denied = RemoteQuota(linked(runs, "c")).denial_reason("ann", [])
    assert denied.startswith(f"You have {SHARE.person_waiting} runs going on")


def test_a_run_that_was_just_cancelled_counts_no_more(runs: PlaceRunScheduler) -> None:
    link = linked(runs, "a")
    jobs = [Run(person="ann") for _ in range(SHARE.person_waiting)]
    begin(RemoteScheduler(link), jobs)
    quota = RemoteQuota(link)
    assert quota.denial_reason("ann", cast("list[Job]", jobs)) != NO_MESSAGE
    jobs[0].finish("cancelled")  # of which the supervisor has not been told
    assert quota.denial_reason("ann", cast("list[Job]", jobs)) == NO_MESSAGE


class Sleeper(WorkerProcess):
    """A worker that is none of this program's: it ends when it is let go."""

    def __init__(self, pid: int) -> None:
        self._number, self.code = pid, None
        self.folders: list[Path] = []

    pid = property(lambda self: self._number)  # type: ignore[assignment]
    exit_code = property(lambda self: self.code)  # type: ignore[assignment]

    def send_job(self, folder: Path) -> None:
        self.folders.append(folder)

    def kill_and_wait(self) -> None:
        self.code = -9  # type: ignore[assignment]


class Sleepers(SpareWorkerHolder):
    def __init__(self) -> None:
        super().__init__(keeps_worker=False)
        self.handed: list[Sleeper] = []

    def take_worker(self) -> WorkerProcess:
        self.handed.append(Sleeper(100 + len(self.handed)))
        return self.handed[-1]


def test_a_worker_is_one_places_own_and_ends_with_it() -> None:
    spare = Sleepers()
    runs = PlaceRunScheduler(SHARE, spare=spare)
    worker_source, other_link = RemoteWorkerSource(linked(runs, "a")), linked(runs, "b")
    worker = worker_source.take_worker()
    worker.send_job(Path("/folder"))
    (spare_worker,) = spare.handed
    assert spare_worker.folders == [Path("/folder")]
    assert "failed" in other_link.ask("order", worker=worker.pid, folder="/other")
    other_link.ask("end worker", worker=worker.pid)
    assert spare_worker.exit_code is None
    assert runs.collect_ended() == []
    runs.remove_place("a")
    assert spare_worker.exit_code == -9
    with pytest.raises(BrokenPipeError):
        worker.send_job(Path("/folder"))


def test_a_place_hears_of_a_worker_that_has_died() -> None:
    spare = Sleepers()
    runs = PlaceRunScheduler(SHARE, spare=spare)
    wire = linked(runs, "a")
    worker = RemoteWorkerSource(wire).take_worker()
    assert worker.exit_code is None
    spare.handed[0].code = -11  # type: ignore[assignment]
    ((token, pid, code),) = runs.collect_ended()
    assert (token, pid, code) == ("a", worker.pid, -11)
    cast(Wire, wire).heard["worker ended"]({"worker": pid, "code": code})
    assert worker.exit_code == -11


def test_without_a_process_the_reason_is_told() -> None:
    class Nobody(SpareWorkerHolder):
        def take_worker(self) -> WorkerProcess:
            raise OSError(11, "Resource temporarily unavailable")

    runs = PlaceRunScheduler(SHARE, spare=Nobody(keeps_worker=False))
    with pytest.raises(OSError, match="Resource temporarily unavailable"):
        RemoteWorkerSource(linked(runs, "a")).take_worker()


@pytest.mark.parametrize("state", ["done", "cancelled", "failed"])
def test_a_run_that_ends_ends_its_worker(state: Any, tmp_path: Path) -> None:
    spare = Sleepers()
    worker_source = RemoteWorkerSource(
        linked(PlaceRunScheduler(SHARE, spare=spare), "a")
    )
    for give_back in (None, worker_source.return_worker):
        job = Job(cast(Any, None), (), {}, tmp_path / "run", set(), launched=True)
        assert job.assign_worker(worker_source.take_worker(), give_back)
        job.finish(state)
        assert spare.handed[-1].exit_code == -9


@pytest.mark.posix("workers are forked on Linux alone")
@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux")
def test_workers_are_forks_unless_a_cluster_computes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert type(PlaceRunScheduler(SHARE)._spare).__name__ == "ForkedWorkerSource"
    monkeypatch.setenv(CLUSTER_VARIABLE, "tcp://127.0.0.1:8786")
    assert type(PlaceRunScheduler(SHARE)._spare) is SpareWorkerHolder
