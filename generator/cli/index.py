"""`llmwiki index`: the index by itself. Every other command keeps it up to date too."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from generator.cli.arguments import Commands, add_command, add_json
from generator.cli.failure import WrongUse
from generator.cli.settings import settings
from generator.cli.terminal import Styled, progress_bar, say, say_json
from generator.errors import IndexMissing
from generator.wording import counted

if TYPE_CHECKING:
    from generator.config import Config

Action = Literal["rebuild", "check", "vacuum"]
_ACTIONS: tuple[Action, ...] = get_args(Action)
_MEGABYTE = 1_000_000


def add_index(commands: Commands) -> None:
    """`index [rebuild|check|vacuum] [VAULT]`."""
    parser = add_command(commands, index)
    help_text = "rebuild: read every note again; check: look for damage; vacuum: give space back; default: update"
    parser.add_argument("first", nargs="?", metavar="rebuild|check|vacuum", help=help_text)
    parser.add_argument("second", nargs="?", type=Path, metavar="VAULT", help="the vault, as for the other commands")
    add_json(parser)


def index(first: str | None, second: Path | None, as_json: bool) -> int:
    """Bring the index up to date, repair it, check it or make it smaller."""
    action = next((action for action in _ACTIONS if action == first), None)
    if action is None and second is not None:
        raise WrongUse(f"there is no action `{first}`", hint=f"the actions are: {', '.join(_ACTIONS)}")
    vault = second if action else Path(first) if first else None
    config = settings(vault)
    if action == "check":
        return _check(config, as_json)
    if action == "vacuum":
        _vacuum(config, as_json)
    else:
        _update(config, action == "rebuild", as_json)
    return 0


def _update(config: Config, rebuild: bool, as_json: bool) -> None:
    from generator.store import damage
    from generator.update import open_and_update

    path = config.wiki.index_path
    repaired = damage(path) if path.exists() else ""
    with progress_bar() as progress:
        store, report, _ = open_and_update(config, force=rebuild, check=rebuild, progress=progress)
    try:
        pages = int(store.meta("page_count", "0"))
    finally:
        store.close()
    if as_json:
        changes = {"parsed": report.parsed, "removed": len(report.changes.removed)}
        value = {"index": str(path), "pages": pages, **changes, "data_version": report.data_version}
        say_json(value | {"repaired": repaired, "bytes": path.stat().st_size})
        return
    removed = f", {len(report.changes.removed):,} gone" if report.changes.removed else ""
    say(f"{counted(pages, 'page')}: {report.parsed:,} read{removed}. The index has {_size(path)}.")


def _check(config: Config, as_json: bool) -> int:
    from generator.store import damage

    path = config.wiki.index_path
    if not path.exists():
        raise IndexMissing("this vault has not been indexed yet", hint="run `llmwiki index`")
    problem = damage(path, thorough=True)
    if as_json:
        say_json({"index": str(path), "ok": not problem, "problem": problem})
    elif problem:
        say(Styled("The index cannot be used", "red"), f": {problem}.\n  → `llmwiki index` repairs it")
    else:
        say(f"The index is whole ({_size(path)}).")
    return int(bool(problem))


def _vacuum(config: Config, as_json: bool) -> None:
    from generator.update import open_and_update

    path = config.wiki.index_path
    before = path.stat().st_size if path.exists() else 0
    store, _, _ = open_and_update(config)
    try:
        store.vacuum()
    finally:
        store.close()
    after = path.stat().st_size
    if as_json:
        say_json({"index": str(path), "before": before, "bytes": after})
    else:
        say(f"The index has {_size(path)}, {max(0, before - after) / _MEGABYTE:.1f} MB less than before.")


def _size(path: Path) -> str:
    return f"{path.stat().st_size / _MEGABYTE:.1f} MB"
