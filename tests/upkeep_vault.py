"""A vault as upkeep sees it, for tests: write notes, then lint, link, rename tags, run the day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from project import Project

from generator.model import Edit
from generator.query import Program, run
from generator.store import connect_read_only
from generator.update import open_and_update, vault_findings
from generator.upkeep.cross_linker import CrossLinks, cross_link, link_edits
from generator.upkeep.daily import DailyPlan, plan_daily, write_daily
from generator.upkeep.lint import LintReport, fixes, lint
from generator.upkeep.lint.issue import Issue, SourceFacts
from generator.upkeep.snapshot import Snapshot, take_snapshot
from generator.upkeep.taxonomy import TagConflict, enforce, load_taxonomy, tag_conflicts
from generator.vault import Layout, apply_edit, detect_layout

TODAY = date(2026, 6, 1)


class UpkeepVault(Project):
    """A project whose operations are asked as the command line asks them."""

    @property
    def layout(self) -> Layout:
        return detect_layout(self.vault)

    def ask(self, program: Program[object]) -> object:
        """Run a program on the index, brought up to date."""
        self.update()
        db = connect_read_only(self.config().wiki.index_path)
        try:
            return run(db, program)
        finally:
            db.close()

    def snapshot(self) -> Snapshot:
        found = self.ask(take_snapshot())
        assert isinstance(found, Snapshot)
        return found

    def lint(self, sources: dict[str, SourceFacts] | None = None, today: date = TODAY) -> LintReport:
        """All issues of the vault as it is now."""
        store, _, scan = open_and_update(self.config())
        try:
            findings = vault_findings(store, scan)
            return run(store.db, lint(self.vault, self.layout, today, findings=findings, sources=sources))
        finally:
            store.close()

    def found(self, *codes: str) -> list[tuple[str, str, int]]:
        """`(code, path, line)` of the issues with these codes (none: all)."""
        return [(i.code, i.path, i.line) for i in self.lint().issues if not codes or i.code in codes]

    def paths(self, code: str) -> set[str]:
        """The pages with this issue."""
        return {issue.path for issue in self.lint().issues if issue.code == code}

    def issue(self, code: str) -> Issue:
        """The one issue with this code."""
        (found,) = (issue for issue in self.lint().issues if issue.code == code)
        return found

    def mend(self, *codes: str) -> list[Edit]:
        """Apply the fixes of all issues, or of those with these codes."""
        issues = [issue for issue in self.lint().issues if not codes or issue.code in codes]
        return self.apply(fixes(self.vault, self.snapshot(), issues))

    def links(self, path: str = "", **options: int) -> CrossLinks:
        """What the cross-linker proposes."""
        found = self.ask(cross_link(self.vault, path=path, **options))  # type: ignore[arg-type]
        assert isinstance(found, CrossLinks)
        return found

    def link(self) -> list[Edit]:
        """Apply all that the cross-linker proposes."""
        found = self.links()
        return self.apply(link_edits(self.vault, self.snapshot(), found.suggestions))

    def conflicts(self) -> list[TagConflict]:
        """The tags that are not spelled as agreed."""
        return tag_conflicts(self.snapshot(), load_taxonomy(self.vault))

    def retag(self) -> list[Edit]:
        """Apply all renames of tags."""
        return self.apply(enforce(self.vault, self.snapshot(), self.conflicts()))

    def daily(self, today: date = TODAY, language: str = "en") -> tuple[DailyPlan, tuple[str, ...]]:
        """Run the day; returns the plan and what was written."""
        plan = self.ask(plan_daily(self.vault, self.layout, today, language=language))
        assert isinstance(plan, DailyPlan)
        return plan, write_daily(self.vault, plan)

    def apply(self, edits: Sequence[Edit]) -> list[Edit]:
        for edit in edits:
            apply_edit(self.vault, edit)
        return list(edits)

    def text(self, path: str) -> str:
        """The exact text of a file."""
        return (self.vault / path).read_bytes().decode()


def bytes_of(vault: Path) -> dict[str, bytes]:
    """Every file of a vault by its path."""
    return {path.relative_to(vault).as_posix(): path.read_bytes() for path in vault.rglob("*") if path.is_file()}
