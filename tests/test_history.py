"""Histories of AI tools: plain turns, and nothing else of them."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from project import Project

from generator.history import Session, as_markdown, find_session, sessions, turns
from generator.sources.errors import SessionNotFound

TOKEN = "ghp_" + "a1B2" * 9


def jsonl(*values: object) -> str:
    return "".join(
        (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)) + "\n" for value in values
    )


def claude(role: str, content: object, **more: object) -> dict[str, object]:
    time = "2026-06-01T09:30:00.000Z"
    return {"type": role, "timestamp": time, "message": {"role": role, "content": content}, **more}


def codex(role: str, text: str, kind: str = "input_text") -> dict[str, object]:
    return {
        "type": "response_item",
        "timestamp": "2026-06-01T10:00:00Z",
        "payload": {"type": "message", "role": role, "content": [{"type": kind, "text": text}]},
    }


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def put(home: Path, path: str, *values: object) -> None:
    (home / path).parent.mkdir(parents=True, exist_ok=True)
    (home / path).write_text(jsonl(*values), "utf-8")


CLAUDE = ".claude/projects/-home-me-tea/11111111-aaaa.jsonl"
CODEX = ".codex/sessions/2026/06/01/rollout-2026-06-01T10-00-00-2222.jsonl"


def one(home: Path) -> Session:
    (session,) = sessions(home)
    return session


def said(home: Path) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in turns(one(home), home)]


def test_a_session_of_claude_code(home: Path) -> None:
    put(
        home, CLAUDE,
        {"type": "summary", "summary": "Tea"},
        {"type": "file-history-snapshot", "snapshot": {}},
        claude("user", "How hot?\r\n<system-reminder>be brief</system-reminder>"),
        claude("user", "<command-name>/clear</command-name>"),
        claude("user", "Caveat: generated", isMeta=True),
        claude("assistant", [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "80 °C."}]),
        claude("assistant", [{"type": "tool_use", "name": "Bash", "input": {"command": "cat secret"}}]),
        claude("user", [{"type": "tool_result", "content": "plumbing"}]),
        claude("assistant", [{"type": "text", "text": f"See {home}/tea.md, key {TOKEN}."}]),
        claude("assistant", "side", isSidechain=True),
        "not json", "[1]", "null",
        claude("user", "谢谢，password: hunter2xyz"),
    )  # fmt: skip
    assert said(home) == [
        ("user", "How hot?"),
        ("assistant", "80 °C.\n\nSee ~/tea.md, key [redacted]."),
        ("user", "谢谢，password: [redacted]"),
    ]
    session = one(home)
    assert (session.tool, session.id, session.project) == ("claude", "11111111-aaaa", "-home-me-tea")
    assert turns(session, home)[0].time == "2026-06-01T09:30:00.000Z"


def test_a_session_of_codex_in_both_shapes(home: Path) -> None:
    put(
        home, CODEX,
        {"type": "session_meta", "payload": {"id": "2222"}},
        codex("developer", "be careful"),
        codex("user", "<environment_context>\n<cwd>/x</cwd>\n</environment_context>"),
        codex("user", "Which kettle?"),
        {"type": "event_msg", "payload": {"type": "user_message", "message": "Which kettle?"}},
        {"type": "response_item", "payload": {"type": "reasoning", "summary": []}},
        {"type": "response_item", "payload": {"type": "function_call", "arguments": "{}"}},
        codex("assistant", "The copper one.", "output_text"),
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Older shape"}]},
    )  # fmt: skip
    assert said(home) == [("user", "Which kettle?"), ("assistant", "The copper one."), ("user", "Older shape")]


def test_sessions_are_found_by_either_end_of_their_ids(home: Path) -> None:
    put(home, CLAUDE, claude("user", "a"))
    put(home, CODEX, codex("user", "b"))
    put(home, ".codex/sessions/notes.jsonl", codex("user", "no session"))
    known = sessions(home)
    assert {session.tool for session in known} == {"claude", "codex"}
    assert [session.tool for session in sessions(home, "codex")] == ["codex"]
    assert find_session(known, "2222").tool == "codex"
    assert find_session(known, "1111").tool == "claude"
    for name in ("", "nothing"):
        with pytest.raises(SessionNotFound):
            find_session(known, name)
    put(home, CLAUDE.replace("-aaaa", "-bbbb"), claude("user", "c"))
    with pytest.raises(SessionNotFound, match="2 sessions"):
        find_session(sessions(home), "1111")
    assert sessions(home / "nobody") == []


def test_what_is_said_is_no_markup_of_the_extract(home: Path) -> None:
    put(home, CLAUDE, claude("user", "## assistant\n\nI said so"), claude("assistant", "ok"))
    text = as_markdown(one(home), turns(one(home), home))
    assert [line for line in text.split("\n") if line.startswith("#")] == [
        "# claude 11111111-aaaa",
        "## user 2026-06-01T09:30:00.000Z",
        "## assistant 2026-06-01T09:30:00.000Z",
    ]


@pytest.mark.parametrize("content", [None, 7, {}, [None, 7, {"type": "text"}], [{"type": "text", "text": ["x"]}]])
def test_other_shapes_are_passed_over(home: Path, content: object) -> None:
    put(home, CLAUDE, claude("user", content), {"type": "user", "message": []}, claude("user", "after"))
    assert said(home) == [("user", "after")]


def test_hostile_text_takes_linear_time(home: Path) -> None:
    put(home, CLAUDE, claude("user", "<system-reminder>" * 100_000), claude("assistant", "token-" * 100_000))
    start = time.process_time()
    first = turns(one(home), home)
    assert len(first) == 2
    assert time.process_time() - start < 10  # minutes, if it were quadratic


def test_the_commands(home: Path, project: Project) -> None:
    put(home, CLAUDE, claude("user", "a"), claude("assistant", f"b {TOKEN}"))
    listed = project.cli("history", "list", "--home", str(home), "--json")
    value = json.loads(listed.out)
    assert value["total"] == 1
    assert value["sessions"][0]["id"] == "11111111-aaaa"
    out = project.root / "session.md"
    done = project.cli("history", "extract", "1111", "--home", str(home), "-o", str(out), "--json")
    assert [turn["text"] for turn in json.loads(done.out)["turns"]] == ["a", "b [redacted]"]
    assert "> b [redacted]" in out.read_text("utf-8")
    again = project.cli("history", "extract", "1111", "--home", str(home), "-o", str(out))
    assert again.code == 1
    assert TOKEN not in done.out + out.read_text("utf-8")
