"""The order of the modules, and the bounds on size and on names, read off the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("generator", "mcp_bridge")

# Each module imports only what stands above it, or beside it in its own package.
ORDER = (
    "wording", "errors", "extras", "setting", "config_file", "config", "model", "digest", "assets", "look", "ignore",
    "walk", "vault", "stop_words", "porter", "analyser", "search_query", "syntax.marks", "fragment", "linear_regex",
    "query_terms", "syntax", "collation", "xml_text", "language", "frontmatter", "properties", "parse_options",
    "facts", "parser", "source_map", "dates", "urls", "links", "packed", "record", "raw", "processes", "reading",
    "passage", "query", "lookup", "query_fence", "store", "relink", "indexer", "update", "cache", "corpus", "words",
    "relevance", "expansion", "fusion", "retrieval", "tokens", "context", "vectors", "secrets", "sources.errors",
    "sources.keys", "sources.lock", "sources.manifest", "upkeep", "graph", "layout", "wiki", "script_data", "balance",
    "body", "render", "pages", "exports", "digits", "postings", "vocabulary", "shard_files", "search_shards",
    "search_state", "output", "making", "build", "publication", "watch", "serve", "starter", "sources", "archive",
    "history", "colorize", "skills", "benchmark", "doctor", "cli", "__main__",
)  # fmt: skip

# What the bridge must not load: agents read the index, never the site.
SITE_ONLY = frozenset(
    {
        "script_data",
        "body",
        "render",
        "pages",
        "exports",
        "digits",
        "postings",
        "shard_files",
        "search_shards",
        "search_state",
        "output",
        "build",
        "publication",
        "serve",
        "starter",
        "cli",
    }
)

FORBIDDEN_NAMES = frozenset({"utils", "util", "helpers", "helper", "common", "base", "manager", "misc"})
MOST_LINES = 400
MOST_FUNCTION_LINES = 60
# The two outer edges, where any error becomes an answer.
EDGES = frozenset({"generator.cli.edge", "mcp_bridge.protocol"})


@cache
def modules() -> dict[str, Path]:
    """Every module of both packages by its dotted name."""
    found = {}
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            parts = file.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts).removesuffix(".__init__")] = file
    return found


@cache
def tree(name: str) -> ast.Module:
    return ast.parse(modules()[name].read_text("utf-8"))


def imports(name: str) -> Iterator[tuple[str, int]]:
    """The modules that a module imports anywhere in its text, with the line."""
    is_package = modules()[name].name == "__init__.py"
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = name.split(".")[: len(name.split(".")) - node.level + is_package]
                base = ".".join([*above, base]) if base else ".".join(above)
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                yield (inner if inner in modules() else base), node.lineno


def place(module: str) -> int:
    """Where a module of the generator stands in ORDER; the package itself, which holds the version, stands first."""
    inside = module.removeprefix("generator").removeprefix(".")
    if not inside:
        return -1
    names = [name for name in ORDER if inside == name or inside.startswith(name + ".")]
    assert names, f"{module} has no place in ORDER: give it one, above all that import it"
    return ORDER.index(max(names, key=len))


def test_the_generator_imports_only_what_stands_above() -> None:
    wrong = []
    for name in modules():
        if name.startswith("generator"):
            for imported, line in imports(name):
                if imported.partition(".")[0] == "generator" and place(imported) > place(name) >= 0:
                    wrong.append(f"{name}:{line} imports {imported}")
    assert wrong == []


def test_the_generator_never_imports_the_bridge() -> None:
    users = [
        name
        for name in modules()
        if name.startswith("generator")
        for module, _ in imports(name)
        if "mcp_bridge" in module
    ]
    assert users == []


def test_the_bridge_never_imports_the_site() -> None:
    wrong = [
        f"{name}:{line} imports {imported}"
        for name in modules()
        if name.startswith("mcp_bridge")
        for imported, line in imports(name)
        if imported.startswith("generator.") and imported.split(".")[1] in SITE_ONLY
    ]
    assert wrong == []


def test_the_bridge_reaches_the_site_through_nothing_either() -> None:
    """Nothing that the bridge imports imports the site in its turn."""
    reached: set[str] = set()
    pending = [name for name in modules() if name.startswith("mcp_bridge")]
    while pending:
        for imported, _ in imports(pending.pop()):
            if imported in modules() and imported not in reached:
                reached.add(imported)
                pending.append(imported)
    assert {name for name in reached if name.startswith("generator.") and name.split(".")[1] in SITE_ONLY} == set()


def test_no_cycle() -> None:
    """Also within a package: no module reaches itself through its imports."""
    graph = {name: {imported for imported, _ in imports(name) if imported in modules()} - {name} for name in modules()}
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " → ".join((*path[path.index(name) :], name))
        if name not in done:
            for imported in sorted(graph[name]):
                visit(imported, (*path, name))
            done.add(name)

    for name in graph:
        visit(name, ())


def test_files_are_short() -> None:
    files = [*modules().values(), *(ROOT / "tests").rglob("*.py")]
    long = {file.relative_to(ROOT).as_posix(): len(file.read_text("utf-8").splitlines()) for file in files}
    assert {name: lines for name, lines in long.items() if lines > MOST_LINES} == {}


def test_functions_are_short() -> None:
    long = [
        f"{name}.{node.name}: {node.end_lineno - node.lineno + 1} lines"
        for name in modules()
        for node in ast.walk(tree(name))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and (node.end_lineno or 0) - node.lineno + 1 > MOST_FUNCTION_LINES
    ]
    assert long == []


def test_files_are_named_after_their_idea() -> None:
    assert {name for name in modules() if FORBIDDEN_NAMES.intersection(name.split("."))} == set()


def test_every_module_says_what_it_is() -> None:
    assert [name for name in modules() if not ast.get_docstring(tree(name))] == []


def _is_broad(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(
        kind is None or (isinstance(kind, ast.Name) and kind.id in {"Exception", "BaseException"}) for kind in kinds
    )


def test_broad_handlers_pass_the_error_on() -> None:
    swallowing = [
        f"{name}:{node.lineno}"
        for name in modules()
        for node in ast.walk(tree(name))
        if isinstance(node, ast.ExceptHandler) and _is_broad(node) and name not in EDGES
        and not any(isinstance(inner, ast.Raise) for inner in ast.walk(node))
    ]  # fmt: skip
    assert swallowing == []


def test_only_the_command_line_prints() -> None:
    printing = [
        f"{name}:{node.lineno}"
        for name in modules()
        if name.startswith("generator") and not name.startswith("generator.cli")
        for node in ast.walk(tree(name))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    assert printing == []


@pytest.mark.parametrize("package", PACKAGES)
def test_both_packages_are_there(package: str) -> None:
    assert package in modules()
