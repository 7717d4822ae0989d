"""Pairs that could be joined: how they are counted, scored and shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from upkeep_vault import UpkeepVault

from generator.errors import PageNotFound
from generator.upkeep.synthesis import Synthesis, synthesize


@pytest.fixture
def vault(tmp_path: Path) -> UpkeepVault:
    return UpkeepVault(tmp_path)


def ask(vault: UpkeepVault, *concepts: str, **options: object) -> Synthesis:
    found = vault.ask(synthesize(concepts, **options))  # type: ignore[arg-type]
    assert isinstance(found, Synthesis)
    return found


def joined(count: int, *names: str) -> dict[str, str]:
    """Pages that link to all of the names."""
    return {f"p{n}{''.join(names)}.md": " and ".join(f"[[{name}]]" for name in names) + ".\n" for n in range(count)}


def test_pages_that_are_linked_together_often_enough(vault: UpkeepVault) -> None:
    vault.write({"A.md": "", "B.md": "", "C.md": ""} | joined(3, "A", "B") | joined(2, "A", "C"))
    found = ask(vault)
    assert [(item.concepts, item.co_occurrence, item.score) for item in found.proposals] == [(("A.md", "B.md"), 3, 2)]
    assert found.total == 1
    assert [item.concepts for item in ask(vault, threshold=2).proposals] == [("A.md", "B.md"), ("A.md", "C.md")]


def test_points(vault: UpkeepVault) -> None:
    contradicts = "relationships:\n  - {target: '[[B]]', type: contradicts}\n"
    vault.write(
        {
            "x/A.md": f"---\ncategory: c\ntags: [Tea]\n{contradicts}---\n",
            "y/B.md": "---\ncategory: d\ntags: [tea]\n---\n",
        }
        | joined(5, "A", "B")
        | {f"z{n}.md": "[[A]]" for n in range(15)}
    )
    (found,) = ask(vault).proposals
    assert found.reasons == (
        "+3 5 pages join them",
        "+2 different categories",
        "+1 a shared tag in different folders",
        "+1 one of them is a hub",
        "+2 they disagree",
    )
    assert found.score == 9


def test_what_a_synthesis_joins_is_done(vault: UpkeepVault) -> None:
    vault.write({"A.md": "", "B.md": ""} | joined(4, "A", "B") | {"synthesis/AB.md": "[[A]] [[B]]"})
    assert ask(vault).total == 0


def test_lists_sources_and_indexes_join_nothing(vault: UpkeepVault) -> None:
    names = [f"n{n}" for n in range(70)]
    vault.write(
        {f"{name}.md": "" for name in names} | {f"list{k}.md": " ".join(f"[[{n}]]" for n in names) for k in range(3)}
    )
    vault.write({"sources/S.md": "", "A.md": ""} | joined(3, "A", "S"))
    assert ask(vault).total == 0


def test_evidence_and_outline(vault: UpkeepVault) -> None:
    vault.write(
        {
            "A.md": "",
            "B.md": "",
            "One.md": "---\nupdated: 2026-01-01\n---\nFirst. Both [[A]] and [[B]] meet here. Last.\n",
            "Two.md": "---\nupdated: 2026-02-01\n---\n[[A]] is one.\n\n[[B|the other]] is two.\n",
            "Three.md": "---\nupdated: 2026-03-01\n---\n[[A]] [[B]]\n",
        }
    )
    (found,) = ask(vault).proposals
    assert [(item.path, item.sentences) for item in found.evidence] == [
        ("Three.md", ("A B",)),
        ("Two.md", ("A is one.", "the other is two.")),
        ("One.md", ("Both A and B meet here.",)),
    ]
    assert found.outline == (
        "# A · B\n\n## Connection\n\n[[A]] · [[B]]\n\n## Where they meet\n\n- [[Three]]: A B\n- [[Two]]: A is one.\n"
        "- [[One]]: Both A and B meet here.\n\n## Insight\n\n\n## Tensions\n\n\n## Open questions\n\n"
        "## Related\n\n- [[A]]\n- [[B]]"
    )
    assert "## 待解的问题" in ask(vault, language="zh").proposals[0].outline


def test_named_concepts_count_mentions_too(vault: UpkeepVault) -> None:
    vault.write(
        {"Tea.md": "---\naliases: [茶]\n---\n", "Milk.md": "", "C.md": ""}
        | {f"m{n}.md": "TEA with milk" if n else "茶 and milk" for n in range(3)}
        | joined(3, "Tea", "C")
    )
    assert [item.concepts for item in ask(vault, "tea", "Milk").proposals] == [("Milk.md", "Tea.md")]
    assert [item.concepts for item in ask(vault, "Tea").proposals] == [("C.md", "Tea.md")]
    with pytest.raises(PageNotFound):
        ask(vault, "Coffee", "Tea")


def test_the_next_ten_are_named(vault: UpkeepVault) -> None:
    names = [f"n{n}" for n in range(7)]
    vault.write({f"{name}.md": "" for name in names} | joined(3, *names))
    found = ask(vault)
    assert (len(found.proposals), len(found.others), found.total) == (5, 10, 21)
    assert len(ask(vault, limit=1).proposals) == 1
