"""The cache of answers: age, size, and the state of the index."""

from __future__ import annotations

from generator.cache import ResultCache


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_value_is_kept_for_its_time() -> None:
    clock = Clock()
    cache: ResultCache[str] = ResultCache(10, clock=clock)
    cache.put(1, "tea", "green", 5)
    clock.now = 9.9
    assert cache.get(1, "tea") == "green"
    clock.now = 10.0
    assert cache.get(1, "tea") is None
    assert (len(cache), cache.size) == (0, 0)


def test_a_change_of_the_index_forgets_everything() -> None:
    cache: ResultCache[str] = ResultCache(10, clock=Clock())
    cache.put(1, "tea", "green", 5)
    cache.put(1, "milk", "white", 5)
    assert cache.get(2, "tea") is None
    assert cache.get(1, "milk") is None
    assert (len(cache), cache.size) == (0, 0)


def test_a_slow_query_does_not_bring_back_an_old_state() -> None:
    cache: ResultCache[str] = ResultCache(10, clock=Clock())
    cache.put(2, "tea", "new", 1)
    cache.put(1, "tea", "old", 1)
    assert cache.get(2, "tea") == "new"


def test_what_was_asked_for_longest_ago_makes_room() -> None:
    cache: ResultCache[str] = ResultCache(10, most_size=10, clock=Clock())
    cache.put(1, "a", "A", 4)
    cache.put(1, "b", "B", 4)
    assert cache.get(1, "a") == "A"
    cache.put(1, "c", "C", 4)
    assert [cache.get(1, key) for key in "abc"] == ["A", None, "C"]
    assert cache.size == 8
    cache.put(1, "d", "too large", 11)
    assert cache.get(1, "d") is None
    assert len(cache) == 2


def test_the_same_key_again_takes_the_place_of_the_first() -> None:
    cache: ResultCache[str] = ResultCache(10, most_size=10, clock=Clock())
    for value in ("one", "two"):
        cache.put(1, "key", value, 6)
    assert (cache.get(1, "key"), cache.size, len(cache)) == ("two", 6, 1)


def test_no_time_means_no_cache() -> None:
    cache: ResultCache[str] = ResultCache(0, clock=Clock())
    cache.put(1, "key", "value", 1)
    assert cache.get(1, "key") is None
