"""`llmwiki skills`: the skills that come with the program, put where an agent finds them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from generator.cli.arguments import Commands, add_command, add_json
from generator.cli.failure import WrongUse
from generator.cli.terminal import Styled, bold, dim, say, say_json, say_table
from generator.wording import counted

if TYPE_CHECKING:
    from generator.skills import Installation, Skill

DEFAULT_TARGET = Path(".claude/skills")


def add_skills(commands: Commands) -> None:
    """`skills ACTION [SKILL]…`."""
    parser = add_command(commands, skills)
    parser.add_argument(
        "action", choices=("install", "list", "check"), metavar="ACTION",
        help="install: copy them; list: what each does; check: compare the copies, and their form",
    )  # fmt: skip
    parser.add_argument("names", nargs="*", metavar="SKILL", help="only this skill; several may be named")
    parser.add_argument("--to", type=Path, metavar="DIR", help="where the agent looks; default: .claude/skills")
    parser.add_argument("--force", action="store_true", help="install: over files that somebody changed, too")
    parser.add_argument("--dry-run", action="store_true", help="install: only say what would be written")
    add_json(parser)


def skills(action: str, names: list[str], to: Path | None, force: bool, dry_run: bool, as_json: bool) -> int:
    """Install, list or check the skills for agents. A file that somebody changed is never overwritten unasked."""
    from generator.skills import bundled, install

    if (force or dry_run) and action != "install":
        raise WrongUse("--force and --dry-run belong to `skills install`")
    target, chosen = (to or DEFAULT_TARGET).expanduser(), bundled(names)
    if action == "install":
        _print_installation(target, install(target, chosen, force=force, dry_run=dry_run), dry_run, as_json)
        return 0
    return _check(target, chosen, as_json) if action == "check" else _list(target, chosen, as_json)


def _print_installation(target: Path, done: Installation, dry_run: bool, as_json: bool) -> None:
    if as_json:
        groups = {name: getattr(done, name) for name in ("created", "updated", "same", "kept")}
        say_json({"target": str(target.absolute())} | groups | {"dry_run": dry_run})
        return
    for path in done.kept:
        say(bold(f"{target / path}"), " was changed by somebody, and stays: --force overwrites it")
    would = "would be " if dry_run else ""
    numbers = f"{counted(len(done.created), 'file')} {would}new, {len(done.updated):,} {would}updated"
    say(bold(str(target)), f": {numbers}, {len(done.same):,} the same, {len(done.kept):,} left alone")


def _list(target: Path, chosen: list[Skill], as_json: bool) -> int:
    from generator.skills import state_of

    states = [state_of(target, skill) for skill in chosen]
    if as_json:
        facts = [
            {"name": skill.name, "description": skill.description, "state": state, "files": [*skill.files]}
            for skill, state in zip(chosen, states, strict=True)
        ]
        say_json({"target": str(target.absolute()), "skills": facts})
        return 0
    say_table(
        ("skill", str(target), "what it does"),
        [(skill.name, state, _gist(skill.description)) for skill, state in zip(chosen, states, strict=True)],
        cut_last=True,
    )
    return 0


def _gist(description: str) -> str:
    """What a skill does, without the details and without when."""
    return re.split(r" - |; |\. ", description)[0]


def _check(target: Path, chosen: list[Skill], as_json: bool) -> int:
    from generator.skills import format_problems, state_of

    facts = []
    for skill in chosen:
        state = state_of(target, skill)
        problems = format_problems(target / skill.name) if state != "missing" else []
        facts.append((skill.name, state, problems))
    wrong = sum(state in ("missing", "outdated") or bool(problems) for _, state, problems in facts)
    if as_json:
        values = [{"name": name, "state": state, "problems": problems} for name, state, problems in facts]
        say_json({"target": str(target.absolute()), "skills": values, "ok": not wrong})
        return int(bool(wrong))
    for name, state, problems in facts:
        say(Styled(state, "green" if state == "current" else "yellow"), f"  {name}")
        for problem in problems:
            say(f"  {problem}")
    if wrong:
        say(dim("`llmwiki skills install` installs and updates them; what somebody changed stays."))
    return int(bool(wrong))
