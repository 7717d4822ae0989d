"""Settings: layers, types, places of errors."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from generator import assets
from generator.config import Config, load_config
from generator.errors import ConfigError, VaultError, WikiError


class Place:
    """A vault, a home folder and an environment of one test."""

    def __init__(self, root: Path) -> None:
        self.vault, self.home, self.here = root / "三国 vault", root / "home", root / "here"
        for folder in (self.vault / ".llm-wiki", self.home, self.here):
            folder.mkdir(parents=True)
        self.vault_file = self.vault / ".llm-wiki" / "config.yaml"
        self.home_file = self.home / "config.yaml"
        self.env: dict[str, str] = {}

    def load(self, **overrides: dict[str, object]) -> Config:
        return load_config(self.vault, overrides=overrides, home=self.home, env=self.env)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = Place(tmp_path)
    monkeypatch.chdir(made.here)
    return made


def test_defaults(place: Place) -> None:
    config = place.load()
    assert config.wiki.vault_path == place.vault.resolve()
    assert config.site.title == "三国 vault"
    assert config.site.output == place.here / "site"
    assert config.wiki.index_path.parent.parent == place.home / "vaults"
    assert config.wiki.index_path.parent.name.startswith("三国 vault-")
    assert config.wiki.index_path.name == "index.db"
    assert (config.wiki.max_page_size_kb, config.mcp.mode, config.performance.query_timeout_ms) == (500, "stdio", 5000)
    assert config.origins["site.theme"] == "default"
    assert config.origins["wiki.vault_path"] == "flag"
    assert config.mcp.token is None


def test_two_vaults_of_one_name_have_two_indexes(tmp_path: Path) -> None:
    paths = set()
    for parent in ("a", "b"):
        (tmp_path / parent / "notes").mkdir(parents=True)
        paths.add(load_config(tmp_path / parent / "notes", home=tmp_path / "home", env={}).wiki.index_path)
    assert len(paths) == 2


def test_each_layer_wins_over_the_one_before(place: Place) -> None:
    place.home_file.write_text("site:\n  title: home\n  theme: dark\n  language: zh\nlogging: {level: ERROR}\n")
    place.vault_file.write_text("# comment\nsite:\n  title: vault\n  theme: light\n")
    place.env = {"LLMWIKI_SITE__TITLE": "environment", "LOG_LEVEL": "debug"}
    config = place.load(site={"title": "flag", "theme": None})
    assert (config.site.title, config.site.theme, config.site.language) == ("flag", "light", "zh")
    assert config.logging.level == "DEBUG"
    assert config.origins["site.title"] == "flag"
    assert config.origins["site.theme"] == ".llm-wiki/config.yaml:4"
    assert config.origins["site.language"] == f"{place.home_file}:4"
    assert config.origins["logging.level"] == "environment LOG_LEVEL"
    assert place.load().origins["site.title"] == "environment LLMWIKI_SITE__TITLE"


def test_short_variables(place: Place, tmp_path: Path) -> None:
    env = {
        "WIKI_VAULT_PATH": str(place.vault),
        "WIKI_INDEX_PATH": "elsewhere/index.db",
        "MCP_MODE": "SSE",
        "LOG_LEVEL": "warning",
        "MAX_CONCURRENT_INDEXING": "2",
        "LLMWIKI_HOME": str(tmp_path / "other home"),
    }
    config = load_config(env=env)
    assert config.wiki.vault_path == place.vault.resolve()
    assert config.wiki.index_path == place.here / "elsewhere" / "index.db"
    assert (config.mcp.mode, config.logging.level, config.performance.max_concurrent_indexing) == ("sse", "WARNING", 2)
    assert load_config(env=env | {"LLMWIKI_MCP__MODE": "http"}).mcp.mode == "http"  # the long name is the more exact


def test_relative_paths_start_where_they_were_written(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(place.home))
    place.home_file.write_text("logging:\n  file: logs/wiki.log\n")
    place.vault_file.write_text("site:\n  output: ../out\n  templates: ~/theme\n")
    place.env = {"WIKI_INDEX_PATH": "i.db"}
    config = place.load()
    assert config.logging.file == place.home / "logs" / "wiki.log"
    assert config.site.output == place.vault.parent / "out"
    assert config.site.templates == place.home / "theme"
    assert config.wiki.index_path == place.here / "i.db"
    assert place.load(site={"output": Path("flagged")}).site.output == place.here / "flagged"
    assert config.origins["logging.file"] == "~/config.yaml:2"


@pytest.mark.parametrize(
    ("yaml", "section", "key", "value"),
    [
        ("site: {title: 2031}", "site", "title", "2031"),
        ("site: {title: 2031-04-09}", "site", "title", "2031-04-09"),
        ("mcp: {token: 007}", "mcp", "token", "007"),
        ("site: {nearest_links: yes}", "site", "nearest_links", True),
        ("site: {nearest_links: 'false'}", "site", "nearest_links", False),
        ("site: {strict_line_breaks: on}", "site", "strict_line_breaks", True),
        ("site: {strict_line_breaks: ~}", "site", "strict_line_breaks", False),
        ("site: {title: }", "site", "title", "三国 vault"),
        ("site:\n# all of it commented out\n", "site", "theme", "auto"),
        ("site: {publish: Opt-In}", "site", "publish", "opt-in"),
        ("site: {base_url: 'https://wiki.example/a/'}", "site", "base_url", "https://wiki.example/a/"),
        ("wiki: {exclude: [drafts/, '*.tmp']}", "wiki", "exclude", ("drafts/", "*.tmp")),
        ("wiki: {exclude: 'drafts/, *.tmp'}", "wiki", "exclude", ("drafts/", "*.tmp")),
        ("wiki: {exclude: []}", "wiki", "exclude", ()),
        ("\ufeffmcp: {port: 0}", "mcp", "port", 0),
        ("performance: {cache_ttl_seconds: 0}", "performance", "cache_ttl_seconds", 0),
        ("", "site", "theme", "auto"),
        ("# nothing\n", "site", "theme", "auto"),
        ("---\n", "site", "theme", "auto"),
    ],
)
def test_values_as_people_write_them(place: Place, yaml: str, section: str, key: str, value: Any) -> None:
    place.vault_file.write_text(yaml, encoding="utf-8")
    assert getattr(getattr(place.load(), section), key) == value


@pytest.mark.parametrize(
    ("yaml", "line", "words"),
    [
        ("site:\n  titel: x\n", 2, ["`site.titel`", "did you mean `site.title`"]),
        ("sites:\n  title: x\n", 1, ["`sites`"]),
        ("\nembedding_vectors:\n  url: x\n", 2, ["`embedding_vectors`", "wiki, site, mcp"]),
        ("site:\n  colour_of_the_sky: x\n", 2, ["`site` has: output, title"]),
        ("site:\n  zzz: x\n", 2, ["`site.zzz`", "`site` has:"]),
        ("wiki:\n  max_page_size_kb: big\n", 2, ["`wiki.max_page_size_kb`", "a whole number from 1", "`big`"]),
        ("wiki:\n  max_page_size_kb: 0\n", 2, ["from 1"]),
        ("wiki:\n  max_page_size_kb: 1.5\n", 2, ["whole number"]),
        ("wiki:\n  max_page_size_kb: [1]\n", 2, ["whole number"]),
        ("mcp:\n\n  port: 70000\n", 3, ["from 0 to 65535"]),
        ("site:\n  theme: blue\n", 2, ["auto, light, dark", "`blue`"]),
        ("site:\n  nearest_links: perhaps\n", 2, ["true or false"]),
        ("site:\n  title: [a, b]\n", 2, ["text"]),
        ("site:\n  output: [a]\n", 2, ["a path"]),
        ("site:\n  templates: ~nobody-of-this-name/x\n", 2, ["a path"]),
        ("site:\n  base_url: example.org\n", 2, ["http://"]),
        ("site:\n  title:\n    deep: x\n", 3, ["`site.title`"]),
        ("site:\n  title: a\n  title: b\n", 3, ["set twice", "line 2"]),
        ("site: dark\n", 1, ["`site` should hold settings"]),
        ("- site\n", 1, ["the file should hold settings"]),
        ("site:\n  title: a: b\n", 2, ["not valid YAML"]),
        ("site:\n\ttitle: a\n", 2, ["not valid YAML"]),
        ("site:\n  title: 'open\n", None, ["not valid YAML"]),
        ("site: {title: a}\n---\nsite: {}\n", 2, ["not valid YAML"]),
        ("site: {title: \x07}\n", None, ["not valid YAML"]),
        ("wiki:\n  vault_path: /tmp\n", 2, ["where the vault is"]),
        ("x: " + "[" * 100_000, None, ["not valid YAML"]),
    ],
)
def test_errors_name_file_key_and_line(place: Place, yaml: str, line: int | None, words: list[str]) -> None:
    place.vault_file.write_text(yaml)
    with pytest.raises(ConfigError) as caught:
        place.load()
    assert caught.value.path == ".llm-wiki/config.yaml"
    if line is not None:
        assert caught.value.line == line
    for word in words:
        assert word in str(caught.value)


def test_a_broken_home_file_is_named_too(place: Place) -> None:
    place.home_file.write_text("logging:\n  level: LOUD\n")
    with pytest.raises(ConfigError, match=r"home/config\.yaml:2: `logging\.level` should be one of DEBUG") as caught:
        place.load()
    assert caught.value.path == str(place.home_file)


def test_unreadable_files(place: Place) -> None:
    place.vault_file.write_bytes(b"site:\n  title: caf\xe9\n")
    with pytest.raises(ConfigError, match=r"config\.yaml:2: this file is not UTF-8"):
        place.load()
    place.vault_file.write_text("#" * 1_000_001)
    with pytest.raises(ConfigError, match="too large"):
        place.load()
    place.vault_file.unlink()
    place.vault_file.mkdir()
    with pytest.raises(ConfigError, match="cannot read this file"):
        place.load()


@pytest.mark.parametrize(
    ("env", "words"),
    [
        ({"MAX_CONCURRENT_INDEXING": "many"}, "environment MAX_CONCURRENT_INDEXING: `performance.max_concurrent"),
        ({"LLMWIKI_SITE__THEME": "blue"}, "environment LLMWIKI_SITE__THEME: `site.theme` should be one of"),
        ({"LLMWIKI_SITE__TITEL": "x"}, "environment LLMWIKI_SITE__TITEL: there is no setting `site.titel`"),
    ],
)
def test_errors_name_the_variable(place: Place, env: dict[str, str], words: str) -> None:
    place.env = env
    with pytest.raises(ConfigError) as caught:
        place.load()
    assert words in str(caught.value)
    assert caught.value.path is None


def test_variables_that_are_none_of_ours_or_empty(place: Place) -> None:
    place.env = {"LLMWIKI_REQUIRE_ALL": "1", "MCP_MODE": "", "LLMWIKI_SITE__TITLE": "", "SITE__TITLE": "x"}
    config = place.load()
    assert (config.mcp.mode, config.site.title) == ("stdio", "三国 vault")


def test_flags_are_checked(place: Place) -> None:
    with pytest.raises(ConfigError, match=r"flag: `mcp\.port` should be"):
        place.load(mcp={"port": 99_999})
    with pytest.raises(ConfigError, match=r"there is no setting `mcp\.ports`"):
        place.load(mcp={"ports": 1})
    assert place.load(mcp={"port": 0}, wiki={"exclude": ("a/", "b,c")}).wiki.exclude == ("a/", "b,c")


def test_a_token_is_never_shown(place: Place) -> None:
    place.env = {"LLMWIKI_MCP__TOKEN": "hush-hush"}
    config = place.load()
    assert config.mcp.token == "hush-hush"
    assert "hush" not in repr(config)
    with pytest.raises(ConfigError) as caught:
        place.load(mcp={"token": ["hush-hush"]})
    assert "hush" not in str(caught.value)


def test_vault_that_cannot_be_used(place: Place, tmp_path: Path) -> None:
    with pytest.raises(VaultError, match="no vault was named") as none:
        load_config(home=place.home, env={})
    assert "WIKI_VAULT_PATH" in none.value.hint
    with pytest.raises(VaultError, match="does not exist"):
        load_config(tmp_path / "nowhere", home=place.home, env={})
    (tmp_path / "note.md").write_text("x")
    with pytest.raises(VaultError, match="is a file, not a folder"):
        load_config(tmp_path / "note.md", home=place.home, env={})
    place.home_file.write_text("wiki:\n  vault_path: gone\n")
    with pytest.raises(VaultError, match=r"gone \(from .*config\.yaml:2\) does not exist"):
        load_config(home=place.home, env={})


def test_vault_of_the_home_file(place: Place) -> None:
    place.home_file.write_text(f"wiki:\n  vault_path: ../{place.vault.name}\n")
    config = load_config(home=place.home, env={})
    assert config.wiki.vault_path == place.vault.resolve()
    assert config.origins["wiki.vault_path"] == f"{place.home_file}:2"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('{"strictLineBreaks": true}', True),
        ('{"strictLineBreaks": false}', False),
        ('{"strictLineBreaks": 1}', False),
        ("[]", False),
        ("{broken", False),
        ("[" * 100_000, False),
    ],
)
def test_obsidians_line_breaks(place: Place, content: str, expected: bool) -> None:
    (place.vault / ".obsidian").mkdir()
    (place.vault / ".obsidian" / "app.json").write_text(content)
    assert place.load().site.strict_line_breaks is expected
    assert place.load(site={"strict_line_breaks": not expected}).site.strict_line_breaks is not expected


def test_fingerprint(place: Place) -> None:
    first = place.load()
    changing: list[dict[str, dict[str, object]]] = [
        {"site": {"theme": "dark"}},
        {"site": {"title": "x"}},
        {"site": {"strict_line_breaks": True}},
        {"wiki": {"exclude": "a/"}},
        {"wiki": {"max_page_size_kb": 1}},
    ]
    seen = {place.load(**flags).fingerprint() for flags in changing}
    assert len(seen | {first.fingerprint()}) == 6
    same = place.load(site={"output": "o"}, mcp={"port": 1}, logging={"level": "ERROR"}, wiki={"index_path": "i"})
    assert same.fingerprint() == first.fingerprint()


def test_config_is_frozen_and_crosses_processes(place: Place) -> None:
    config = place.load()
    with pytest.raises(AttributeError):
        config.site.title = "other"  # type: ignore[misc]
    copy = pickle.loads(pickle.dumps(config))
    assert copy == config
    assert copy.origins == config.origins


def test_loading_imports_nothing_heavy(place: Place) -> None:
    program = "import sys; from generator.config import load_config; load_config(); print(*sorted(sys.modules))"
    env = {"LLMWIKI_HOME": str(place.home), "WIKI_VAULT_PATH": str(place.vault)}
    env |= {"PYTHONPATH": str(Path(__file__).parent.parent), "PATH": os.environ["PATH"]}
    loaded = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
    assert not {"yaml", "pydantic", "asyncio", "difflib", "rich", "jinja2"} & set(loaded.stdout.split())


def test_assets_in_a_checkout_and_installed(tmp_path: Path) -> None:
    assert assets.templates_dir().name == "templates"
    package = tmp_path / "site-packages" / "generator"
    (tmp_path / "site-packages" / "templates").mkdir(parents=True)
    (package / "_data" / "templates").mkdir(parents=True)
    assert assets._find("templates", package) == package / "_data" / "templates"
    with pytest.raises(WikiError, match="`skills` folder is missing"):
        assets._find("skills", package)
