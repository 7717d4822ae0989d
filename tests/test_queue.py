"""The ingest queue: states, leases, attempts; several workers at once, and workers that are killed at any point."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from generator.sources.errors import SourceNotFound, SourceRefused
from generator.sources.manifest import Manifest, Source, change, load, stamp
from generator.sources.queue import (
    LEASE,
    MOST_ATTEMPTS,
    again,
    counts,
    expire,
    finish,
    give_up,
    next_source,
    queue_again,
    take,
)

NOW = datetime(2026, 6, 1, 9, 30, tzinfo=UTC)
ROOT = Path(__file__).resolve().parent.parent


def queue(*keys: str) -> Manifest:
    """Sources that wait, the first added first."""
    return Manifest({key: Source(added_at=stamp(NOW + timedelta(minutes=n))) for n, key in enumerate(keys)})


def there(key: str) -> bool:
    return True


def test_the_oldest_is_handed_out_first() -> None:
    manifest = queue("b.md", "a.md")
    manifest, first = take(manifest, NOW, there)
    manifest, second = take(manifest, NOW, there)
    assert (first, second) == ("b.md", "a.md")
    assert take(manifest, NOW, there) == (manifest, None)
    assert manifest.sources["b.md"].lease_until == "2026-06-01T09:45:00Z"


def test_what_is_not_there_is_not_handed_out() -> None:
    assert take(queue("a.md", "b.md"), NOW, lambda key: key == "b.md")[1] == "b.md"
    with pytest.raises(SourceRefused):
        take(queue("a.md"), NOW, lambda key: False, "a.md")


def test_a_lease_that_ran_out_counts_as_an_attempt() -> None:
    manifest, now = queue("a.md"), NOW
    for attempt in range(1, MOST_ATTEMPTS + 1):
        manifest, key = take(manifest, now, there)
        assert key == "a.md"
        assert expire(manifest, now + LEASE - timedelta(seconds=1)) == manifest
        now += LEASE
        manifest = expire(manifest, now)
        assert manifest.sources["a.md"].attempts == attempt
    assert manifest.sources["a.md"].state == "failed"
    assert "lease" in manifest.sources["a.md"].error
    assert take(manifest, now, there)[1] is None


def test_failures_are_tried_three_times() -> None:
    manifest = queue("a.md")
    for _ in range(MOST_ATTEMPTS):
        manifest, _ = take(manifest, NOW, there)
        manifest = give_up(manifest, "a.md", "no\n  time")
    assert (manifest.sources["a.md"].state, manifest.sources["a.md"].error) == ("failed", "no time")
    manifest, key = take(manifest, NOW, there, "a.md")  # asked for by name, it is tried again
    assert (key, manifest.sources["a.md"].attempts) == ("a.md", 0)
    with pytest.raises(SourceRefused):
        take(manifest, NOW, there, "a.md")


def test_done_is_done() -> None:
    manifest, _ = take(queue("a.md"), NOW, there)
    late = NOW + 2 * LEASE
    manifest = finish(manifest, "a.md", ["wiki/A.md"], late)  # late, but nobody else has it
    assert (manifest.sources["a.md"].state, manifest.sources["a.md"].ingested_at) == ("done", stamp(late))
    assert finish(manifest, "a.md", ["wiki/A.md"], late + LEASE) == manifest
    assert finish(manifest, "a.md", ["wiki/B.md"], late).sources["a.md"].pages == ("wiki/A.md", "wiki/B.md")
    for refused in (lambda: give_up(manifest, "a.md", "x"), lambda: finish(queue("a.md"), "a.md", [], NOW)):
        with pytest.raises(SourceRefused):
            refused()
    with pytest.raises(SourceNotFound):
        finish(manifest, "b.md", [], NOW)
    assert counts(manifest) == {"pending": 0, "processing": 0, "done": 1, "failed": 0}


def test_what_is_done_can_wait_again() -> None:
    manifest = queue("a.md", "b.md", "c.md", "gone.md").put("agent:x/1", Source(state="done"))
    manifest = manifest.put("gone.md", Source(state="done")).put("b.md", Source(state="failed", attempts=3, error="x"))
    manifest = manifest.put(
        "a.md",
        Source(state="done", title="A", tool="t", ingested_at="2026-05-01T00:00:00Z", pages=("wiki/A.md", "wiki/B.md")),
    )
    after, keys = again(manifest, NOW, lambda key: key != "gone.md", lambda page: page == "wiki/B.md")
    assert keys == ["a.md", "b.md"]  # what an agent said has no file to read once more
    assert after.sources["a.md"] == Source(title="A", tool="t", pages=("wiki/B.md",))
    assert after.sources["b.md"] == Source()
    assert {key: after.sources[key] for key in ("c.md", "gone.md", "agent:x/1")} == {
        key: manifest.sources[key] for key in ("c.md", "gone.md", "agent:x/1")
    }
    assert again(after, NOW, there, there, "a.md") == (after, [])
    assert again(manifest, NOW, there, there, "agent:x/1")[1] == ["agent:x/1"]  # asked for by name
    taken, _ = take(after, NOW, there, "a.md")
    for refused in (
        lambda: again(taken, NOW, there, there, "a.md"),
        lambda: again(manifest, NOW, lambda key: False, there, "a.md"),
    ):
        with pytest.raises(SourceRefused):
            refused()
    with pytest.raises(SourceNotFound):
        again(manifest, NOW, there, there, "b")
    assert again(taken, NOW + LEASE, there, there, "a.md")[0].sources["a.md"].state == "pending"


def test_queued_again_on_disk_only_when_asked(tmp_path: Path) -> None:
    fill(tmp_path, 2)
    finished = {"000.md": Source(state="done", pages=("wiki/A.md", "../B.md")), "001.md": Source()}
    change(tmp_path, lambda manifest: (Manifest(finished), None))
    (tmp_path / "wiki").mkdir()
    (tmp_path / "wiki/A.md").write_text("a")
    assert queue_again(tmp_path, NOW, apply=False) == ["000.md"]
    assert load(tmp_path).sources == finished
    assert queue_again(tmp_path, NOW) == ["000.md"]
    assert load(tmp_path).sources["000.md"] == Source(pages=("wiki/A.md",))
    assert queue_again(tmp_path, NOW) == []


class Queue(RuleBasedStateMachine):
    """Any order of operations: no source is lost, in two hands, or handed out once it is done."""

    def __init__(self) -> None:
        super().__init__()
        self.manifest = queue("a.md", "b.md", "c.md")
        self.now = NOW
        self.held: dict[str, datetime] = {}
        self.finished: set[str] = set()

    @rule(minutes=st.integers(0, 20))
    def wait(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)

    @rule()
    def take_one(self) -> None:
        self.manifest, key = take(self.manifest, self.now, there)
        if key is not None:
            assert key not in self.finished
            assert key not in self.held or self.held[key] <= self.now
            self.held[key] = self.now + LEASE

    @rule(key=st.sampled_from(["a.md", "b.md", "c.md"]), is_done=st.booleans())
    def end(self, key: str, is_done: bool) -> None:
        state = self.manifest.sources[key].state
        try:
            self.manifest = (
                finish(self.manifest, key, ["P.md"], self.now) if is_done else give_up(self.manifest, key, "x")
            )
        except SourceRefused:
            assert state in ("pending", "failed", "done")
            return
        self.held.pop(key, None)
        if is_done:
            self.finished.add(key)

    @rule(key=st.sampled_from(["a.md", "b.md", "c.md", ""]))
    def read_again(self, key: str) -> None:
        try:
            self.manifest, keys = again(self.manifest, self.now, there, there, key)
        except SourceRefused:
            assert self.held[key] > self.now
            return
        self.finished.difference_update(keys)

    @invariant()
    def nothing_is_lost(self) -> None:
        assert set(self.manifest.sources) == {"a.md", "b.md", "c.md"}
        for key, source in self.manifest.sources.items():
            assert (source.state == "done") == (key in self.finished)
            assert bool(source.lease_until) == (source.state == "processing")
            assert source.attempts <= MOST_ATTEMPTS


TestAnyOrder = Queue.TestCase
TestAnyOrder.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)

# ── processes ───────────────────────────────────────────────────────────────────────────────────────────

# A worker writes down what it took and what it finished, each with one write that a kill cannot split.
WORKER = """
import os, sys, time
from datetime import UTC, datetime
from pathlib import Path
from generator.sources.queue import finish_source, next_source
vault, log, pause = Path(sys.argv[1]), os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND | os.O_CREAT), float(sys.argv[3])
while (taken := next_source(vault, datetime.now(UTC))) is not None:
    os.write(log, f"took {taken.key}\\n".encode())
    time.sleep(pause)
    finish_source(vault, taken.key, [f"wiki/{taken.key}"], datetime.now(UTC))
    os.write(log, f"done {taken.key}\\n".encode())
"""


def worker(vault: Path, log: Path, pause: float = 0.0) -> subprocess.Popen[bytes]:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen([sys.executable, "-c", WORKER, str(vault), str(log), str(pause)], env=environment)


def fill(vault: Path, count: int) -> list[str]:
    """A vault with that many sources in the queue."""
    keys = [f"{number:03}.md" for number in range(count)]
    (vault / "raw/sources").mkdir(parents=True)
    for key in keys:
        (vault / "raw/sources" / key).write_text(key)
    change(vault, lambda manifest: (Manifest({key: Source(added_at=stamp(NOW)) for key in keys}), None))
    return keys


def test_two_workers_never_get_the_same_source(tmp_path: Path) -> None:
    keys = fill(tmp_path / "vault", 60)
    workers = [worker(tmp_path / "vault", tmp_path / f"log{n}", 0.001) for n in range(3)]
    assert [process.wait(60) for process in workers] == [0, 0, 0]
    logs = [(tmp_path / f"log{n}").read_text().split("\n") for n in range(3)]
    took = [line for log in logs for line in log if line.startswith("took")]
    assert sorted(took) == [f"took {key}" for key in keys]
    assert sum(1 for log in logs if len(log) > 5) > 1  # they did share the work
    assert {source.state for source in load(tmp_path / "vault").sources.values()} == {"done"}


@pytest.mark.skipif(os.name != "posix", reason="only POSIX kills without warning")
def test_killed_at_any_point_nothing_is_lost_or_done_twice(tmp_path: Path) -> None:
    vault, log = tmp_path / "vault", tmp_path / "log"
    keys = fill(vault, 40)
    chance = random.Random(7)
    kills = 0
    for _ in range(12):
        process = worker(vault, log, 0.002)
        before = log.read_text() if log.exists() else ""
        while (log.read_text() if log.exists() else "") == before and process.poll() is None:
            time.sleep(0.002)
        time.sleep(chance.random() * 0.03)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kills += 1
        process.wait()
        manifest = load(vault)  # whole at every moment
        assert set(manifest.sources) == set(keys)
        finished = {line[5:] for line in log.read_text().split("\n") if line.startswith("done")}
        assert {key for key in finished if manifest.sources[key].state != "done"} == set()
        # The clock moves on: what the dead worker had goes back.
        change(vault, lambda manifest: (expire(manifest, datetime.now(UTC) + 2 * LEASE), None))
    assert kills > 4
    while any(source.state in ("pending", "processing") for source in load(vault).sources.values()):
        assert worker(vault, log).wait(60) == 0
        change(vault, lambda manifest: (expire(manifest, datetime.now(UTC) + 2 * LEASE), None))
    final = load(vault).sources
    assert {source.state for source in final.values()} <= {"done", "failed"}
    assert all(source.pages == (f"wiki/{key}",) for key, source in final.items() if source.state == "done")
    done = Counter(line for line in log.read_text().split("\n") if line.startswith("done"))
    assert set(done.values()) == {1}
    lines = log.read_text().split("\n")
    for key in keys:  # once it was done, it was never handed out again
        if f"done {key}" in lines:
            assert f"took {key}" not in lines[lines.index(f"done {key}") :]


def test_a_key_that_leads_elsewhere_is_the_key_of_no_file(tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    change(tmp_path, lambda manifest: (Manifest({"../../etc/passwd": Source(), ".hidden": Source()}), None))
    assert next_source(tmp_path, NOW) is None
