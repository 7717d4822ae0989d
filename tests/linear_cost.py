"""Whether a cost grows with the size of its input and not with its square, also on a busy machine.

Time is the processor's, not the clock's, without the garbage collector; of several measurements the least counts, since
other programs can only add to it. Both sizes are measured in turn, so that a slow minute falls on both.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

_LEAST = 0.003  # seconds: below that, the clock's grain is larger than the cost
_TRIES = 7


def cpu_seconds(action: Callable[[], object]) -> float:
    """Seconds of processor time that an action takes."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        start = time.process_time()
        action()
        return time.process_time() - start
    finally:
        if was_enabled:
            gc.enable()


def growth(action: Callable[[int], object], small: int, large: int, enough: float) -> float:
    """How many times as much `action(large)` costs as `action(small)`; measured until it is `enough` or less, seven
    times at the most."""
    costs: tuple[list[float], list[float]] = ([], [])
    action(small)  # what is loaded or compiled once is no part of the cost
    ratio = float("inf")
    for tried in range(_TRIES):
        costs[0].append(cpu_seconds(lambda: action(small)))
        costs[1].append(cpu_seconds(lambda: action(large)))
        ratio = min(costs[1]) / max(min(costs[0]), _LEAST)
        if tried and ratio <= enough:
            break
    return ratio
