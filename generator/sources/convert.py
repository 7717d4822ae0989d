"""The text of one document on standard output, as Markdown: run as a process of its own, since documents come from
anywhere and their readers may hang, or eat all memory.

`generator.sources.extract` starts it; its exit code is 0, or one of `EXIT_CODES`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from generator.sources.errors import Reason

CONVERTERS = {
    "pdf": "PdfConverter",
    "docx": "DocxConverter",
    "pptx": "PptxConverter",
    "xlsx": "XlsxConverter",
    "html": "HtmlConverter",
    "htm": "HtmlConverter",
    "epub": "EpubConverter",
}
EXIT_CODES: dict[int, Reason] = {10: "encrypted", 11: "damaged", 12: "missing-extra"}
_CODES = {reason: code for code, reason in EXIT_CODES.items()}
_MOST_MEMORY = 4 << 30
_MOST_SECONDS = 300
_ENCRYPTED = ("PDFPasswordIncorrect", "PDFEncryptionError", "password required for extraction", "File is encrypted")


def main(name: str, ending: str) -> int:
    """Print the text of the file; returns the exit code."""
    _limit()
    try:
        markitdown = import_module("markitdown")
        converter = getattr(import_module("markitdown.converters"), CONVERTERS[ending])()
    except ImportError:
        return _CODES["missing-extra"]
    info = markitdown.StreamInfo(extension=f".{ending}", filename=Path(name).name)
    try:
        with open(name, "rb") as stream:
            text = converter.convert(stream, info).markdown
    except markitdown.MissingDependencyException:
        return _CODES["missing-extra"]
    except Exception as error:
        # Readers of documents raise whatever they like: their kinds of trouble are ours to tell apart, by name.
        names = f"{[kind.__name__ for kind in type(error).__mro__]} {error!r} {error.__cause__!r} {error.args!r}"
        if any(sign in names for sign in _ENCRYPTED):
            return _CODES["encrypted"]
        raise
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))
    return 0


def _limit() -> None:
    """Bounds that the system holds, where it can."""
    try:
        import resource
    except ImportError:  # Windows: there the parent's clock is the only bound
        return
    for kind, most in ((resource.RLIMIT_AS, _MOST_MEMORY), (resource.RLIMIT_CPU, _MOST_SECONDS)):
        hard = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
