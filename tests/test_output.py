"""The output folder between builds."""

from __future__ import annotations

from project import Project


def test_what_a_killed_build_left_is_cleared(project: Project) -> None:
    project.write({"a.md": "# A\n", "deep/b.md": "# B\n"})
    project.build()
    left = [project.site / ".llmwiki-99.tmp", project.site / "deep" / ".llmwiki-7.tmp"]
    for path in left:
        path.write_text("half")
    project.write({"a.md": "# Changed\n"})
    project.build()
    assert not any(path.exists() for path in left)
