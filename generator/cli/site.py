"""`llmwiki build` and `llmwiki serve`: the site."""

from __future__ import annotations

import sqlite3
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator.cli.arguments import Commands, add_command, add_json, add_output, add_server, add_vault_argument
from generator.cli.failure import WrongUse, explain
from generator.cli.failure import report as report_failure
from generator.cli.settings import settings
from generator.cli.terminal import bold, dim, progress_bar, say, say_findings, say_json, say_json_line, say_pairs
from generator.errors import WikiError
from generator.wording import counted

if TYPE_CHECKING:
    from generator.config import Config
    from generator.model import Report
    from generator.serve import Address


def add_build(commands: Commands) -> None:
    """`build [VAULT]`."""
    parser = add_command(commands, build)
    add_vault_argument(parser)
    add_output(parser)
    parser.add_argument("--force", action="store_true", help="make everything anew")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if there is an error or a warning")
    parser.add_argument("--manifest", action="store_true", help="list all that would become public, and make nothing")
    parser.add_argument("--watch", action="store_true", help="serve the site and build again with every change")
    add_server(parser)
    add_json(parser)


def build(
    vault: Path | None,
    out: Path | None,
    force: bool,
    strict: bool,
    manifest: bool,
    watch: bool,
    host: str | None,
    port: int | None,
    open_site: bool,
    as_json: bool,
) -> int:
    """Make the site, and in it only what has changed since the last time."""
    if watch and strict:
        raise WrongUse("--strict has no meaning with --watch, which does not end")
    if manifest and (force or strict or watch):
        raise WrongUse("--manifest makes nothing: --force, --strict and --watch have no meaning with it")
    if not watch and (host is not None or port is not None):
        raise WrongUse("--host and --port go with --watch", hint="`llmwiki serve` serves a built site")
    config = settings(vault, output=out)
    if manifest:
        _print_publication(config, as_json)
        return 0
    report = _build(config, force)
    if watch:
        _print_report(report, config.site.output, line=as_json, as_json=as_json)
        _watch(vault, config, _address(host, port), open_site, as_json)
        return 0
    _print_report(report, config.site.output, as_json=as_json)
    if open_site:
        _open((config.site.output / "index.html").as_uri())
    return int(strict and any(finding.severity != "info" for finding in report.warnings))


def _print_publication(config: Config, as_json: bool) -> None:
    from datetime import date

    from generator.publication import publication

    found = publication(config, date.today())
    if as_json:
        listed = {name: [file._asdict() for file in getattr(found, name)] for name in ("pages", "attachments")}
        say_json(listed | {name: getattr(found, name) for name in ("tags", "files", "private")})
        return
    for name, files in (("page", found.pages), ("attachment", found.attachments)):
        say(bold(counted(len(files), name)))
        for file in files:
            say(f"  {file.path}", dim(f"  {file.url}"))
    for name, texts in (("tag", found.tags), ("other file", found.files)):
        say(bold(counted(len(texts), name)))
        for text in texts:
            say(f"  {text}")
    say(bold(counted(len(found.private), "note stays", "notes stay")), " private")


def add_serve(commands: Commands) -> None:
    """`serve [VAULT]`."""
    parser = add_command(commands, serve)
    add_vault_argument(parser)
    add_output(parser)
    add_server(parser)
    add_json(parser)


def serve(
    vault: Path | None, out: Path | None, host: str | None, port: int | None, open_site: bool, as_json: bool
) -> None:
    """Serve the site as it was built; if there is none, build it first."""
    from generator.serve import serve as serve_folder

    config = settings(vault, output=out)
    if not (config.site.output / "index.html").is_file():
        report = _build(config, force=False)
        _print_report(report, config.site.output, line=as_json, as_json=as_json)
    serve_folder(config.site.output, _address(host, port), _announce(open_site, as_json))


def _build(config: Config, force: bool) -> Report:
    from generator.build import build as build_site

    with progress_bar() as progress:
        return build_site(config, force=force, progress=progress)


def _watch(vault: Path | None, config: Config, address: Address, open_site: bool, as_json: bool) -> None:
    from jinja2 import TemplateError

    from generator.serve import watch as watch_folder

    current = config

    def rebuild() -> tuple[Config, bool]:
        nonlocal current
        try:
            current = settings(vault or config.wiki.vault_path, output=config.site.output)
            report = _build(current, force=False)
        except (WikiError, OSError, sqlite3.Error, TemplateError) as error:  # the next change may mend it
            report_failure(explain(error), as_json=as_json, line=True)
            return current, False
        changed = bool(report.written or report.removed)
        if changed or report.parsed:
            _print_change(report, as_json)
        return current, changed

    watch_folder(config, rebuild, address, _announce(open_site, as_json))


def _address(host: str | None, port: int | None) -> Address:
    from generator.serve import Address

    default = Address()
    return Address(host or default.host, default.port if port is None else port)


def _announce(open_site: bool, as_json: bool) -> Callable[[str], None]:
    """What to do once the server listens: say where, and open a browser there."""

    def ready(url: str) -> None:
        if as_json:
            say_json_line({"url": url})
        else:
            say("Serving at ", bold(url), dim("  (Ctrl-C ends it)"))
            sys.stdout.flush()
        if open_site:
            _open(url)

    return ready


def _open(url: str) -> None:
    import webbrowser

    if not webbrowser.open(url):
        raise WikiError("no browser could be started", hint=f"open {url} yourself")


def _report_value(report: Report, output: Path) -> dict[str, Any]:
    """The report as programs read it."""
    value = asdict(report)
    value["seconds"] = round(report.seconds, 3)
    value["stages"] = {name: round(seconds, 3) for name, seconds in report.stages.items()}
    return value | {"output": str(output)}


def _print_report(report: Report, output: Path, *, as_json: bool, line: bool = False) -> None:
    if as_json:
        (say_json_line if line else say_json)(_report_value(report, output))
        return
    slowest = sorted(report.stages.items(), key=lambda stage: -stage[1])[:3]
    stages = ", ".join(f"{name} {seconds:.1f}" for name, seconds in slowest if seconds >= 0.05)
    say_pairs(
        [
            ("pages", f"{report.pages:,} ({report.parsed:,} parsed)"),
            ("files", f"{report.written:,} written, {report.kept:,} kept, {report.removed:,} removed"),
            ("time", f"{report.seconds:.1f} s" + (f" ({stages})" if stages else "")),
        ]
    )
    if not report.pages:
        say("There is no page yet: put a note into the vault, and build again.")
    if report.warnings:
        say()
        say_findings(report.warnings)
    say("\nSite: ", bold(_shown(output / "index.html")))


def _print_change(report: Report, as_json: bool) -> None:
    """One line for one rebuild of a watch."""
    if as_json:
        value = asdict(report)
        say_json_line({key: value[key] for key in ("pages", "parsed", "written", "kept", "removed", "seconds")})
        return
    what = [counted(report.parsed, "note") + " read", counted(report.written, "file") + " written"]
    if report.removed:
        what.append(f"{report.removed:,} removed")
    say(dim(time.strftime("%H:%M:%S")), f" {', '.join(what)} ({report.seconds:.2f} s)")
    sys.stdout.flush()


def _shown(path: Path) -> str:
    """A path as short as it can be said from here."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
