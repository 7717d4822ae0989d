"""The skills: their form, that all they name is there, and that their scripts do what they show.

LLMWIKI_UPDATE_GOLDEN=1 writes what is printed now in place of what no longer fits.
"""

from __future__ import annotations

import json
import re
import shlex
import stat
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
import skill_scripts
import test_cli
from documentation import DOCS, page
from documentation import spans as doc_spans
from jsonschema import Draft202012Validator, ValidationError
from mcp_session import Session, in_session
from project import Project
from skill_scripts import FOLDER, PRELUDES, blocks, skill_text, texts
from test_cli import here as here  # the fixture
from test_docs import KEYS

from generator import skills
from generator.cli.commands import MODULES, parse, parsers
from generator.cli.export import FORMATS, WAYS
from generator.config import load_config
from generator.errors import SkillNotFound
from generator.skills import RECORD, SKILLS, bundled, format_problems, install, state_of
from generator.starter import plant
from mcp_bridge.protocol import _tool
from mcp_bridge.server import _parser as bridge_parser
from mcp_bridge.tools import TOOLS

SCHEMAS = {tool.name: tool.parameters for tool in map(_tool, TOOLS)}
EVERY_TEXT = [(name, file, text) for name in SKILLS for file, text in texts(name)]
IDS = [f"{name}/{file}" for name, file, _ in EVERY_TEXT]


# ── form ────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_folders_are_the_skills() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(SKILLS)
    assert sorted(PRELUDES) == sorted(SKILLS)
    assert len(SKILLS) == 11


@pytest.mark.parametrize("name", SKILLS)
def test_form(name: str) -> None:
    assert format_problems(FOLDER / name) == []


@pytest.mark.parametrize("name", SKILLS)
def test_no_reference_is_left_over(name: str) -> None:
    files = {file for file, _ in texts(name) if file != "SKILL.md"}
    assert files == {span for span in skill_scripts.spans(skill_text(name)) if span.startswith("references/")}


def _broken(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("name: wiki-capture", "name: Wiki_Capture", "name"),
        ("description: Saves", "description: I save", "third person"),
        ("## Output", "## Result", "Output"),
        ("# Capture a conversation", "# Capture\n" + "line\n" * 200, "under 200 lines"),
        ("## Steps", "## Steps\n\nSee `references/none.md`.", "references/none.md"),
    ],
)
def test_a_wrong_form_is_named(tmp_path: Path, old: str, new: str, problem: str) -> None:
    folder = tmp_path / "wiki-capture"
    folder.mkdir()
    (folder / "SKILL.md").write_text(_broken(skill_text("wiki-capture"), old, new), "utf-8")
    assert any(problem in each for each in format_problems(folder))


def test_descriptions_have_their_length(tmp_path: Path) -> None:
    folder = tmp_path / "x"
    folder.mkdir()
    sections = "".join(f"## {section}\n" for section in skills.SECTIONS)
    for length, good in ((149, False), (150, True), (400, True), (401, False)):
        (folder / "SKILL.md").write_text(f"---\nname: x\ndescription: {'w' * length}\n---\n{sections}", "utf-8")
        assert (format_problems(folder) == []) is good


# ── what is named, is there ─────────────────────────────────────────────────────────────────────────────


def commands_in(text: str) -> list[str]:
    """The calls of `llmwiki` in code spans and in console blocks."""
    calls = [span for span in skill_scripts.spans(text) if re.match(r"llmwiki\b(?!-)", span)]
    for block in blocks(text):
        if block.language == "console":
            calls += [step.command for step in test_cli._steps(block.text) if step.command.startswith("llmwiki ")]
    return calls


@pytest.mark.parametrize(("name", "file", "text"), EVERY_TEXT, ids=IDS)
def test_every_command_and_option_is_there(name: str, file: str, text: str, project: Project) -> None:
    for call in commands_in(text):
        words = shlex.split(call)[1:]
        if words == []:
            continue
        assert project.cli(words[0], "--help").code == 0, call
        parse(words)
    assert file != "SKILL.md" or commands_in(text)


KNOWN_PLACES = {
    "raw/", ".mcp.json", "wiki-export/", ".obsidian/graph.json", "~/.claude/projects", "~/.codex/sessions",
    "wiki/hot.md", "raw/sources/", "raw/sources", "wiki/_meta/taxonomy.md",
}  # fmt: skip
# Words of the notes and of the sources in the examples, and what agents write in their answers.
EXAMPLES = {
    "my-vault",
    "day",
    "tea",
    "grams",
    "PASS",
    "WARN",
    "FAIL",
    "text",
    "references",
    "[redacted]",
    "wiki",
    "colorGroups",
}
# Marks and properties with a value, as a page holds them.
NOTATION = r"\^\[\w+\]$|(target|type|publish|draft): "
STATES = {"ok", "warn", "fail", "would be back"}
CATEGORIES = {path.name for path in (DOCS.parent / "templates/vault/layered/wiki").iterdir() if path.is_dir()}


@cache
def known_words() -> frozenset[str]:
    """What the tables of the documentation name, which other tests compare with the code, and what the code names."""
    rows = [line for file in DOCS.glob("*.md") for line in file.read_text("utf-8").splitlines() if line.startswith("|")]
    words = {word for row in rows for span in doc_spans(row) for word in (span, *re.split(r"[\s|,]+", span))}
    properties = set(re.findall(r"^(\w+):", page("../templates/vault/layered/schema.md"), re.MULTILINE))
    return frozenset(words | properties | {*KEYS, *SKILLS, *MODULES, *FORMATS, *WAYS, *CATEGORIES, *STATES, *EXAMPLES})


def options_of(calls: Iterable[str]) -> set[str]:
    """The options of the commands that are called, and of the server."""
    called = {call.split()[1] for call in calls if " " in call}
    parsers_ = [*parsers(called).values(), bridge_parser()]
    return {option for parser in parsers_ for action in parser._actions for option in action.option_strings}


def check_call(tool: str, arguments: str) -> None:
    """Fails unless the server's tool takes these arguments: JSON, or "" for its name alone."""
    if arguments:
        value, schema = json.loads(arguments), SCHEMAS[tool]
        Draft202012Validator(schema).validate(value)
        assert value.keys() <= schema["properties"].keys(), f"{tool} {arguments}"


def not_there(name: str, text: str, planted: Path) -> list[str]:
    """The code spans of a skill's text that name nothing: no option, tool, file, field or word of the program."""
    options = options_of(commands_in(skill_text(name)) + commands_in(text))
    files = {path.name for path in planted.rglob("*") if path.is_file()}
    known = known_words() | KNOWN_PLACES | files | {block.title for block in blocks(skill_text(name))}
    wrong = []
    for span in skill_scripts.spans(text):
        first, _, rest = span.partition(" ")
        if first in SCHEMAS:
            check_call(first, rest)
        elif first.startswith("--"):
            wrong += [span] if {word for word in span.split() if word.startswith("--")} - options else []
        elif first.startswith("references/"):
            wrong += [] if (FOLDER / name / first).is_file() else [span]
        elif first != "llmwiki" and span not in known and not re.match(NOTATION, span):
            wrong.append(span)
    return wrong


@pytest.mark.parametrize(("name", "file", "text"), EVERY_TEXT, ids=IDS)
def test_everything_named_in_code_is_there(name: str, file: str, text: str, tmp_path: Path) -> None:
    plant(tmp_path, "layered")
    assert not_there(name, text, tmp_path) == []


@pytest.mark.parametrize(
    "span", ["--no-such", "--apply --nor-this", "references/none.md", "wiki_none", "no_field", "a/b.md"]
)
def test_what_is_not_there_is_found(span: str, tmp_path: Path) -> None:
    plant(tmp_path, "layered")
    text = skill_text("wiki-ingest") + f"See `{span}`.\n"
    assert not_there("wiki-ingest", text, tmp_path) == [span]


def test_calls_that_the_server_would_refuse_are_found() -> None:
    check_call("wiki_query", '{"query": "tea", "limit": 5}')
    for arguments in ('{"question": "tea"}', '{"limit": 500}', '{"limit": "many"}'):
        with pytest.raises((AssertionError, ValidationError)):
            check_call("wiki_query", arguments)


def test_files_that_skills_write_are_shown_whole() -> None:
    written = [block.title for name in SKILLS for block in blocks(skill_text(name)) if block.title]
    assert len(written) > 10
    assert all(title.startswith(("wiki/", "my-vault/", ".mcp.json")) for title in written)


# ── the scripts ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def prepared(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, a home folder of its own, and a program of the server's name on the PATH."""
    programs = here.parent / "programs"
    programs.mkdir()
    server = programs / "llmwiki-mcp"
    server.write_text("#!/bin/sh\n", "utf-8")
    server.chmod(server.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(programs), prepend=":")
    monkeypatch.setenv("HOME", str(here.parent / "user"))
    return here


@pytest.mark.parametrize("name", SKILLS)
def test_the_script_does_what_it_shows(name: str, prepared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = prepared
    for command in PRELUDES[name]:
        assert "[exit" not in test_cli._perform(command, monkeypatch), command
    place = here if name == "wiki-setup" else here / "my-vault"
    monkeypatch.chdir(place)
    shown = []
    for block in blocks(skill_text(name)):
        if block.title:
            skill_scripts.write(block, place)
        elif block.language == "console":
            shown.append(_replayed(block.text, here, monkeypatch))
    text = skill_scripts.replaced(skill_text(name), shown)
    if test_cli.UPDATE:
        (FOLDER / name / "SKILL.md").write_text(text, "utf-8")
    else:
        assert text == skill_text(name)
    assert shown


# What differs from run to run, beside what it does in all transcripts.
VOLATILE = (r"()\d{4}-\d\d-\d\d(?=  )", r"()\d{8}T\d{6}Z", r"( )[0-9a-f]{12}$", r"(since )\d{4}-\d\d-\d\d")


def _replayed(text: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    lines: list[str] = []
    for step in test_cli._steps(text):
        output = test_cli._perform(step.command, monkeypatch)
        output = output.replace(str(here.parent / "home"), "/home/you/.sanguo-llmwiki")
        output = output.replace(str(here), "/home/you")
        fits = re.fullmatch(test_cli._pattern(step.expected), output)
        lines += [f"$ {step.command}", *(step.expected if fits else _generalised(output))]
    return "\n".join(lines) + "\n"


def _generalised(output: str) -> list[str]:
    for pattern in VOLATILE:
        output = re.sub(pattern, r"\1…", output, flags=re.MULTILINE)
    return test_cli._generalised(output).splitlines()


@pytest.mark.parametrize("name", [name for name in SKILLS if name != "impl-validator"])
def test_no_step_of_a_script_fails(name: str) -> None:
    assert "[exit" not in skill_text(name)


# "next" takes a source away from the script, and is what `llmwiki ingest next` does there.
TAKING = {"ingest_queue"}


@pytest.mark.parametrize("name", SKILLS)
def test_what_a_skill_leaves_is_in_order(name: str, prepared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After its script the wiki has no error and no broken link, and the server answers the calls that it names."""
    test_the_script_does_what_it_shows(name, prepared, monkeypatch)
    monkeypatch.chdir(prepared)
    output = test_cli._perform("llmwiki lint --vault my-vault --json", monkeypatch)
    issues = json.loads(output.partition("[exit")[0])["issues"]
    assert [issue for issue in issues if issue["severity"] == "error"] == []
    # The pages that a rebuild deletes are written again only by the agent.
    assert name == "wiki-rebuild" or [issue for issue in issues if issue["code"] == "broken-link"] == []
    calls = [span.partition(" ") for span in skill_scripts.spans(skill_text(name)) if span.partition(" ")[0] in SCHEMAS]

    async def ask(session: Session) -> None:
        for tool, _, arguments in calls:
            if arguments and tool not in TAKING:
                result = await session.call(tool, **json.loads(arguments))
                assert not result.is_error, (tool, arguments, result)

    config = load_config(prepared / "my-vault", home=prepared.parent / "home", env={})
    in_session(config, ask)


# ── installing ──────────────────────────────────────────────────────────────────────────────────────────


def test_install_copies_every_file_and_a_second_time_nothing(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "skills"
    done = install(target, bundled())
    ours = {path.relative_to(FOLDER).as_posix(): path.read_bytes() for path in FOLDER.rglob("*") if path.is_file()}
    assert {path: (target / path).read_bytes() for path in done.created} == ours
    again = install(target, bundled())
    assert (again.created, again.updated, again.kept) == ((), (), ())
    assert set(again.same) == ours.keys()


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    done = install(tmp_path / "skills", bundled(), dry_run=True)
    assert len(done.created) > 11
    assert not (tmp_path / "skills").exists()


def test_what_somebody_changed_stays_unless_forced(tmp_path: Path) -> None:
    install(tmp_path, bundled(["wiki-agent"]))
    file = tmp_path / "wiki-agent" / "SKILL.md"
    file.write_text("mine", "utf-8")
    (skill,) = bundled(["wiki-agent"])
    assert state_of(tmp_path, skill) == "changed"
    assert install(tmp_path, [skill]).kept == ("wiki-agent/SKILL.md",)
    assert file.read_text("utf-8") == "mine"
    assert install(tmp_path, [skill], force=True, dry_run=True).updated == ("wiki-agent/SKILL.md",)
    assert file.read_text("utf-8") == "mine"
    assert install(tmp_path, [skill], force=True).updated == ("wiki-agent/SKILL.md",)
    assert file.read_bytes() == skill.files["wiki-agent/SKILL.md"]
    assert state_of(tmp_path, skill) == "current"


def test_what_is_merely_old_is_updated(tmp_path: Path) -> None:
    (new,) = bundled(["wiki-agent"])
    old = skills.Skill(new.name, "", {path: content + b"\nold" for path, content in new.files.items()})
    install(tmp_path, [old])
    assert state_of(tmp_path, new) == "outdated"
    assert install(tmp_path, [new]).updated == tuple(new.files)
    assert state_of(tmp_path, new) == "current"


def test_a_file_that_was_there_before_is_somebodys(tmp_path: Path) -> None:
    file = tmp_path / "wiki-agent" / "SKILL.md"
    file.parent.mkdir()
    file.write_text("mine", "utf-8")
    assert install(tmp_path, bundled(["wiki-agent"])).kept == ("wiki-agent/SKILL.md",)
    assert file.read_text("utf-8") == "mine"


@pytest.mark.parametrize("record", [b"", b"[]", b"{", b'{"wiki-agent/SKILL.md": 1}', b"\xff"])
def test_a_damaged_record_overwrites_nothing(tmp_path: Path, record: bytes) -> None:
    install(tmp_path, bundled(["wiki-agent"]))
    (tmp_path / "wiki-agent" / "SKILL.md").write_text("mine", "utf-8")
    (tmp_path / RECORD).write_bytes(record)
    assert install(tmp_path, bundled(["wiki-agent"])).kept == ("wiki-agent/SKILL.md",)


def test_an_unknown_skill_is_refused() -> None:
    with pytest.raises(SkillNotFound, match="no-such"):
        bundled(["no-such"])


def test_check_exits_with_1_where_a_skill_is_missing_or_malformed(project: Project) -> None:
    target = str(project.root / "skills")
    assert project.cli("skills", "check", "--to", target).code == 1
    assert project.cli("skills", "install", "--to", target).code == 0
    assert project.cli("skills", "check", "--to", target, "--json").code == 0
    (project.root / "skills/wiki-export/SKILL.md").write_text("no front matter", "utf-8")
    done = project.cli("skills", "check", "--to", target, "--json")
    assert done.code == 1
    value = json.loads(done.out)
    (wrong,) = (skill for skill in value["skills"] if skill["problems"])
    assert (wrong["name"], wrong["state"], value["ok"]) == ("wiki-export", "changed", False)


def test_options_that_do_not_belong_are_refused(project: Project) -> None:
    assert project.cli("skills", "list", "--force").code == 2
    assert project.cli("skills", "check", "--dry-run").code == 2
    assert project.cli("skills", "install", "no-such", "--to", str(project.root)).code == 1
