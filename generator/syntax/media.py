"""What the ending of a file's name says of it: how an embed of it is shown."""

from __future__ import annotations

MEDIA_EXTENSIONS = {
    "image": frozenset("avif bmp gif jpeg jpg png svg webp".split()),
    "audio": frozenset("flac m4a mp3 ogg wav 3gp opus".split()),
    "video": frozenset("mkv mov mp4 ogv webm".split()),
    "pdf": frozenset({"pdf"}),
    "data": frozenset({"canvas", "base"}),
    "text": frozenset(
        (
            "py js ts css json jsonl txt csv tsv toml yaml yml xml html sh bat ps1 ini log c h cpp java go rs rb"
            " php sql lua tex bib diff"
        ).split()
    ),
}
_ALL = frozenset().union(*MEDIA_EXTENSIONS.values())


def extension(target: str) -> str:
    """The lower-case extension of a link's target, without the dot; "" for none."""
    name = target.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""


def may_be_note(target: str) -> bool:
    """Whether an embed of `target` may bring in a note: a dot in a name is not always an extension."""
    return extension(target) not in _ALL


def may_bring_blocks(target: str) -> bool:
    """Whether an embed of `target` may bring in blocks, which a paragraph cannot hold: a note's, or a text's."""
    return may_be_note(target) or extension(target) in MEDIA_EXTENSIONS["text"]
