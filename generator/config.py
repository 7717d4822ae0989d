"""Settings: defaults < ~/.sanguo-llmwiki/config.yaml < <vault>/.llm-wiki/config.yaml < environment < flags.

A layer maps dotted keys to values as given; a later layer wins key by key, and what has won is turned into
the type of its field. Plain dataclasses, because every command and every worker process
loads this module: the import of pydantic-settings alone takes longer than a whole search may.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, get_type_hints
from unicodedata import normalize

from .errors import VaultError
from .setting import Given, absolute

VAULT_CONFIG = ".llm-wiki/config.yaml"


@dataclass(frozen=True, slots=True)
class WikiSettings:
    """Where the vault and its index are, and what of it is read. `exclude` holds globs as in a .gitignore."""

    vault_path: Path
    index_path: Path
    max_page_size_kb: int = field(default=500, metadata={"least": 1})
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SiteSettings:
    """How the site looks and what it shows. `templates` is a folder of the user's own, laid over ours."""

    output: Path
    title: str
    base_url: str = field(default="", metadata={"url": True})
    language: Literal["en", "zh"] = "en"
    theme: Literal["auto", "light", "dark"] = "auto"
    templates: Path | None = None
    publish: Literal["all", "opt-in"] = "all"
    nearest_links: bool = False
    raw_html: Literal["sanitize", "allow", "escape"] = "sanitize"
    strict_line_breaks: bool = False


@dataclass(frozen=True, slots=True)
class McpSettings:
    """How agents reach the bridge, and what it may write."""

    mode: Literal["stdio", "http", "sse"] = "stdio"
    host: str = "127.0.0.1"
    port: int = field(default=8080, metadata={"least": 0, "most": 65_535})
    token: str | None = field(default=None, repr=False, metadata={"secret": True})
    writes: Literal["none", "generated", "all"] = "generated"


@dataclass(frozen=True, slots=True)
class PerformanceSettings:
    """Bounds on time and memory."""

    query_timeout_ms: int = field(default=5000, metadata={"least": 1})
    cache_ttl_seconds: int = field(default=3600, metadata={"least": 0})
    fts_cache_size_mb: int = field(default=100, metadata={"least": 1})
    max_concurrent_indexing: int = field(default=5, metadata={"least": 1})


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """How contexts are made: how many tokens they may take, and what is left of relevance at the second hop."""

    max_tokens: int = field(default=32_000, metadata={"least": 4_096, "most": 1_000_000})
    decay: float = 0.5


@dataclass(frozen=True, slots=True)
class EmbeddingsSettings:
    """Search by meaning: who turns texts into vectors. The key itself is never a setting, only its variable's name."""

    provider: Literal["off", "local", "openai"] = "off"
    endpoint: str = field(default="https://api.openai.com/v1/embeddings", metadata={"url": True})
    api_key_env: str = "OPENAI_API_KEY"
    model: str = "text-embedding-3-small"
    batch_size: int = field(default=32, metadata={"least": 1, "most": 2048})
    timeout_s: int = field(default=8, metadata={"least": 1, "most": 600})


@dataclass(frozen=True, slots=True)
class LoggingSettings:
    """What is logged, and to which file (None: standard error)."""

    level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    file: Path | None = None


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of one run. Every path is absolute.

    `origins` tells for each dotted key where its value came from: `file:line`, `environment NAME`, `flag`,
    `.obsidian/app.json` or `default`.
    """

    wiki: WikiSettings
    site: SiteSettings
    mcp: McpSettings = field(default_factory=McpSettings)
    performance: PerformanceSettings = field(default_factory=PerformanceSettings)
    retrieval: RetrievalSettings = field(default_factory=RetrievalSettings)
    embeddings: EmbeddingsSettings = field(default_factory=EmbeddingsSettings)
    logging: LoggingSettings = field(default_factory=LoggingSettings)
    origins: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    def fingerprint(self) -> str:
        """Sixteen hex digits that change with every setting that can change a parse or a page.

        Paths are left out, so that a checkout elsewhere keeps its results: where the vault and the output lie
        changes no page, and templates count by their content.
        """
        site = asdict(self.site)
        relevant = {key: site[key] for key in site if key not in ("output", "templates")}
        relevant["max_page_size_kb"] = self.wiki.max_page_size_kb
        relevant["exclude"] = self.wiki.exclude
        return sha256(json.dumps(relevant, sort_keys=True).encode()).hexdigest()[:16]


SECTIONS: dict[str, type] = {
    "wiki": WikiSettings,
    "site": SiteSettings,
    "mcp": McpSettings,
    "performance": PerformanceSettings,
    "retrieval": RetrievalSettings,
    "embeddings": EmbeddingsSettings,
    "logging": LoggingSettings,
}
SHORT_VARIABLES = {
    "WIKI_VAULT_PATH": "wiki.vault_path",
    "WIKI_INDEX_PATH": "wiki.index_path",
    "MCP_MODE": "mcp.mode",
    "LOG_LEVEL": "logging.level",
    "MAX_CONCURRENT_INDEXING": "performance.max_concurrent_indexing",
}
_PREFIX = "LLMWIKI_"
_KEYS = tuple(f"{name}.{item.name}" for name, section in SECTIONS.items() for item in fields(section))

_Layer = dict[str, Given]


def load_config(
    vault: Path | None = None,
    *,
    overrides: Mapping[str, Mapping[str, object]] | None = None,
    home: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Config:
    """Read all sources and return the settings of this run.

    `vault` None: the configured `wiki.vault_path`. `overrides` are flags by section and key; None means "not
    given". `home` defaults to LLMWIKI_HOME, else `~/.sanguo-llmwiki`. Raises ConfigError for a setting that
    cannot be used and VaultError when there is no vault.
    """
    env = os.environ if env is None else env
    home = absolute(home or env.get("LLMWIKI_HOME") or "~/.sanguo-llmwiki", Path.cwd())
    home_layer = _file_layer(home / "config.yaml", _short(home / "config.yaml"), home)
    outer = _environment_layer(env) | _flag_layer(overrides or {}, vault)
    folder = _vault_folder((home_layer | outer).get("wiki.vault_path"))
    given = _default_layer(folder, home) | home_layer | _vault_layer(folder) | outer
    given["wiki.vault_path"] = replace(given["wiki.vault_path"], value=folder)
    sections: dict[str, Any] = {name: _section(name, given) for name in SECTIONS}
    origins = dict.fromkeys(_KEYS, "default") | {key: value.origin for key, value in given.items()}
    return Config(**sections, origins=origins)


def read_obsidian(vault: Path, name: str) -> dict[str, Any]:
    """A settings file of Obsidian (`app.json`, `templates.json`); {} where it is missing or damaged, as in the app."""
    try:
        settings = json.loads((vault / ".obsidian" / name).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return settings if isinstance(settings, dict) else {}


def _default_layer(vault: Path, home: Path) -> _Layer:
    """The defaults that depend on the place."""
    digest = sha256(normalize("NFC", str(vault)).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    index = home / "vaults" / f"{vault.name[:40] or 'vault'}-{digest}" / "index.db"
    values: dict[str, object] = {"wiki.index_path": index, "site.output": "site", "site.title": vault.name or "Wiki"}
    layer = {key: Given(value, Path.cwd(), "default") for key, value in values.items()}
    strict = read_obsidian(vault, "app.json").get("strictLineBreaks")
    if isinstance(strict, bool):
        layer["site.strict_line_breaks"] = Given(strict, vault, ".obsidian/app.json")
    return layer


def _file_layer(file: Path, shown: str, base: Path) -> _Layer:
    if not os.path.lexists(file):
        return {}
    from .config_file import read_settings  # imports YAML: 60 ms, and most runs meet no such file

    return read_settings(file, shown, base, _KEYS)


def _vault_layer(vault: Path) -> _Layer:
    layer = _file_layer(vault / VAULT_CONFIG, VAULT_CONFIG, vault)
    if misplaced := layer.get("wiki.vault_path"):
        misplaced.refuse("the vault's own configuration cannot say where the vault is", "remove `vault_path` here")
    return layer


def _environment_layer(env: Mapping[str, str]) -> _Layer:
    """The variables that are set and not empty; the long form of a name wins over the short one."""
    long = {name: name[len(_PREFIX) :].lower().replace("__", ".", 1) for name in sorted(env) if _is_long(name)}
    layer: _Layer = {}
    for name, key in (SHORT_VARIABLES | long).items():
        given = Given(env.get(name, "").strip(), Path.cwd(), f"environment {name}")
        given.check_known(key, _KEYS)
        if given.value:
            layer[key] = given
    return layer


def _is_long(name: str) -> bool:
    return name.startswith(_PREFIX) and "__" in name


def _flag_layer(overrides: Mapping[str, Mapping[str, object]], vault: Path | None) -> _Layer:
    given = {f"{section}.{name}": value for section, values in overrides.items() for name, value in values.items()}
    if vault is not None:
        given["wiki.vault_path"] = vault
    layer = {key: Given(value, Path.cwd(), "flag") for key, value in given.items()}
    for key, flag in layer.items():
        flag.check_known(key, _KEYS)
    return {key: flag for key, flag in layer.items() if flag.value is not None}


def _section(name: str, given: _Layer) -> object:
    section = SECTIONS[name]
    types = get_type_hints(section)
    items = [(f"{name}.{item.name}", item) for item in fields(section)]
    return section(**{i.name: given[key].typed(key, types[i.name], i.metadata) for key, i in items if key in given})


def _vault_folder(given: Given | None) -> Path:
    """The vault's real path. Raises VaultError when none was named, or when it is not a folder."""
    if given is None:
        hint = (
            "name it on the command line, in WIKI_VAULT_PATH, or as `wiki.vault_path` in ~/.sanguo-llmwiki/config.yaml"
        )
        raise VaultError("no vault was named", hint=hint)
    folder = Path(os.path.realpath(str(given.typed("wiki.vault_path", Path, {}))))
    try:
        if folder.is_dir():
            return folder
        what = "is a file, not a folder" if folder.exists() else "does not exist"
    except OSError as error:
        what = f"cannot be opened: {error.strerror}"
    source = "" if given.origin == "flag" else f" (from {given.origin})"
    raise VaultError(f"the vault {given.value}{source} {what}", hint="a vault is the folder that holds your notes")


def _short(path: Path) -> str:
    """The path as people write it: `~/…` below their home folder."""
    home = Path("~").expanduser()
    return f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else str(path)
