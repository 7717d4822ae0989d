"""The text of documents, made here by the writers that people use."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from needed import needed
from project import Project

from generator.errors import Unreadable
from generator.raw import extracted_path
from generator.sources import extract
from generator.sources.errors import ExtractionFailed
from generator.sources.extract import extract_all, text_of
from generator.sources.scan import RawFile, digest_of


@pytest.fixture(autouse=True)
def _markitdown() -> None:
    if not extract.has_extractor():
        needed("markitdown")


def pdf(text: str, password: str = "") -> bytes:
    document = needed("fpdf").FPDF()
    document.add_page()
    document.set_font("helvetica", size=12)
    document.cell(text=text)
    if password:
        document.set_encryption(owner_password=password + "x", user_password=password)
    return bytes(document.output())


def docx(text: str) -> bytes:
    document = needed("docx").Document()
    document.add_heading("A heading", 1)
    document.add_paragraph(text)
    return saved(document.save)


def pptx(text: str) -> bytes:
    show = needed("pptx").Presentation()
    slide = show.slides.add_slide(show.slide_layouts[5])
    slide.shapes.title.text = text
    return saved(show.save)


def xlsx(text: str) -> bytes:
    book = needed("openpyxl").Workbook()
    book.active.append(["name", "cost"])
    book.active.append([text, 3])
    return saved(book.save)


def html(text: str) -> bytes:
    return f"<html><head><title>T</title><script>alert('x')</script></head><body><h1>Head</h1><p>{text}</p>".encode()


def epub(text: str, *, locked: bool = False) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as book:
        book.writestr("mimetype", "application/epub+zip")
        book.writestr(
            "META-INF/container.xml",
            '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="a.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        )
        book.writestr(
            "a.opf",
            '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements'
            '/1.1/"><dc:title>Book</dc:title></metadata><manifest><item id="c" href="c.xhtml"'
            ' media-type="application/xhtml+xml"/></manifest><spine><itemref idref="c"/></spine></package>',
        )
        book.writestr("c.xhtml", f"<html xmlns='http://www.w3.org/1999/xhtml'><body><p>{text}</p></body></html>")
        if locked:
            reference = '<enc:CipherReference URI="c.xhtml"/>'
            book.writestr("META-INF/encryption.xml", f"<encryption>{reference}</encryption>")
    return data.getvalue()


def saved(save: Callable[[io.BytesIO], object]) -> bytes:
    data = io.BytesIO()
    save(data)
    return data.getvalue()


WRITERS: dict[str, Callable[[str], bytes]] = {
    "pdf": pdf, "docx": docx, "pptx": pptx, "xlsx": xlsx, "html": html, "epub": epub,
}  # fmt: skip


def put(folder: Path, name: str, data: bytes) -> Path:
    file = folder / name
    file.write_bytes(data)
    return file


def reason(path: Path, cache: Path, **options: float) -> str:
    """Why a file has no text."""
    with pytest.raises(ExtractionFailed) as caught:
        text_of(path, cache, **options)  # type: ignore[arg-type]
    assert caught.value.path == path.name
    assert caught.value.details == {"reason": caught.value.reason}
    return caught.value.reason


@pytest.mark.parametrize("ending", WRITERS)
def test_the_text_of_a_document_is_read_and_kept(ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = put(tmp_path, f"a.{ending.upper()}", WRITERS[ending]("The samovar whistles."))
    text = text_of(file, tmp_path / "cache")
    assert "The samovar whistles." in text
    assert "alert" not in text
    kept = tmp_path / "cache" / f"{sha256(file.read_bytes()).hexdigest()}.txt"
    assert kept.read_text("utf-8") == text

    def never(*arguments: object) -> str:
        raise AssertionError("it was read already")

    monkeypatch.setattr(extract, "_converted", never)
    assert text_of(file, tmp_path / "cache") == text


def test_chinese_text(tmp_path: Path) -> None:
    for ending in ("docx", "xlsx", "pptx", "html", "epub"):
        file = put(tmp_path, f"a.{ending}", WRITERS[ending]("赤壁之战，火攻破曹。"))
        assert "赤壁之战，火攻破曹。" in text_of(file, tmp_path / "cache"), ending


def test_plain_text_is_as_it_is(tmp_path: Path) -> None:
    assert text_of(put(tmp_path, "a.md", b"\xef\xbb\xbf# A\r\n[[b]]\r\n"), tmp_path / "cache") == "# A\n[[b]]\n"
    with pytest.raises(Unreadable):
        text_of(put(tmp_path, "b.txt", b"a\x00b"), tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def test_why_there_is_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "cache"
    whole = pdf("text")
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
    assert reason(put(tmp_path, "locked.pdf", pdf("text", "secret")), cache) == "encrypted"
    assert reason(put(tmp_path, "locked.docx", ole), cache) == "encrypted"
    assert reason(put(tmp_path, "locked.epub", epub("text", locked=True)), cache) == "encrypted"
    assert reason(put(tmp_path, "cut.pdf", whole[:200]), cache) == "damaged"
    assert reason(put(tmp_path, "cut.docx", docx("text")[:500]), cache) == "damaged"
    assert reason(put(tmp_path, "no.xlsx", b"no workbook"), cache) == "damaged"
    assert reason(put(tmp_path, "empty.pdf", pdf(" ")), cache) == "no-text"
    assert reason(put(tmp_path, "a.doc", ole), cache) == "unknown-format"
    assert reason(put(tmp_path, "slow.html", html("x")), cache, seconds=0.01) == "too-slow"
    monkeypatch.setattr(extract, "MOST_BYTES", 10)
    assert reason(put(tmp_path, "huge.pdf", whole), cache) == "too-large"
    assert not cache.exists()


def test_what_unpacks_into_far_more_is_not_unpacked(tmp_path: Path) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(6):
            archive.writestr(f"{number}.xml", bytes(100_000_000))
    assert len(data.getvalue()) < 1_000_000
    assert reason(put(tmp_path, "bomb.docx", data.getvalue()), tmp_path / "cache") == "too-large"


def test_without_the_extra_it_is_a_finding_and_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extract, "has_extractor", lambda: False)
    file = put(tmp_path, "a.html", html("x"))
    assert reason(file, tmp_path / "cache") == "missing-extra"
    (finding,) = extract_all(tmp_path, [RawFile("a.html", "a.html", digest_of(file), 1)] * 2, tmp_path / "cache")
    assert (finding.code, finding.severity) == ("missing-extra", "info")
    assert "sanguo-llmwiki[sources]" in finding.fix


def test_a_program_in_the_current_folder_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "markitdown.py", b"open('proof', 'w')")
    monkeypatch.chdir(tmp_path)
    assert "text" in text_of(put(tmp_path, "a.html", html("text")), tmp_path / "cache")
    assert not (tmp_path / "proof").exists()


def test_extracted_text_is_searched(project: Project) -> None:
    project.write({"wiki/A.md": "a\n", "raw/sources/a.docx": docx("dividend"), "raw/sources/bad.pdf": b"no"})
    scan = project.json("ingest", "scan", "--apply")
    assert scan["queued"] == ["a.docx", "bad.pdf"]
    assert [(problem["code"], problem["path"]) for problem in scan["problems"]] == [("damaged", "raw/sources/bad.pdf")]
    hits = project.json("search", "dividend", "--scope", "raw")["hits"]
    assert [hit["path"] for hit in hits] == ["raw/sources/a.docx"]
    assert len([*extracted_path(project.config().wiki.index_path, "").parent.glob("*.txt")]) == 1
