"""What can go wrong with sources, archives and histories."""

from __future__ import annotations

from typing import Literal

from generator.errors import WikiError

Reason = Literal["encrypted", "damaged", "too-large", "too-slow", "no-text", "unknown-format", "missing-extra"]


class SourceNotFound(WikiError):
    """No source has that key."""

    code = "SOURCE_NOT_FOUND"


class SourceRefused(WikiError):
    """The state of a source, or of the files around it, forbids what was asked."""

    code = "SOURCE_REFUSED"


class ManifestDamaged(WikiError):
    """The manifest cannot be read. It is not derived from anything: it is never replaced silently."""

    code = "MANIFEST_DAMAGED"


class ManifestBusy(WikiError):
    """Another process holds the manifest for longer than we wait."""

    code = "MANIFEST_BUSY"


class ExtractionFailed(WikiError):
    """A file has no text for us; `reason`, also in `details`, says why."""

    code = "EXTRACTION_FAILED"

    def __init__(self, reason: Reason, message: str, *, path: str | None = None, hint: str = "") -> None:
        super().__init__(message, path=path, hint=hint, details={"reason": reason})
        self.reason: Reason = reason


class ArchiveUnusable(WikiError):
    """An archive that is not there, is damaged, or holds what is not ours."""

    code = "ARCHIVE_UNUSABLE"


class SessionNotFound(WikiError):
    """No session of an AI tool has that name."""

    code = "SESSION_NOT_FOUND"
