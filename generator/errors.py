"""Every error that a person or an agent can meet, with what to do about it.

WikiError
├── ConfigError        INVALID_CONFIG     a setting that cannot be used
├── VaultError         VAULT_NOT_FOUND    the vault is missing or not a folder
├── OutputError        OUTPUT_REFUSED     the output folder cannot be ours
├── IndexMissing       INDEX_MISSING      nothing has been indexed yet
├── IndexCorrupted     INDEX_CORRUPTED    the index file is damaged
├── IndexBusy          INDEX_BUSY         another process is writing
├── QueryTimeout       QUERY_TIMEOUT      the query took longer than allowed
├── PageNotFound       PAGE_NOT_FOUND     no page has that name
├── AmbiguousPage      AMBIGUOUS_PAGE     several pages have that name
├── SkillNotFound      SKILL_NOT_FOUND    no skill has that name
├── PathForbidden      PATH_FORBIDDEN     the path leaves the vault or is private
├── EmbeddingsFailed   EMBEDDINGS_FAILED  texts could not be turned into vectors
├── StaleEdit          STALE              the file changed since the edit was made
└── Unreadable         UNREADABLE         the file cannot be read as text
"""

from __future__ import annotations


class WikiError(Exception):
    """What happened, where, and what to do.

    `path` is vault-relative (or a file that the user named), `line` starts at 1.
    `details` is JSON-serialisable and never holds page text, keys or absolute paths.
    """

    code = "INTERNAL_ERROR"

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        line: int | None = None,
        hint: str = "",
        details: dict[str, object] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.line = line
        self.hint = hint
        self.details = details or {}

    def __str__(self) -> str:
        where = ""
        if self.path is not None:
            where = f"{self.path}:{self.line}: " if self.line else f"{self.path}: "
        return f"{where}{self.message}" + (f"\n  → {self.hint}" if self.hint else "")


class ConfigError(WikiError):
    """A setting that cannot be used: unknown key, wrong type, unreadable file."""

    code = "INVALID_CONFIG"


class VaultError(WikiError):
    """The vault is missing, or is not a folder."""

    code = "VAULT_NOT_FOUND"


class OutputError(WikiError):
    """The output folder holds other things, or cannot be written."""

    code = "OUTPUT_REFUSED"


class IndexMissing(WikiError):
    """Nothing has been indexed yet."""

    code = "INDEX_MISSING"


class IndexCorrupted(WikiError):
    """The index file is damaged; it can always be rebuilt from the vault."""

    code = "INDEX_CORRUPTED"


class IndexBusy(WikiError):
    """Another process holds the writer's lock for longer than we wait."""

    code = "INDEX_BUSY"


class QueryTimeout(WikiError):
    """A query took longer than `performance.query_timeout_ms`."""

    code = "QUERY_TIMEOUT"


class PageNotFound(WikiError):
    """No page has that path, name or alias; `details["nearest"]` lists up to three."""

    code = "PAGE_NOT_FOUND"


class AmbiguousPage(WikiError):
    """Several pages have that name; `details["candidates"]` lists their paths."""

    code = "AMBIGUOUS_PAGE"


class SkillNotFound(WikiError):
    """No skill of the program has that name."""

    code = "SKILL_NOT_FOUND"


class PathForbidden(WikiError):
    """The path leaves the vault, or names a private or hidden place."""

    code = "PATH_FORBIDDEN"


class EmbeddingsFailed(WikiError):
    """Texts could not be turned into vectors: the provider is absent, slow, misconfigured, or answers nonsense."""

    code = "EMBEDDINGS_FAILED"


class StaleEdit(WikiError):
    """The file changed after the edit was made from it."""

    code = "STALE"


class Unreadable(WikiError):
    """A file that cannot be opened, or is not text."""

    code = "UNREADABLE"
