"""What a build costs beside a bare parse: `python -m tests.benchmarks.build [VAULT]`.

VAULT defaults to the official help vault beside the checkout (`../shared/vaults/obsidian-help`). Everything is
measured as whole processes; `hugo` joins in where it is installed. The vault is copied, never changed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HELP_VAULT = Path(__file__).resolve().parents[3] / "shared" / "vaults" / "obsidian-help"
_HUGO_TOML = """baseURL = "https://example.org/"
title = "bench"
[markup.goldmark.renderer]
unsafe = true
[outputs]
home = ["html", "rss"]
"""
_HUGO_PAGE = (
    "<!doctype html><title>{{ .Title }}</title>{{ .TableOfContents }}{{ .Content }}{{ range .Pages }}"
    '<a href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}'
)


@dataclass(frozen=True)
class Figure:
    """One whole process: seconds by the clock, seconds of all its processors, megabytes of all its processes."""

    wall: float
    cpu: float
    memory: float
    output: str


def measure(command: list[str], cwd: Path | None = None) -> Figure:
    """Run a command to its end."""
    before = os.times()
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    peak = [0.0]
    watcher = threading.Thread(target=_watch_memory, args=(process, peak), daemon=True)
    watcher.start()
    output = process.communicate()[0]
    watcher.join()
    wall, after = time.perf_counter() - start, os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Figure(wall, cpu, peak[0], output)


def _watch_memory(process: subprocess.Popen[str], peak: list[float]) -> None:
    while process.poll() is None:
        peak[0] = max(peak[0], sum(map(_megabytes, _family(process.pid))))
        time.sleep(0.05)


def _family(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return [pid]
    return [pid, *(member for child in children for member in _family(int(child)))]


def _megabytes(pid: int) -> float:
    """The process's share of memory: pages that several share count for each in part."""
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in rollup.splitlines() if line.startswith("Pss:")), 0.0)


def bare(vault: Path) -> int:
    """Parse and render every note with plain markdown-it and four plugins, in two processes."""
    notes = sorted(map(str, vault.rglob("*.md")))
    with ProcessPoolExecutor(2) as pool:
        return sum(pool.map(_render_bare, notes, chunksize=32))


def _render_bare(path: str) -> int:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin
    from mdit_py_plugins.footnote import footnote_plugin
    from mdit_py_plugins.front_matter import front_matter_plugin
    from mdit_py_plugins.tasklists import tasklists_plugin

    if "md" not in globals():
        md = MarkdownIt("gfm-like", {"linkify": False, "html": True}).disable("linkify")
        for plugin in (footnote_plugin, dollarmath_plugin, tasklists_plugin, front_matter_plugin):
            md.use(plugin)
        globals()["md"] = md
    return len(globals()["md"].render(Path(path).read_text("utf-8", "replace")))


def hugo(vault: Path, folder: Path) -> Figure | None:
    """Hugo with table of contents, lists and RSS; notes that it refuses are left out."""
    if shutil.which("hugo") is None:
        return None
    site = folder / "hugo"
    for name in ("content", "layouts/_default"):
        (site / name).mkdir(parents=True)
    (site / "hugo.toml").write_text(_HUGO_TOML)
    for name in ("single", "list"):
        (site / "layouts" / "_default" / f"{name}.html").write_text(_HUGO_PAGE)
    (site / "layouts" / "index.html").write_text(_HUGO_PAGE)
    shutil.copytree(vault, site / "content", dirs_exist_ok=True, ignore=shutil.ignore_patterns(".*"))
    command = ["hugo", "--source", str(site), "--destination", str(site / "public")]
    for _ in range(60):  # it stops at the first note that it cannot read: leave that one out
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        refused = re.search(rf"{re.escape(str(site / 'content'))}/[^\"]*?\.md", done.stdout + done.stderr)
        if done.returncode == 0 or refused is None:
            break
        Path(refused[0]).unlink()
    shutil.rmtree(site / "public", ignore_errors=True)
    return measure(command)


def main(arguments: list[str]) -> int:
    vault = Path(arguments[0]) if arguments else HELP_VAULT
    if not vault.is_dir():
        print(f"no vault at {vault}: name one")
        return 2
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["LLMWIKI_HOME"] = str(folder / "home")
        copy = folder / "vault"
        shutil.copytree(vault, copy)
        _report(copy, folder)
    return 0


def _report(vault: Path, folder: Path) -> None:
    llmwiki = [sys.executable, "-m", "generator"]
    build = [*llmwiki, "build", str(vault), "--out", str(folder / "site"), "--json"]
    bare_run = measure([sys.executable, "-m", "tests.benchmarks.build", "--bare", str(vault)])
    hugo_run = hugo(vault, folder)
    full = measure(build)
    report = json.loads(full.output)
    again = measure(build)
    note = sorted(vault.rglob("*.md"))[len(list(vault.rglob("*.md"))) // 2]
    note.write_text(note.read_text("utf-8") + "\nOne more line.\n", "utf-8")
    edit = measure(build)
    text = sum(path.stat().st_size for path in vault.rglob("*.md"))
    index = sum(path.stat().st_size for path in (folder / "home").rglob("index.db"))
    rows = [("bare markdown-it, two processes", bare_run), ("full build", full)]
    rows += [("hugo", hugo_run)] if hugo_run else []
    rows += [
        ("nothing changed", again),
        (f"one note edited ({json.loads(edit.output)['written']} files written)", edit),
        ("llmwiki --version", measure([*llmwiki, "--version"])),
        ("llmwiki search", measure([*llmwiki, "search", "block reference", "--vault", str(vault), "--json"])),
    ]
    print(f"{report['pages']} pages, {text / 1e6:.1f} MB of text\n")
    print(f"{'':44}{'seconds':>9}{'cpu':>8}{'of bare':>9}{'MB':>7}")
    for title, run in rows:
        print(f"{title:44}{run.wall:9.2f}{run.cpu:8.2f}{run.cpu / bare_run.cpu:9.2f}{run.memory:7.0f}")
    if hugo_run:
        print(f"\nfull build ÷ hugo, by the clock: {full.wall / hugo_run.wall:.2f}")
    total = sum(report["stages"].values())
    shares = ", ".join(f"{name} {seconds / total:.0%}" for name, seconds in report["stages"].items())
    print(f"\nshare of the stages: {shares}\nindex: {index / 1e6:.1f} MB, {index / text:.2f} times the text")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--bare"]:
        bare(Path(sys.argv[2]))
        sys.exit(0)
    sys.exit(main(sys.argv[1:]))
