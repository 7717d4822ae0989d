"""What is published: the sdist and the wheel, made from this checkout and used away from it."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import packages_distributions, requires
from importlib.util import find_spec
from pathlib import Path

import pytest

from generator import __version__

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
TEMPLATES = [
    path.relative_to(ROOT / "templates").as_posix() for path in (ROOT / "templates").rglob("*") if path.is_file()
]
SKILLS = [path.relative_to(ROOT / "skills").as_posix() for path in (ROOT / "skills").rglob("*") if path.is_file()]


@dataclass(frozen=True)
class Published:
    """The two archives; `installed` is the environment into which the wheel was put."""

    sdist: Path
    wheel: Path
    installed: Path

    @property
    def wheel_files(self) -> set[str]:
        with zipfile.ZipFile(self.wheel) as archive:
            return set(archive.namelist())

    @property
    def sdist_files(self) -> set[str]:
        with tarfile.open(self.sdist) as archive:
            return {name.partition("/")[2] for name in archive.getnames()}

    def run(self, program: str, *arguments: str, cwd: Path) -> str:
        """What an installed program prints; it must succeed."""
        outer = {key: value for key, value in os.environ.items() if not key.startswith(("LLMWIKI_", "WIKI_", "PYTHON"))}
        environment = outer | {"LLMWIKI_HOME": str(cwd / "home"), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [str(self.installed / "bin" / program), *arguments]
        done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done
        return done.stdout


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Published:
    """Both archives, the wheel made from the sdist, and a new environment that borrows our dependencies."""
    folder = tmp_path_factory.mktemp("published")
    isolation = ["--no-isolation"] if find_spec("hatchling") else []
    _check(sys.executable, "-m", "build", *isolation, "--outdir", folder / "dist", ROOT)
    (sdist,), (wheel,) = (folder / "dist").glob("*.tar.gz"), (folder / "dist").glob("*.whl")
    installed = folder / "environment"
    _check(sys.executable, "-m", "venv", "--without-pip", installed)
    target = next(installed.glob("lib/python*/site-packages"))
    _check(
        sys.executable,
        "-m",
        "pip",
        "--python",
        installed / "bin" / "python",
        "install",
        "--no-deps",
        "--no-index",
        wheel,
    )
    (target / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    return Published(sdist, wheel, installed)


def _check(*command: object) -> None:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=300, cwd=ROOT.parent)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


def test_names_and_version(published: Published) -> None:
    assert published.sdist.name == f"sanguo_llmwiki-{__version__}.tar.gz"
    assert published.wheel.name == f"sanguo_llmwiki-{__version__}-py3-none-any.whl"


def test_the_wheel_holds_all_that_is_used(published: Published) -> None:
    files = published.wheel_files
    assert {"generator/schema.sql", "generator/cli/__init__.py", "mcp_bridge/server.py"} <= files
    assert {f"generator/_data/templates/{path}" for path in TEMPLATES} <= files
    assert len(SKILLS) > 11
    assert {f"generator/_data/skills/{path}" for path in SKILLS} <= files
    for hidden in (
        "sample-vault/.llm-wiki/config.yaml",
        "sample-vault/.obsidian/app.json",
        "vault/flat/concepts/.gitkeep",
    ):
        assert f"generator/_data/templates/{hidden}" in files
    modules = {
        path.relative_to(ROOT).as_posix()
        for name in ("generator", "mcp_bridge")
        for path in (ROOT / name).rglob("*.py")
    }
    assert modules <= files


def test_the_wheel_holds_nothing_else(published: Published) -> None:
    tops = {name.partition("/")[0] for name in published.wheel_files}
    assert tops == {"generator", "mcp_bridge", f"sanguo_llmwiki-{__version__}.dist-info"}
    assert not [name for name in published.wheel_files if re.search(r"(^|/)tests?/|__pycache__|\.pyc$|\.db$", name)]


def test_the_sdist_holds_what_is_needed_to_test(published: Published) -> None:
    files = published.sdist_files
    assert {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "Makefile"} <= files
    assert {"tests/test_packaging.py", "tests/syntax/link.md", "docs/commands.md", "docs/images/home.png"} <= files
    assert {f"templates/{path}" for path in TEMPLATES} | {f"skills/{path}" for path in SKILLS} <= files
    assert not [name for name in files if name.startswith(("site/", ".venv/", ".git/")) or "__pycache__" in name]


def test_the_description_is_the_readme(published: Published) -> None:
    with zipfile.ZipFile(published.wheel) as archive:
        metadata = archive.read(f"sanguo_llmwiki-{__version__}.dist-info/METADATA").decode()
    assert (ROOT / "README.md").read_text("utf-8").strip() in metadata
    assert f"Requires-Python: {PROJECT['requires-python']}" in metadata


def test_the_installed_programs_work_away_from_the_checkout(published: Published, tmp_path: Path) -> None:
    assert published.run("llmwiki", "--version", cwd=tmp_path) == f"llmwiki {__version__}\n"
    published.run("llmwiki", "init", "vault", "--sample", cwd=tmp_path)
    assert (tmp_path / "vault" / ".obsidian" / "app.json").is_file()
    report = json.loads(published.run("llmwiki", "build", "vault", "--out", "site", "--json", cwd=tmp_path))
    assert [found["code"] for found in report["warnings"]] == ["broken-link"] * 2  # two, which show what one is
    assert "赤壁之战" in (tmp_path / "site" / "index.html").read_text("utf-8")
    assert (tmp_path / "site" / "_assets" / "style.css").is_file()
    assert "wiki/entities/赤壁之战.md" in published.run("llmwiki", "search", "赤壁", "--vault", "vault", cwd=tmp_path)
    assert "--vault" in published.run("llmwiki-mcp", "--help", cwd=tmp_path)


def test_the_installed_program_brings_its_skills(published: Published, tmp_path: Path) -> None:
    assert f": {len(SKILLS)} files new" in published.run("llmwiki", "skills", "install", cwd=tmp_path)
    assert (tmp_path / ".claude/skills/wiki-ingest/references/merging.md").is_file()
    assert "complete -" in published.run("llmwiki", "completion", "bash", cwd=tmp_path)
    said = published.run("llmwiki", "doctor", "--vault", "..", cwd=tmp_path / ".claude")
    assert f"ok    program    llmwiki {__version__}" in said
    assert "llmwiki-mcp is not on the PATH" in said
    assert str(published.installed / "bin" / "llmwiki-mcp") in said


def test_the_installed_program_is_not_the_checkout(published: Published, tmp_path: Path) -> None:
    where = published.run("python", "-c", "import generator; print(generator.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(published.installed)


# ── dependencies ────────────────────────────────────────────────────────────────────────────────────────


def imported(*folders: str, without: Iterable[Path] = ()) -> set[str]:
    """The third-party modules that the sources in these folders import, by their first name."""
    ours = {"generator", "mcp_bridge", "tests", *(path.stem for path in (ROOT / "tests").rglob("*.py"))}
    files = [file for folder in folders for file in (ROOT / folder).rglob("*.py")]
    files = [file for file in files if not any(file.is_relative_to(folder) for folder in without)]
    names = {name for file in files for name in _imports(file)}
    return names - ours - sys.stdlib_module_names - {"_typeshed"}


def _imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield str(node.module).partition(".")[0]


def declared(requirements: list[str]) -> set[str]:
    return {_name(requirement) for requirement in requirements}


def _name(requirement: str) -> str:
    match = re.match(r"[\w.-]+", requirement)
    assert match is not None
    return re.sub(r"[-_.]+", "-", match[0]).lower()


def missing(modules: set[str], known: set[str]) -> dict[str, set[str]]:
    """The modules that come with no declared distribution, nor with a direct requirement of one, and where they do."""
    brought = known | {
        _name(requirement) for name in known for requirement in requires(name) or () if "extra ==" not in requirement
    }
    providers = {module: {_name(name) for name in packages_distributions().get(module, ())} for module in modules}
    return {module: names for module, names in providers.items() if not names & brought}


# What only an extra brings: the modules, and the files that may import them. Elsewhere it must be in `dependencies`.
EXTRAS = {"vectors": "generator/vectors", "sources": "generator/sources"}


def test_what_is_imported_is_declared() -> None:
    needed = declared(PROJECT["dependencies"])
    for extra, folder in EXTRAS.items():
        brought = needed | declared(PROJECT["optional-dependencies"][extra])
        if not all(find_spec(name.replace("-", "_")) for name in declared(PROJECT["optional-dependencies"][extra])):
            continue  # of what is not installed nobody knows what comes with it
        assert missing(imported(folder), brought) == {}, extra
    elsewhere = imported("generator", "mcp_bridge", without=[ROOT / folder for folder in EXTRAS.values()])
    assert missing(elsewhere, needed) == {}


def test_what_the_tests_import_is_declared() -> None:
    known = declared(PROJECT["dependencies"]) | declared(PROJECT["optional-dependencies"]["dev"])
    assert missing(imported("tests"), known) == {}


def test_what_is_declared_is_imported() -> None:
    used = {
        _name(name)
        for module in imported("generator", "mcp_bridge")
        for name in packages_distributions().get(module, ())
    }
    assert declared(PROJECT["dependencies"]) <= used
