"""The text of PDF, DOCX, PPTX, XLSX, HTML and EPUB files, through markitdown (extra `sources`), kept by their SHA-256.

The index takes the texts in from the folder that `generator.raw.extracted_path` names.
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from generator.errors import Unreadable, WikiError
from generator.extras import how_to_install
from generator.model import Finding
from generator.sources.convert import CONVERTERS, EXIT_CODES
from generator.sources.errors import ExtractionFailed
from generator.sources.scan import RawFile, digest_of
from generator.vault import decode, safe_path, write_atomic
from generator.wording import counted

PLAIN_ENDINGS = frozenset("md markdown txt text rst org adoc tex srt vtt csv tsv json jsonl".split())
MOST_BYTES = 100_000_000
MOST_UNPACKED = 500_000_000
MOST_TEXT = 8_000_000
SECONDS = 180.0
_ZIPPED = frozenset({"docx", "pptx", "xlsx", "epub"})
# What Office writes around a document with a password.
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_CHILD = (
    "import sys; sys.path.append(sys.argv[1])\n"
    "from generator.sources.convert import main; sys.exit(main(*sys.argv[2:]))"
)
_HOW = f"install it with `{how_to_install('sources')}`"


def is_plain(path: str) -> bool:
    """Whether the file's text is the file itself."""
    return _ending(path) in PLAIN_ENDINGS


def has_extractor() -> bool:
    """Whether the extra `sources` is installed."""
    return find_spec("markitdown") is not None


def text_of(path: Path, cache_dir: Path, *, digest: str = "", seconds: float = SECONDS) -> str:
    """The text of a source file: of plain text as it is (LF line ends), of documents as Markdown.

    `cache_dir` holds a `<sha256>.txt` for each document; `digest` is the file's SHA-256 where it is known already.
    Raises `ExtractionFailed` with its reason, `Unreadable` for a text that is none, OSError.
    """
    if path.stat().st_size > MOST_BYTES:
        raise ExtractionFailed("too-large", f"this file has over {MOST_BYTES // 1_000_000} MB", path=path.name)
    if is_plain(path.name):
        return _plain(path)
    digest = digest or digest_of(path)
    kept = cache_dir / f"{digest}.txt"
    if kept.is_file():
        return kept.read_text("utf-8", "replace")
    text = _converted(path, seconds)
    cache_dir.mkdir(parents=True, exist_ok=True)
    write_atomic(kept, text.encode("utf-8", "replace"), sync=False)
    return text


def extract_all(
    vault: Path,
    files: Sequence[RawFile],
    cache_dir: Path,
    progress: Callable[[str, int, int], None] | None = None,
) -> tuple[Finding, ...]:
    """Extract the texts of all documents that have none yet; returns what went wrong, file by file.

    Where the extra is missing, one finding says so and nothing is tried.
    """
    wanted = [f for f in files if _ending(f.path) in CONVERTERS and not (cache_dir / f"{f.sha256}.txt").is_file()]
    if wanted and not has_extractor():
        message = f"the text of {counted(len(wanted), 'document')} cannot be read without the extra `sources`"
        return (Finding("missing-extra", "info", wanted[0].path, 0, message, _HOW),)
    findings = []
    for done, file in enumerate(wanted, 1):
        try:
            text_of(safe_path(vault, file.path), cache_dir, digest=file.sha256)
        except ExtractionFailed as error:
            findings.append(Finding(error.reason, "warning", file.path, 0, error.message, error.hint))
        except (WikiError, OSError) as error:
            findings.append(Finding(Unreadable.code.lower(), "warning", file.path, 0, str(error)))
        if progress:
            progress("extract", done, len(wanted))
    return tuple(findings)


def _ending(path: str) -> str:
    return path.rpartition(".")[2].lower() if "." in path else ""


def _plain(path: Path) -> str:
    try:
        return decode(path.read_bytes())[0]
    except Unreadable as error:
        raise Unreadable(error.message, path=path.name, hint=error.hint) from None


def _converted(path: Path, seconds: float) -> str:
    ending = _ending(path.name)
    if ending not in CONVERTERS:
        known = ", ".join(CONVERTERS)
        raise ExtractionFailed("unknown-format", f"no text is read from .{ending} files", path=path.name,
                               hint=f"those with text are: {known}")  # fmt: skip
    if not has_extractor():
        raise ExtractionFailed("missing-extra", "documents are read by markitdown, which is not installed",
                               path=path.name, hint=_HOW)  # fmt: skip
    _look_inside(path, ending)
    text = _run(path, ending, seconds)
    if len(text) > MOST_TEXT:
        text = text[:MOST_TEXT]
    if not text.strip():
        raise ExtractionFailed("no-text", "there is no text in this file, perhaps only pictures of it", path=path.name,
                               hint="recognise its text with an OCR program first")  # fmt: skip
    return text


def _look_inside(path: Path, ending: str) -> None:
    """Refuse what is encrypted, no archive where one is needed, or too large once unpacked, before it is unpacked."""
    if ending not in _ZIPPED:
        return
    with open(path, "rb") as stream:
        if stream.read(len(_OLE)) == _OLE:
            raise _encrypted(path)
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
            is_book_locked = ending == "epub" and _has_locked_texts(archive)
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, NotImplementedError, EOFError):
        raise _damaged(path, ending) from None
    if is_book_locked or any(part.flag_bits & 1 for part in parts):
        raise _encrypted(path)
    if sum(part.file_size for part in parts) > MOST_UNPACKED:
        message = f"unpacked, this file has over {MOST_UNPACKED // 1_000_000} MB"
        raise ExtractionFailed("too-large", message, path=path.name)


def _has_locked_texts(archive: zipfile.ZipFile) -> bool:
    """Whether a book's texts (and not merely its fonts) are encrypted."""
    name = "META-INF/encryption.xml"
    if name not in archive.namelist() or archive.getinfo(name).file_size > 10_000_000:
        return False
    listed = archive.read(name).lower()
    return any(ending in listed for ending in (b'.xhtml"', b'.html"', b'.htm"', b'.xml"'))


def _run(path: Path, ending: str, seconds: float) -> str:
    """The text, from a process of its own. `-P` keeps the current folder out of what Python imports there."""
    root = str(Path(__file__).resolve().parents[2])
    command = [sys.executable, "-P", "-c", _CHILD, root, str(path.resolve()), ending]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise ExtractionFailed(
            "too-slow", f"its text was not there after {seconds:g} seconds", path=path.name
        ) from None
    if done.returncode == 0:
        return done.stdout.decode("utf-8", "replace").replace("\r\n", "\n")
    reason = EXIT_CODES.get(done.returncode, "damaged")
    if reason == "encrypted":
        raise _encrypted(path)
    if reason == "missing-extra":
        raise ExtractionFailed(reason, f"markitdown cannot read .{ending} files as installed", path=path.name,
                               hint=_HOW)  # fmt: skip
    raise _damaged(path, ending)


def _encrypted(path: Path) -> ExtractionFailed:
    return ExtractionFailed(
        "encrypted", "this file is encrypted", path=path.name, hint="save a copy of it without a password"
    )


def _damaged(path: Path, ending: str) -> ExtractionFailed:
    hint = "open it in its own program and save it again"
    return ExtractionFailed("damaged", f"this is no {ending.upper()} file, or a damaged one", path=path.name, hint=hint)
