"""Prompts: what a user may start with one command."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_types import GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from mcp_bridge.arguments import refused


@dataclass(frozen=True, slots=True)
class PromptFace:
    """A prompt with one optional argument; `text` is said with the argument in place of `{}`, `bare` without one."""

    name: str
    title: str
    argument: str
    meaning: str
    text: str
    bare: str


PROMPTS: tuple[PromptFace, ...] = (
    PromptFace(
        "ask", "Answer from the wiki", "question", "what you want to know",
        "Answer this from my wiki: {}\nSearch it with wiki_query, read the pages that matter with wiki_read_page, and "
        "cite each as [[path|title]]. Say so if the wiki does not hold the answer.",
        "Ask me what I want to know, then answer it from my wiki: wiki_query, wiki_read_page, citations.",
    ),
    PromptFace(
        "synthesize", "Join what belongs together", "concepts", "pages, separated by commas",
        "Use wiki_synthesize with the concepts {}. Read the evidence, then propose a page that joins them: what "
        "connects them, where they meet, tensions, open questions. Cite each statement.",
        "Use wiki_synthesize to find two pages worth joining. Read the evidence, then propose the page that joins "
        "them. Cite each statement.",
    ),
    PromptFace(
        "daily", "The daily round", "focus", "what to look at above all",
        "Run daily_update, then tell me what is new in my wiki and what should be done next. Look above all at: {}",
        "Run daily_update, then tell me what is new in my wiki and what should be done next (wiki_status names it).",
    ),
)  # fmt: skip


def listed() -> list[Prompt]:
    """The prompts, as clients list them."""
    return [
        Prompt(
            name=face.name,
            title=face.title,
            description=face.title,
            arguments=[PromptArgument(name=face.argument, description=face.meaning, required=False)],
        )
        for face in PROMPTS
    ]


def said(name: str, arguments: dict[str, str]) -> GetPromptResult:
    """The message of a prompt. Raises InvalidArguments for an unknown prompt or argument."""
    face = next((face for face in PROMPTS if face.name == name), None)
    if face is None:
        raise refused({"name": f"there is no prompt {name[:60]!r}"}, [face.name for face in PROMPTS])
    if unknown := arguments.keys() - {face.argument}:
        raise refused(dict.fromkeys(sorted(unknown), "this prompt has no such argument"), [face.argument])
    given = arguments.get(face.argument, "").strip()
    text = face.text.replace("{}", given) if given else face.bare
    message = PromptMessage(role="user", content=TextContent(type="text", text=text))
    return GetPromptResult(description=face.title, messages=[message])
