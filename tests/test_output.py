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


def test_files_of_the_search_are_ours_by_their_names(project: Project) -> None:
    project.write({"A.md": "alpha\n"})
    project.build()
    search = project.site / "_assets/search"
    left = search / "0123456789.js"  # by a build that was interrupted
    left.write_text("x")
    mine = [search / name for name in ("notes.js", "0123456789.txt", "0123456789a.js", "sub/0123456789.js")]
    for path in mine:
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine")
    listed = (project.site / ".llmwiki-site.json").read_bytes()
    project.write({"A.md": "beta\n"})
    project.build()
    assert not left.exists()
    assert [path.read_text() for path in mine] == ["mine"] * 4
    assert (project.site / ".llmwiki-site.json").read_bytes() == listed, "an edit changes no list of files"
