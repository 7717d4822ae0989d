"""The documentation against the program, in both directions: what there is, is described; what is described, is there.

The examples of docs/commands.md are run. LLMWIKI_UPDATE_GOLDEN=1 writes what is printed now in place of what no longer
fits.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
import test_cli
import yaml
from documentation import DOCS, PAGES, ROOT, Row, code_blocks, named, options, page, rows, sections, spans, without_code
from project import Project
from test_architecture import ORDER
from test_cli import here as here  # the fixture

import generator.cli.failure
import mcp_bridge.envelope
from generator import __version__
from generator.cli.commands import parse, parsers
from generator.config import SECTIONS, SHORT_VARIABLES
from generator.errors import WikiError
from generator.ignore import PRIVATE_FOLDERS
from generator.syntax.code import PLUGIN_FENCES
from generator.syntax.heading import Anchors
from generator.syntax.media import MEDIA_EXTENSIONS
from mcp_bridge.server import _parser as bridge_parser

KEYS = [f"{section}.{item.name}" for section, settings in SECTIONS.items() for item in fields(settings)]
# What other programs share, and we heed.
COMMON_VARIABLES = {"NO_COLOR"}
# What the pages tell people to run beside our own programs.
OTHER_PROGRAMS = {"pip", "pipx", "uv", "python3", "git", "cd", "sudo", "pm2", "curl"}


# ── commands ────────────────────────────────────────────────────────────────────────────────────────────


def test_every_command_is_described_in_its_order() -> None:
    described = [
        title.removeprefix("llmwiki ") for title in sections(page("commands.md")) if title.startswith("llmwiki ")
    ]
    assert described == list(parsers())


@pytest.mark.parametrize("command", parsers())
def test_every_option_is_described(command: str) -> None:
    text = sections(page("commands.md"))[f"llmwiki {command}"]
    assert set(named(text, "option")) == options(parsers()[command])


def test_the_options_that_belong_to_all() -> None:
    assert named(sections(page("commands.md"))[""], "option") == ["--help", "--version"]


def test_no_page_names_an_option_that_is_not_there() -> None:
    known = {
        string
        for parser in [*parsers().values(), bridge_parser()]
        for action in parser._actions
        for string in action.option_strings
    }
    wrong = [f"{file.name}: {text}" for file in PAGES for text in spans(without_code(file.read_text("utf-8")))
             if (option := re.match(r"--[a-z][\w-]*", text)) and option[0] not in known | {"--version"}]  # fmt: skip
    assert not wrong


CALLS = {
    "init": ["init {new}"],
    "build": ["build {vault} --out {out}"],
    "search": ["search tea --vault {vault}"],
    "context": ["context tea --vault {vault}"],
    "related": ["related Tea --vault {vault}"],
    "show": ["show Tea --vault {vault}"],
    "status": ["status --vault {vault}"],
    "lint": ["lint --vault {vault}"],
    "link": ["link --vault {vault}"],
    "tags": ["tags --vault {vault}"],
    "synthesize": ["synthesize --vault {vault}"],
    "memory": ["memory --vault {vault}", "memory claude --other url --vault {vault}"],
    "daily": ["daily {vault}"],
    "log": ["log --vault {vault}"],
    "export": ["export json --vault {vault}"],
    "colorize": ["colorize --vault {vault}"],
    "index": ["index {vault}", "index check {vault}", "index vacuum {vault}"],
    "ingest": [
        "ingest status --vault {new}",
        "ingest scan --vault {new}",
        "ingest next --vault {new}",
        "ingest done tea.txt --fallback-summary --vault {new}",
        "ingest again --vault {new}",
    ],
    "source": [
        "source list --vault {new}",
        "source add https://example.org/tea --vault {new}",
        "source remove tea.txt --vault {new} --apply",
        "source restore --vault {new}",
    ],
    "archive": ["archive create --vault {new}", "archive list --vault {new}", "archive restore Z --vault {new}"],
    "history": ["history list --home {home}", "history extract 0aa1 --home {home}"],
    "skills": ["skills install --to {new}", "skills list --to {new}", "skills check --to {new}"],
    "doctor": ["doctor --vault {vault}"],
    "bench": ["bench tea --iterations 2 --vault {vault}"],
    "completion": ["completion bash"],
}


# What must have been done before.
BEFORE = dict.fromkeys(("ingest", "source", "archive"), ("init {new}", "source add {file} --vault {new} --apply"))
# They tell of the machine, too: a slow one, or one whose agents are set up wrongly.
MAY_FIND_SOMETHING = {"bench", "doctor"}


@pytest.mark.parametrize("command", CALLS)
def test_every_key_of_the_json_is_described(command: str, project: Project) -> None:
    project.write({"Tea.md": "# Tea\n"})
    (project.root / "tea.txt").write_text("Tea should not boil.\n", "utf-8")
    session = project.root / "user/.claude/projects/-tea/0aa1.jsonl"
    session.parent.mkdir(parents=True)
    session.write_text('{"type": "user", "message": {"role": "user", "content": "Tea?"}}\n', "utf-8")
    places = {"vault": project.vault, "out": project.root / "out", "new": project.root / "new"}
    places |= {"file": project.root / "tea.txt", "home": project.root / "user"}
    for call in BEFORE.get(command, ()):
        assert project.cli(*call.format(**places).split()).code == 0, call
    keys: set[str] = set()
    for call in CALLS[command]:
        done = project.cli(*call.format(**places).split(), "--json")
        assert done.code == 0 or command in MAY_FIND_SOMETHING, done
        keys |= json.loads(done.out).keys()
    assert set(named(sections(page("commands.md"))[f"llmwiki {command}"], "JSON")) == keys


def test_every_key_of_a_manifest_is_described(project: Project) -> None:
    project.write({"Tea.md": "# Tea\n"})
    done = project.cli("build", str(project.vault), "--manifest", "--json")
    assert set(named(page("commands.md"), "JSON of a manifest")) == json.loads(done.out).keys()


WITH_EXAMPLES = [file for file in PAGES if code_blocks(file.read_text("utf-8"), "console")]


@pytest.mark.parametrize("file", WITH_EXAMPLES, ids=lambda file: file.name)
def test_the_examples_print_what_they_show(file: Path, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def replay(block: re.Match[str]) -> str:
        shown: list[str] = []
        for step in test_cli._steps(block[0]):
            output = test_cli._perform(step.command, monkeypatch)
            output = output.replace(str(here.parent / "home"), "/home/you/.sanguo-llmwiki").replace(
                str(here), "/home/you"
            )
            fits = re.fullmatch(test_cli._pattern(step.expected), output)
            lines = step.expected if fits else test_cli._generalised(output).splitlines()
            shown += [*step.before, f"$ {step.command}", *lines]
        return "\n".join(shown) + "\n"

    text = file.read_text("utf-8")
    replayed = re.sub(r"(?<=^```console\n).*?(?=^```$)", replay, text, flags=re.MULTILINE | re.DOTALL)
    if test_cli.UPDATE:
        file.write_text(replayed, "utf-8")
    else:
        assert replayed == text


def test_the_pages_with_examples() -> None:
    assert {"commands.md", "tutorial.md", "tutorial.zh.md"} <= {file.name for file in WITH_EXAMPLES}


# ── settings ────────────────────────────────────────────────────────────────────────────────────────────


def test_every_setting_is_described() -> None:
    assert named(page("configuration.md"), "key") == KEYS


@pytest.mark.parametrize("row", rows(page("configuration.md"), "key"), ids=lambda row: row[0].strip("`"))
def test_kind_and_default_of_a_setting(row: Row) -> None:
    section, _, name = row[0].strip("`").partition(".")
    item = next(item for item in fields(SECTIONS[section]) if item.name == name)
    kind = get_type_hints(SECTIONS[section])[name]
    assert row[1] == _kind(kind, item)
    if item.default is not MISSING and item.default is not None and item.default != "":
        assert _shown(item.default) in spans(row[2]) or row[2].endswith(f"else `{_shown(item.default)}`")
    else:
        assert item.default is MISSING or row[2].startswith("none")


def _kind(kind: Any, item: Field[Any]) -> str:
    kind = (
        next((option for option in get_args(kind) if option is not NoneType), kind)
        if NoneType in get_args(kind)
        else kind
    )
    if get_origin(kind) is Literal:
        return ", ".join(f"`{option}`" for option in get_args(kind))
    if kind is int:
        most = f" to {item.metadata['most']}" if "most" in item.metadata else ""
        return f"number from {item.metadata['least']}{most}"
    if item.metadata.get("url"):
        return "address"
    return {bool: "yes or no", float: "number from 0 to 1", str: "text", Path: "path"}.get(kind, "list")


def _shown(default: object) -> str:
    if isinstance(default, bool):
        return str(default).lower()
    return "[]" if default == () else str(default)


def test_no_page_names_a_setting_that_is_not_there() -> None:
    pattern = re.compile(rf"({'|'.join(SECTIONS)})\.[a-z_]+")
    wrong = [f"{file.name}: {text}" for file in PAGES for text in spans(without_code(file.read_text("utf-8")))
             if (key := pattern.match(text)) and key[0] not in {*KEYS, "wiki.md"}]  # fmt: skip
    assert not wrong


def test_every_environment_variable_is_described() -> None:
    table = {spans(row[0])[0]: row[1] for row in rows(page("configuration.md"), "variable")}
    short = {name: f"`{key}`" for name, key in SHORT_VARIABLES.items()}
    assert {name: key for name, key in table.items() if name in short} == short
    assert table.keys() == short.keys() | {"LLMWIKI_HOME"} | COMMON_VARIABLES
    source = "\n".join(
        file.read_text("utf-8") for folder in ("generator", "mcp_bridge") for file in (ROOT / folder).rglob("*.py")
    )
    used = set(re.findall(r"env(?:iron)?(?:\.get\(|\[)\"([A-Z_]+)\"", source))
    assert used - {"TERM"} <= table.keys()


def test_the_settings_of_the_example_are_read(project: Project) -> None:
    (example,) = code_blocks(page("configuration.md"), "yaml")
    project.write({".llm-wiki/config.yaml": example})
    config = project.config(site={"output": None})
    for section, settings in yaml.safe_load(example).items():
        for name, value in settings.items():
            if name != "output":
                assert getattr(getattr(config, section), name) == (tuple(value) if isinstance(value, list) else value)
    assert config.site.output == project.vault.parent / "field-notes-site"


# ── errors ──────────────────────────────────────────────────────────────────────────────────────────────


def codes() -> set[str]:
    """The code of every error there is."""
    assert generator.cli.failure
    assert mcp_bridge.envelope
    known, pending = set(), [WikiError]
    while pending:
        error = pending.pop()
        known.add(error.code)
        pending += error.__subclasses__()
    return known


def test_every_error_code_is_described() -> None:
    described = {code for name in ("commands.md", "mcp.md") for code in named(page(name), "code")}
    assert described == codes()


def test_exit_codes_of_errors() -> None:
    from generator.cli.failure import WrongUse
    from generator.errors import ConfigError, VaultError

    wrong_use = {error.code for error in (ConfigError, VaultError, WrongUse)}
    for row in rows(page("commands.md"), "code"):
        assert row[1] == ("2" if spans(row[0])[0] in wrong_use else "1")


# ── syntax, architecture ────────────────────────────────────────────────────────────────────────────────


def test_the_endings_of_media_are_described() -> None:
    described = {ending for row in rows(page("syntax.md"), "file") for ending in row[0].split()}
    known = {ending for kind in ("image", "audio", "video", "pdf", "text") for ending in MEDIA_EXTENSIONS[kind]}
    assert described - {"any", "other", "file"} == known


def test_the_fences_of_plugins_are_described() -> None:
    (item,) = re.findall(r"^- \*\*Plugin fences\*\*(.*?)(?=^- |^$)", page("syntax.md"), re.MULTILINE | re.DOTALL)
    assert set(spans(item)) == PLUGIN_FENCES


def test_the_folders_that_are_left_alone_are_described() -> None:
    assert set(spans(page("syntax.md"))) >= PRIVATE_FOLDERS


def test_the_modules_of_the_architecture_stand_in_the_order_of_their_imports() -> None:
    modules = {path.stem for path in (ROOT / "generator").glob("*.py") if not path.stem.startswith("__")}
    packages = {path.parent.name for path in (ROOT / "generator").glob("*/__init__.py")}
    described = [name.rstrip("/") for name in named(page("architecture.md"), "module")]
    assert described == [*(name for name in ORDER if name in modules | packages), "mcp_bridge"]


# ── the rest ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.name)
def test_every_link_leads_somewhere(file: Path) -> None:
    text = without_code(file.read_text("utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", text)):
        if target.startswith(("https://", "http://")):
            continue
        path, _, anchor = target.partition("#")
        linked = (file.parent / path).resolve() if path else file
        assert linked.is_file(), target
        assert not anchor or anchor in _anchors(linked), target


def _anchors(file: Path) -> set[str]:
    anchors = Anchors()
    headings = re.findall(r"^#+ (.+)$", without_code(file.read_text("utf-8")), re.MULTILINE)
    return {anchors.claim(heading.replace("`", "")) for heading in headings}


def test_the_json_of_the_examples_is_json() -> None:
    assert all(json.loads(block) for file in PAGES for block in code_blocks(file.read_text("utf-8"), "json"))


def test_the_readme_links_to_every_page_of_the_documentation() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert [file.name for file in DOCS.glob("*.md") if f"(docs/{file.name})" not in readme] == []


def test_the_changelog_begins_with_this_version() -> None:
    first = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert first is not None
    assert first[1] == __version__


def shell_lines() -> Iterator[tuple[str, str]]:
    """Each command in a block of shell in our pages, with its page; comments and variables before it are left out."""
    for file in PAGES:
        for block in code_blocks(file.read_text("utf-8"), "sh"):
            for line in block.splitlines():
                words = shlex.split(line, comments=True)
                while words and re.match(r"[A-Z_]+=", words[0]):
                    words.pop(0)
                if words:
                    yield file.name, shlex.join(words)


@pytest.mark.parametrize(("name", "line"), [*shell_lines()])
def test_commands_in_the_pages_can_be_run(name: str, line: str) -> None:
    program, *arguments = shlex.split(line)
    if program == "llmwiki":
        parse(arguments)
    elif program == "make":
        targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
        assert set(arguments) <= set(targets)
    elif program == "claude":
        command, *options = arguments[arguments.index("--") + 1 :]
        assert command == "llmwiki-mcp"
        bridge_parser().parse_args(options)
    else:
        assert program in OTHER_PROGRAMS, f"{name}: {line}"


def test_targets_named_in_the_pages_are_there() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    used = {target for file in PAGES for target in re.findall(r"`make ([a-z]+)`", file.read_text("utf-8"))}
    assert used
    assert used <= targets
