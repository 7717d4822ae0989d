"""Random vaults for the removal of a source: each note is built beside what it must be afterwards, by pieces that know
which page they name. Nothing of the program is asked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from random import Random

KEY = "book.pdf"
OTHERS = ("other.pdf", "deep/book.pdf", "https://x.org/p", "conversation:2026-01-01")
PAGES = (
    "wiki/concepts/ai.md", "wiki/entities/ai.md", "wiki/entities/曹操.md", "wiki/concepts/tea.md",
    "wiki/sources/The book.md", "wiki/sources/Another.md", "wiki/synthesis/deep/Both.md",
)  # fmt: skip
WORDS = ("kettle", "samovar", "茶", "steam and water", "a [bracket]", "50% off", "x_y", "don't")
LABELS = ("the page", "曹操", "two words", "x_y", "a, b")


@dataclass(frozen=True)
class Note:
    """A note before and after, as exact bytes; `after` is None where it is deleted."""

    before: bytes
    after: bytes | None


def make_vault(random: Random) -> tuple[dict[str, Note], dict[str, list[str]]]:
    """Notes by path, and the sources of each page as written."""
    sources = {path: _some_sources(random) for path in PAGES}
    category = {path: random.choice(["sources", "concepts"]) for path in PAGES}
    gone = {
        path
        for path in PAGES
        if category[path] == "sources" and sources[path] and all(_is_key(entry) for entry in sources[path])
    }
    notes = {path: _note(random, path, category[path], sources[path], gone) for path in PAGES}
    notes["wiki/index.md"] = _index(random, gone)
    return notes, sources


def _is_key(entry: str) -> bool:
    return entry in (KEY, f"{KEY}#Chapter 1", f"raw/sources/{KEY}")


def _some_sources(random: Random) -> list[str]:
    pool = [KEY, KEY, f"{KEY}#Chapter 1", f"raw/sources/{KEY}", *OTHERS]
    return list(dict.fromkeys(random.sample(pool, random.randrange(4))))


def _name(random: Random, path: str) -> str:
    """A way to write the page that means no other."""
    bare = path.removesuffix(".md")
    ways = [bare, bare.removeprefix("wiki/"), path]
    if not bare.endswith("/ai"):
        ways += [bare.rpartition("/")[2]] * 3
    return random.choice(ways)


def _note(random: Random, path: str, category: str, sources: list[str], gone: set[str]) -> Note:
    front = _front(random, path, category, sources, gone)
    pieces = [_block(random, path, gone) for _ in range(random.randrange(1, 9))]
    before = front[0] + "\n\n".join(piece[0] for piece in pieces) + "\n"
    after = front[1] + "\n\n".join(piece[1] for piece in pieces) + "\n"
    line_end, mark = random.choice(["\n", "\r\n"]), random.choice([b"", b"\xef\xbb\xbf"])

    def exact(text: str) -> bytes:
        return mark + text.replace("\n", line_end).encode()

    return Note(exact(before), None if path in gone else exact(after))


Pair = tuple[str, str]
"""A piece of a note before and after."""


def _same(text: str) -> Pair:
    return text, text


def _link(random: Random, own: str, gone: Collection[str], bar: str = "|") -> Pair:
    """A link to any page but the own one."""
    target = random.choice([path for path in PAGES if path != own])
    name = _name(random, target)
    kinds: Sequence[Callable[[], Pair]] = (
        lambda: (f"[[{name}]]", name),
        lambda: (f"[[{name}{bar}{label}]]", label),
        lambda: (f"[[{name}#Part one]]", f"{name}#Part one"),
        lambda: (f"![[{name}]]", name),
        lambda: (f"[{label}](<{target}>)", label),
    )
    label = random.choice(LABELS)
    before, after = random.choice(kinds)()
    return before, after if target in gone else before


def _block(random: Random, own: str, gone: Collection[str]) -> Pair:
    word = random.choice(WORDS)
    link = _link(random, own, gone)
    other = _link(random, own, gone)
    cell = _link(random, own, gone, "\\|")
    any_name = _name(random, random.choice(PAGES))
    return random.choice(
        [
            _same(f"{word} and `[[{any_name}]]` in code"),
            _same(f"```md\n[[{any_name}|x]]\n```"),
            _same(f"{word} %%[[{any_name}]]%%"),
            _same(f"$$\n[[{any_name}]]\n$$"),
            _same(f"[[Nowhere at all]] and [[{own}#Part one|here]]"),
            _same(f"Escaped \\[[{any_name}]] {word}"),
            (f"{word} {link[0]} {word}{other[0]}.", f"{word} {link[1]} {word}{other[1]}."),
            (f"- item {link[0]}\n  - deeper {other[0]}", f"- item {link[1]}\n  - deeper {other[1]}"),
            (f"> [!note] Title\n> see {link[0]}", f"> [!note] Title\n> see {link[1]}"),
            (f"| a | b |\n|---|---|\n| x {cell[0]} | {word} |", f"| a | b |\n|---|---|\n| x {cell[1]} | {word} |"),
            (f"**bold {link[0]}** and *{other[0]}*", f"**bold {link[1]}** and *{other[1]}*"),
            (f"Claim.[^1]\n\n[^1]: From {link[0]}.", f"Claim.[^1]\n\n[^1]: From {link[1]}."),
            _same("## Part one"),
        ]
    )


def _front(random: Random, own: str, category: str, sources: list[str], gone: Collection[str]) -> Pair:
    lines = [_same("---"), _same(f"category: {category}"), _same("custom:   'kept  as it is' # comment")]
    if sources:
        lines += _list(random, "sources", [(entry, None if _is_key(entry) else entry) for entry in sources])
    related = [path for path in PAGES if path != own and random.random() < 0.4]
    if related:
        items = [(f"[[{_name(random, path)}]]", path in gone) for path in related]
        lines += _list(random, "related", [(text, None if is_gone else text) for text, is_gone in items])
    if random.random() < 0.3:
        target = random.choice([path for path in PAGES if path != own])
        name = _name(random, target)
        lines.append((f'up: "[[{name}]]"', f'up: "{name}"' if target in gone else f'up: "[[{name}]]"'))
    relations = [path for path in PAGES if path != own and random.random() < 0.3]
    if relations:
        items = [(f'  - target: "[[{_name(random, path)}]]"\n    type: uses', path in gone) for path in relations]
        kept = [text for text, is_gone in items if not is_gone]
        after = "\n".join(["relationships:", *kept]) if kept else "relationships: []"
        lines.append(("\n".join(["relationships:", *(text for text, _ in items)]), after))
    lines += [_same("created: 2026-01-01"), _same("---\n")]
    return "\n".join(line[0] for line in lines), "\n".join(line[1] for line in lines)


def _list(random: Random, name: str, items: Sequence[tuple[str, str | None]]) -> list[Pair]:
    """A list property in one of the shapes that people write; None stands for an item that goes."""
    quote = random.choice(["'", '"'])
    kept = [f"{quote}{after}{quote}" for _, after in items if after is not None]
    every = [f"{quote}{before}{quote}" for before, _ in items]
    shape = random.choice(["flow", "block", "indented"])
    if len(items) == 1 and random.random() < 0.5:
        return [(f"{name}: {every[0]}", f"{name}: {kept[0]}" if kept else f"{name}: []")]
    if shape == "flow":
        return [(f"{name}: [{', '.join(every)}]  # note", f"{name}: [{', '.join(kept)}]  # note")]
    dash = "- " if shape == "block" else "    - "
    before = "\n".join([f"{name}:", *(dash + item for item in every)])
    return [(before, "\n".join([f"{name}:", *(dash + item for item in kept)]) if kept else f"{name}: []")]


def _index(random: Random, gone: Collection[str]) -> Note:
    """index.md: lines of pages that go, go; links within other lines become text."""
    lines = [_same("# Wiki Index\n\n<!-- llmwiki:begin index -->\n")]
    for path in PAGES:
        line = f"- [[{path.removeprefix('wiki/').removesuffix('.md')}|{random.choice(LABELS)}]] — a summary\n"
        lines.append((line, "" if path in gone else line))
    lines.append(_same("<!-- llmwiki:end index -->\n"))
    target = random.choice(PAGES)
    name = _name(random, target)
    lines.append(
        (f"Begin with [[{name}]].\n", f"Begin with {name}.\n" if target in gone else f"Begin with [[{name}]].\n")
    )
    return Note("".join(line[0] for line in lines).encode(), "".join(line[1] for line in lines).encode())
