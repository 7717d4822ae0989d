"""(h) Many at once on one index: two servers and builds, a storm of writes, a crowd over HTTP. Nothing is lost or
doubled, nobody meets an error."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_session import Session, environment, process_session
from mcp_types import CallToolResult
from project import Project
from test_mcp_http import serving

from generator.store import damage

# Writes pages as another program would: most of them new, others changed in place, renamed, or deleted again.
STORM = """
import random, sys
from pathlib import Path
vault, count = Path(sys.argv[1]), int(sys.argv[2])
chance = random.Random(7)
names = []
for n in range(count):
    deed = chance.random()
    if deed < 0.7 or not names:
        name = f"s{n % 7}/P{n}.md"
        (vault / name).parent.mkdir(exist_ok=True)
        (vault / name).write_text(f"stormword word{n}x [[P{n - 1}]]\\n")
        names.append(name)
    elif deed < 0.85:
        (vault / chance.choice(names)).write_text(f"stormword word{n}x changed\\n")
    elif deed < 0.95:
        old = names.pop(chance.randrange(len(names)))
        new = f"s{n % 7}/M{n}.md"
        (vault / new).parent.mkdir(exist_ok=True)
        (vault / old).rename(vault / new)
        names.append(new)
    else:
        (vault / names.pop(chance.randrange(len(names)))).unlink()
"""


def on_disk(project: Project) -> dict[str, str]:
    """Every page of the vault with its text."""
    return {path.relative_to(project.vault).as_posix(): path.read_text() for path in project.vault.rglob("*.md")}


async def every_page(session: Session, query: str) -> list[str]:
    """The paths of all that is found, over all its parts."""
    found: list[str] = []
    cursor = ""
    while True:
        answer = await session.data("wiki_query", query=query, limit=50, cursor=cursor)
        found += [hit["path"] for hit in answer["results"]]
        if not (cursor := answer.get("next_cursor", "")):
            return found


async def another_process(*arguments: str, home: Path) -> None:
    """Run a program to its good end."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, env=environment(home), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    out, _ = await process.communicate()
    assert process.returncode == 0, out.decode()


@asynccontextmanager
async def again_and_again(project: Project, command: str, *options: str) -> AsyncIterator[list[int]]:
    """A command, as processes one after the other, as long as this lasts; the list counts them."""
    done: list[int] = []
    enough = asyncio.Event()

    async def work() -> None:
        while not enough.is_set():
            await another_process("-m", "generator", command, str(project.vault), *options, home=project.home)
            done.append(1)

    task = asyncio.create_task(work())
    try:
        yield done
        while not done and not task.done():
            await asyncio.sleep(0.05)
    finally:
        enough.set()
        await task


@pytest.mark.parametrize("command", ["index", "build"])
def test_h_two_servers_and_builds_on_one_index_lose_nothing(project: Project, command: str) -> None:
    project.write({f"old/O{n}.md": f"oldword [[O{n - 1}]]\n" for n in range(60)})

    async def work(session: Session, mine: str) -> None:
        for n in range(40):
            project.write({f"{mine}/N{n}.md": f"{mine}word {mine}{n}x [[O{n}]]\n"})
            assert await session.found(f"{mine}{n}x") == [f"{mine}/N{n}.md"]
            if n % 5 == 4:
                project.remove(f"{mine}/N{n - 1}.md")
                assert await session.found(f"{mine}{n - 1}x") == []

    async def check() -> None:
        async with (
            process_session(project.vault, project.home) as one,
            process_session(project.vault, project.home) as two,
            again_and_again(project, command, *(["--out", str(project.site)] if command == "build" else [])) as done,
        ):
            await asyncio.gather(work(one, "one"), work(two, "two"))
            for session in (one, two):
                for word in ("oldword", "oneword", "twoword"):
                    pages = sorted(path for path, text in on_disk(project).items() if word in text)
                    assert sorted(await every_page(session, word)) == pages
        assert done

    asyncio.run(check())
    assert damage(project.config().wiki.index_path, thorough=True) == ""
    project.build()
    assert project.notes == sorted(on_disk(project))


def test_h_a_storm_of_a_thousand_writes_settles(project: Project) -> None:
    project.write({"Calm.md": "calmword\n"})

    async def check() -> None:
        async with process_session(project.vault, project.home) as session:
            assert await session.found("calmword") == ["Calm.md"]
            storm = asyncio.create_task(another_process("-c", STORM, str(project.vault), "1000", home=project.home))
            while not storm.done():
                assert await session.found("calmword") == ["Calm.md"], "the server answers all the while"
            await storm
            while "hint" in await session.data("wiki_query", query="stormword", limit=1):
                pass  # on a busy machine the last changes take longer than a query waits
            pages = on_disk(project)
            found = await every_page(session, "stormword")
            assert sorted(found) == sorted(path for path, text in pages.items() if "stormword" in text)
            assert (await session.data("wiki_status"))["stats"]["pages"] == len(pages)
            for path in random.Random(3).sample(sorted(set(pages) - {"Calm.md"}), 10):
                words = pages[path].split()
                assert path in await session.found(words[1])

    asyncio.run(check())
    assert project.notes == sorted(on_disk(project))
    (fts,) = project.rows("SELECT count(*) FROM wiki_fts_docsize")
    assert fts == (len(on_disk(project)),)


def test_a_page_written_by_another_process_is_found_by_the_next_query(project: Project) -> None:
    async def check() -> None:
        async with process_session(project.vault, project.home) as session:
            await session.found("")
            for n in range(3):
                program = f"open({str(project.vault / f'N{n}.md')!r}, 'w').write('freshword{n}x')"
                await another_process("-c", program, home=project.home)
                assert await session.found(f"freshword{n}x") == [f"N{n}.md"]

    asyncio.run(check())


def test_h_thirty_two_clients_over_http_while_builds_run_meet_no_error(project: Project) -> None:
    project.write({f"P{n}.md": f"crowdword number{n}x [[P{n - 1}]]\n" for n in range(64)})
    calls = ("wiki_query", "wiki_neighbors", "wiki_read_page", "wiki_status", "wiki_lint")
    outcomes: Counter[str] = Counter()

    async def written(url: str, n: int) -> None:
        async with Client(streamable_http_client(url)) as client:
            project.write({f"C{n}.md": f"clientword{n}x\n"})
            mine = await client.call_tool("wiki_query", {"query": f"clientword{n}x"})
            assert isinstance(mine, CallToolResult)
            assert [hit["path"] for hit in (mine.structured_content or {})["data"]["results"]] == [f"C{n}.md"]

    async def one(url: str, n: int) -> None:
        async with Client(streamable_http_client(url), mode="legacy" if n % 2 else "auto") as client:
            for name in calls:
                arguments = {"page": f"P{n}"} if name in ("wiki_neighbors", "wiki_read_page") else {}
                result = await client.call_tool(name, arguments)
                assert isinstance(result, CallToolResult)
                outcomes["error" if result.is_error else "answer"] += 1
                assert not result.is_error, result

    async def check(url: str) -> None:
        await asyncio.gather(*(written(url, n) for n in range(32)))
        async with again_and_again(project, "build", "--out", str(project.site)):
            await asyncio.gather(*(one(url, n) for n in range(32)))

    with serving(project, "http") as (url, _):
        asyncio.run(check(url))
    assert outcomes == {"answer": 32 * len(calls)}
    log = (project.root / "log" / "bridge.log").read_text()
    assert "locked" not in log
    assert "Traceback" not in log
