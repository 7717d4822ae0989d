"""The histories of AI tools on this machine, as plain turns: who said what, without tools' plumbing and secrets.

Claude Code keeps `~/.claude/projects/<folder>/<session>.jsonl`, Codex `~/.codex/sessions/**/rollout-*.jsonl`. Both are
written by other programs and change with their versions: a line that is not understood is passed over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from generator.secrets import redact
from generator.sources.errors import SessionNotFound

Tool = Literal["claude", "codex"]
TOOLS: tuple[Tool, ...] = get_args(Tool)
_PATTERNS: dict[Tool, tuple[str, str]] = {
    "claude": (".claude/projects", "*/*.jsonl"),
    "codex": (".codex/sessions", "**/rollout-*.jsonl"),
}
_LONGEST_LINE = 20_000_000
_ROLES = frozenset({"user", "assistant"})
# What the tools put into people's mouths: reminders, command output, context.
_WRAPPER = re.compile(
    r"<(system-reminder|command-(?:name|message|args)|local-command-(?:stdout|stderr|caveat)|environment_context"
    r"|user_instructions|ide_\w{1,40}|bash-(?:input|stdout|stderr)|permissions instructions)>"
)
_BLANKS = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True)
class Session:
    """A session of a tool: its id, where it was held, its time (ISO, of its file's last change), size in bytes."""

    tool: Tool
    id: str
    project: str
    updated: str
    size: int
    file: Path


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side said, one after the other joined. `time` is ISO or ""."""

    role: str
    time: str
    text: str


def sessions(home: Path, tool: Tool | None = None) -> list[Session]:
    """The sessions below a home folder, the newest first."""
    found: list[Session] = []
    for name in TOOLS if tool is None else (tool,):
        folder, pattern = _PATTERNS[name]
        root = home / folder
        files = root.glob(pattern) if root.is_dir() else ()
        found += [_session(name, root, file) for file in files if file.is_file()]
    return sorted(found, key=lambda session: (session.updated, session.id), reverse=True)


def _session(tool: Tool, root: Path, file: Path) -> Session:
    from datetime import UTC, datetime

    status = file.stat()
    updated = datetime.fromtimestamp(status.st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    project = file.relative_to(root).parts[0] if tool == "claude" else ""
    return Session(tool, file.stem.removeprefix("rollout-"), project, updated, status.st_size, file)


def find_session(known: list[Session], name: str) -> Session:
    """The session with that id, or the only one whose id begins or ends with it. Raises `SessionNotFound`."""
    exact = [session for session in known if session.id == name]
    fitting = exact or [s for s in known if name and (s.id.startswith(name) or s.id.endswith(name))]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        some = ", ".join(session.id for session in fitting[:3])
        raise SessionNotFound(f"{len(fitting)} sessions are called {name!r}", hint=f"write more of it: {some}")
    raise SessionNotFound(f"there is no session {name!r}", hint="`llmwiki history list` shows those there are")


def turns(session: Session, home: Path) -> list[Turn]:
    """What was said, redacted; paths below `home` begin with `~`. Raises OSError."""
    read = _claude_turn if session.tool == "claude" else _codex_turn
    found: list[Turn] = []
    for value in _lines(session.file):
        turn = read(value)
        text = _plain(turn.text, home) if turn else ""
        if turn is None or not text:
            continue
        if found and found[-1].role == turn.role:
            if text != found[-1].text:  # some versions write a message twice
                found[-1] = Turn(turn.role, found[-1].time, f"{found[-1].text}\n\n{text}")
        else:
            found.append(Turn(turn.role, turn.time, text))
    return found


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    """The JSON objects of a file, line by line; what is none, or far too long, is passed over."""
    with open(file, encoding="utf-8", errors="replace", newline="\n") as stream:
        while line := stream.readline(_LONGEST_LINE):
            if not line.endswith("\n") and len(line) == _LONGEST_LINE:
                while (rest := stream.readline(_LONGEST_LINE)) and not rest.endswith("\n"):
                    pass
                continue
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                yield value


def _claude_turn(line: dict[str, Any]) -> Turn | None:
    message = line.get("message")
    if line.get("type") not in _ROLES or line.get("isMeta") or line.get("isSidechain") or not isinstance(message, dict):
        return None
    return _turn(message.get("role"), line.get("timestamp"), message.get("content"), ("text",))


def _codex_turn(line: dict[str, Any]) -> Turn | None:
    """Newer versions wrap each item in a `payload`, older ones do not."""
    item = line.get("payload") if line.get("type") == "response_item" else line
    if not isinstance(item, dict) or item.get("type") != "message":
        return None
    return _turn(item.get("role"), line.get("timestamp"), item.get("content"), ("input_text", "output_text", "text"))


def _turn(role: object, time: object, content: object, kinds: tuple[str, ...]) -> Turn | None:
    if role not in _ROLES:
        return None
    parts = [content] if isinstance(content, str) else [
        part.get("text") for part in content if isinstance(part, dict) and part.get("type") in kinds
    ] if isinstance(content, list) else []  # fmt: skip
    text = "\n\n".join(part for part in parts if isinstance(part, str))
    return Turn(str(role), time if isinstance(time, str) else "", text)


def _plain(text: str, home: Path) -> str:
    text = redact(_unwrapped(text.replace("\r\n", "\n")))
    if len(home.parts) > 1:
        text = re.sub(rf"{re.escape(str(home))}(?![\w.-])", "~", text)
    return _BLANKS.sub("\n\n", text).strip()


def _unwrapped(text: str) -> str:
    """The text without the elements that the tools add, up to their closing tags."""
    parts: list[str] = []
    done = 0
    never_closed: set[str] = set()
    for match in _WRAPPER.finditer(text):
        if match.start() < done or match[1] in never_closed:
            continue
        closing = f"</{match[1]}>"
        end = text.find(closing, match.end())
        if end < 0:
            never_closed.add(match[1])
            continue
        parts.append(text[done : match.start()])
        done = end + len(closing)
    return "".join((*parts, text[done:]))


def as_markdown(session: Session, said: list[Turn]) -> str:
    """The turns as a text to read; they are quoted, so that nothing in them is a heading of it."""
    parts = [f"# {session.tool} {session.id}"]
    for turn in said:
        quoted = "\n".join(f"> {line}".rstrip() for line in turn.text.split("\n"))
        parts.append(f"## {turn.role}" + (f" {turn.time}" if turn.time else "") + f"\n\n{quoted}")
    return "\n\n".join(parts) + "\n"
