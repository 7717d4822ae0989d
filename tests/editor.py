"""Random, repeatable edits of a vault: notes, properties, names, folders, attachments, settings, damage to the site."""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random

from project import Project

MOMENT = 1_780_000_000_000_000_000
FOLDERS = ("", "", "tea", "tea/green", "Ships", "航海", "wiki")
NAMES = ("Alpha", "alpha", "Beta", "Gamma ray", "Delta", "北京", "Tea", "tags", "index", "Hub", "C++", "a.b", "Readme")
ALIASES = ("Beta", "Capital", "首都", "Hub", "Leaf")
TAGS = ("tea", "Tea", "tea/green", "TEA/Green/old", "航海", "ship", "visibility/internal")
FILES = ("plan.png", "tea/leaf.svg", "Ships/log.pdf", "notes.txt")
HEADINGS = ("Intro", "Use", "用法", "Part (2)", "Intro")
WORDS = ("harbour", "kettle", "lantern", "仓库温度", "无人驾驶", "quiet", "river")
LINES = (
    "See [[{name}]] and [[{name}#{heading}|part]].",
    "![[{name}]]",
    "![[{name}#{heading}]]",
    "![[{name}#^mark]] and ![[{file}|100]]",
    "A [link]({quoted}.md#{heading}) beside ![alt]({file}) #{tag}",
    "# {heading}\n\n{word} {word2}. #{tag}",
    "## {heading}\n\n- item [[{name}]] ^mark\n- [ ] open [[{alias}]]",
    "> [!note] [[{name}]]\n> {word} ==[[{alias}]]==",
    "Claim.[^1] {word}\n\n[^1]: From [[{name}]].",
    "{word} {word2} %%hidden [[{name}]]%%",
    '<img src="{file}"> {word}',
    "[[{name}/]] [[./{name}]] [x](./{quoted}/) [[tea/../{name}]] [[/{name}]] [y]({quoted}.md/.)",
    "```mermaid\nflowchart LR\n  A[{name}] --> B[{alias}]\n  class A,B internal-link;\n```",
    "| a | b |\n|---|---|\n| [[{name}\\|x]] | #{tag} |",
    "```query\n{word} OR tag:{tag} -file:{word2}\n```",
)


class Editor:
    """Changes a vault in random, repeatable ways."""

    def __init__(self, project: Project, seed: int) -> None:
        self.project = project
        self.random = Random(seed)
        self.site: dict[str, object] = {"title": "Wiki"}

    def start(self) -> None:
        """Forty notes and some files."""
        for _ in range(40):
            self._put(self._new_path(), self._text())
        for file in FILES[:3]:
            self._put(file, "x" * 20)

    def step(self) -> str:
        """One to three edits; returns what was done."""
        edits: list[Callable[[], str]] = [
            self._add, self._change, self._change, self._append, self._rename, self._rename, self._delete, self._touch,
            self._properties, self._properties, self._attachment, self._folder, self._setting, self._damage,
        ]  # fmt: skip
        done = [self.random.choice(edits)() for _ in range(self.random.randint(1, 3))]
        for path in self.project.vault.rglob("*"):
            os.utime(path, ns=(MOMENT, MOMENT))
        return ", ".join(done)

    def _put(self, path: str, text: str) -> None:
        self.project.write({path: text})
        os.utime(self.project.vault / path, ns=(MOMENT, MOMENT))

    def _notes(self) -> list[str]:
        vault = self.project.vault
        return sorted(path.relative_to(vault).as_posix() for path in vault.rglob("*.md"))

    def _new_path(self) -> str:
        folder, name = self.random.choice(FOLDERS), self.random.choice(NAMES)
        number = self.random.choice(("", "", " 2", " 3"))
        return f"{folder}/{name}{number}.md".lstrip("/")

    def _text(self) -> str:
        return self._front() + "\n".join(self._line() for _ in range(self.random.randint(0, 5)))

    def _front(self) -> str:
        pick = self.random.choice
        keys = {
            "aliases": f"[{pick(ALIASES)}, {pick(ALIASES)}]",
            "tags": f"[{pick(TAGS)}]",
            "lifecycle": pick(("draft", "verified", "disputed", "archived")),
            "lang": pick(("en", "zh", "fr", "ar")),
            "related": f'"[[{pick(NAMES)}]]"',
            "publish": pick(("true", "false", "true", "true")),
            "updated": pick(("2026-05-30", "2025-01-01")),
            "title": pick(("Shared title", "Übung", "三国")),
            "summary": pick(("Short.", "Another <b>one</b>.")),
            "category": pick(("concepts", "people")),
            "cssclasses": "wide",
            "broken": "[unclosed",
        }
        chosen = [key for key in keys if self.random.random() < (0.03 if key == "broken" else 0.15)]
        return f"---\n{''.join(f'{key}: {keys[key]}{chr(10)}' for key in chosen)}---\n" if chosen else ""

    def _line(self) -> str:
        pick = self.random.choice
        name = pick(NAMES)
        values = {
            "name": name,
            "quoted": name.replace(" ", "%20"),
            "heading": pick(HEADINGS),
            "file": pick(FILES),
            "tag": pick(TAGS),
            "alias": pick(ALIASES),
            "word": pick(WORDS),
            "word2": pick(WORDS),
        }
        return pick(LINES).format(**values) + "\n"

    def _add(self) -> str:
        path = self._new_path()
        self._put(path, self._text())
        return f"add {path}"

    def _change(self) -> str:
        path = self.random.choice(self._notes())
        self._put(path, self._text())
        return f"change {path}"

    def _append(self) -> str:
        path = self.random.choice(self._notes())
        self._put(path, (self.project.vault / path).read_text() + "\n" + self._line())
        return f"append to {path}"

    def _properties(self) -> str:
        path = self.random.choice(self._notes())
        text = (self.project.vault / path).read_text()
        body = text.partition("\n---\n")[2] if text.startswith("---\n") else text
        self._put(path, self._front() + body)
        return f"properties of {path}"

    def _rename(self) -> str:
        old, new = self.random.choice(self._notes()), self._new_path()
        self.project.move(old, new)
        return f"rename {old} to {new}"

    def _delete(self) -> str:
        path = self.random.choice(self._notes())
        self.project.remove(path)
        return f"delete {path}"

    def _attachment(self) -> str:
        path = self.random.choice(FILES)
        if (self.project.vault / path).exists() and self.random.random() < 0.5:
            self.project.remove(path)
            return f"delete {path}"
        self._put(path, self.random.choice("abc") * 20)
        return f"write {path}"

    def _folder(self) -> str:
        old = self.random.choice(
            [name for name in set(FOLDERS) if (self.project.vault / name).is_dir() and name] or [""]
        )
        new = self.random.choice(("moved", "tea/moved", "wiki/tea"))
        if not old or (self.project.vault / new).exists() or new.startswith(old + "/"):
            return "nothing"
        self.project.move(old, new)
        return f"move folder {old} to {new}"

    def _setting(self) -> str:
        key, values = self.random.choice(
            (
                ("nearest_links", (True, False)),
                ("publish", ("all", "opt-in")),
                ("language", ("en", "zh")),
                ("strict_line_breaks", (True, False)),
                ("raw_html", ("sanitize", "escape")),
                ("title", ("Wiki", "Other")),
            )
        )
        self.site[key] = self.random.choice(values)
        return f"set {key} to {self.site[key]}"

    def _touch(self) -> str:
        path = self.random.choice(self._notes())
        self._put(path, (self.project.vault / path).read_text())
        return f"save {path}"

    def _damage(self) -> str:
        """Somebody deletes or changes a page of the site."""
        pages = self.project.pages()
        if not pages:
            return "nothing"
        page = self.random.choice(pages)
        if self.random.random() < 0.5:
            page.unlink()
        else:
            page.write_text("spoiled")
        return f"spoil {page.name}"
