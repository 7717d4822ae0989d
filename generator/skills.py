"""The skills that come with the program: how an agent works with a wiki, step by step, in files that it reads.

They are copied to where an agent looks for them. A record beside the copies tells which bytes we put there, so that
what somebody changed is told from what is merely old.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from generator.assets import skills_dir
from generator.errors import SkillNotFound
from generator.frontmatter import split
from generator.vault import write_atomic

# The order in which a newcomer meets them.
SKILLS = (
    "wiki-setup", "wiki-ingest", "wiki-capture", "wiki-rebuild", "data-ingest", "ingest-url", "wiki-export",
    "wiki-research", "impl-validator", "graph-colorize", "wiki-agent",
)  # fmt: skip
RECORD = ".llmwiki-skills.json"
SECTIONS = ("When to use", "Steps", "Output")
LONGEST_NAME = 64
DESCRIPTION_LENGTH = range(150, 401)
MOST_LINES = 200
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_REFERENCE = re.compile(r"\breferences/[\w./-]*\w")
_FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)

State = Literal["current", "outdated", "changed", "missing"]


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill; `files` are its files by their paths below the folder of skills, such as `wiki-setup/SKILL.md`."""

    name: str
    description: str
    files: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Installation:
    """What a run does, as sorted paths below the target: files that are new, that replace what we put there once, that
    are as they should be, and that stay since somebody changed them."""

    created: tuple[str, ...]
    updated: tuple[str, ...]
    same: tuple[str, ...]
    kept: tuple[str, ...]


def bundled(names: Iterable[str] = ()) -> list[Skill]:
    """The skills of these names, or all, in their order. Raises `SkillNotFound`."""
    wanted = set(names)
    if unknown := sorted(wanted - set(SKILLS)):
        raise SkillNotFound(f"there is no skill `{unknown[0]}`", hint=f"the skills are: {', '.join(SKILLS)}")
    return [_read(skills_dir() / name) for name in SKILLS if not wanted or name in wanted]


def install(target: Path, skills: Iterable[Skill], *, force: bool = False, dry_run: bool = False) -> Installation:
    """Copy the skills into `target`, making it if need be. `force`: over what somebody changed, too. Raises OSError."""
    recorded = _recorded(target)
    groups: dict[str, list[str]] = {"missing": [], "outdated": [], "current": [], "changed": []}
    for skill in skills:
        for path, content in skill.files.items():
            state = _state_of(target / path, content, recorded.get(path))
            groups["outdated" if force and state == "changed" else state].append(path)
            if state == "current" or (not dry_run and (state != "changed" or force)):
                recorded[path] = _digest(content)
                if state != "current":
                    (target / path).parent.mkdir(parents=True, exist_ok=True)
                    write_atomic(target / path, content)
    if not dry_run and recorded != _recorded(target):
        write_atomic(target / RECORD, (json.dumps(recorded, indent=2, sort_keys=True) + "\n").encode())
    return Installation(*(tuple(sorted(paths)) for paths in groups.values()))


def state_of(target: Path, skill: Skill) -> State:
    """How the copy in `target` compares with ours."""
    recorded = _recorded(target)
    states = {_state_of(target / path, content, recorded.get(path)) for path, content in skill.files.items()}
    if states == {"missing"}:
        return "missing"
    if "changed" in states:
        return "changed"
    return "current" if states == {"current"} else "outdated"


def format_problems(folder: Path) -> list[str]:
    """What is wrong with the form of the skill in a folder: one sentence each, [] for a skill that agents can load."""
    try:
        text = (folder / "SKILL.md").read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return [f"SKILL.md cannot be read: {error}"]
    front = split(text)
    name, description = front.meta.get("name"), front.meta.get("description")
    return [
        *_name_problems(folder.name, name if isinstance(name, str) else ""),
        *_description_problems(description if isinstance(description, str) else ""),
        *_body_problems(folder, text, front.body),
    ]


def _name_problems(folder: str, name: str) -> Iterator[str]:
    if name != folder:
        yield f"name should be that of the folder, `{folder}`, not `{name}`"
    if len(name) > LONGEST_NAME or not _NAME.fullmatch(name):
        yield f"name should be lowercase letters, digits and hyphens, at most {LONGEST_NAME}"


def _description_problems(description: str) -> Iterator[str]:
    if len(description) not in DESCRIPTION_LENGTH:
        least, most = DESCRIPTION_LENGTH[0], DESCRIPTION_LENGTH[-1]
        yield f"description should have {least} to {most} characters, not {len(description)}"
    if re.match(r"(?i)(i|you|we)\b", description):
        yield "description should say in the third person what the skill does, and when"


def _body_problems(folder: Path, text: str, body: str) -> Iterator[str]:
    headings = re.findall(r"^## (.+)$", _FENCE.sub("", body), re.MULTILINE)
    missing = [section for section in SECTIONS if section not in headings]
    if missing:
        yield f"there is no section {', '.join(missing)}"
    if (lines := len(text.splitlines())) >= MOST_LINES:
        yield f"SKILL.md should have under {MOST_LINES} lines, not {lines}"
    for reference in sorted(set(_REFERENCE.findall(body))):
        if not (folder / reference).is_file():
            yield f"{reference} is named, but not there"
    for file in sorted(folder.glob("references/*/**/*")):
        if file.is_file():
            yield f"{file.relative_to(folder).as_posix()} lies deeper than one level"


def _read(folder: Path) -> Skill:
    files = {
        file.relative_to(folder.parent).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.name.startswith(".")
    }
    meta = split(files[f"{folder.name}/SKILL.md"].decode().replace("\r\n", "\n")).meta
    return Skill(folder.name, str(meta["description"]), files)


def _state_of(file: Path, content: bytes, recorded: str | None) -> State:
    try:
        present = file.read_bytes()
    except FileNotFoundError:
        return "missing"
    if present == content:
        return "current"
    return "outdated" if _digest(present) == recorded else "changed"


def _recorded(target: Path) -> dict[str, str]:
    """The digest of each file as we put it there; {} where no record can be read: then what differs is somebody's."""
    try:
        record = json.loads((target / RECORD).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(record, dict):
        return {}
    return {path: digest for path, digest in record.items() if isinstance(digest, str)}


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()
