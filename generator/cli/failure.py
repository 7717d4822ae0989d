"""What went wrong, in words and as an exit code."""

from __future__ import annotations

import os
import sys

from generator.cli.terminal import Styled, dim, place, say, say_json, say_json_line
from generator.errors import ConfigError, IndexBusy, OutputError, VaultError, WikiError

FAILURE, WRONG_USE = 1, 2
_TEMPLATE_ENDINGS = (".html", ".css", ".js", ".svg")


class WrongUse(ConfigError):
    """A command line that makes no sense."""

    code = "INVALID_ARGUMENTS"


def explain(error: Exception) -> WikiError:
    """Any failure as one that says what happened and what to do."""
    import logging  # here, as below: a command that succeeds does without
    import sqlite3
    import traceback

    if isinstance(error, WikiError):
        return error
    if isinstance(error, OSError):
        path = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else None
        return OutputError(
            error.strerror or str(error), path=path, hint="see that the disk has room and we may write there"
        )
    if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
        return IndexBusy("another process is writing the index", hint="wait for it to end, then try again")
    if _is_template_error(error):
        path, line = _template_place(error)
        return ConfigError(f"this template cannot be used: {error}", path=path, line=line, hint="see `site.templates`")
    logging.getLogger("llmwiki.cli").debug("an unexpected error", exc_info=error)
    last = traceback.extract_tb(error.__traceback__)[-1:]
    where = f" ({os.path.basename(last[0].filename)}:{last[0].lineno})" if last else ""
    hint = "this is a fault of the program: please report it, with what LOG_LEVEL=DEBUG shows"
    return WikiError(f"{type(error).__name__}: {error}{where}", hint=hint)


def report(error: WikiError, *, as_json: bool, line: bool = False) -> int:
    """Print the error for people, and for programs if they read; returns its exit code. `line`: JSON on one line."""
    if as_json:
        facts: dict[str, object] = {
            "code": error.code,
            "message": error.message,
            "path": error.path,
            "line": error.line,
            "hint": error.hint,
        }
        (say_json_line if line else say_json)({"error": facts | ({"details": error.details} if error.details else {})})
    where = place(error.path or "", error.line)
    say(Styled("error", "red"), f": {where}: " if where else ": ", error.message, to_stderr=True)
    if error.hint:
        say(dim("  → "), error.hint, to_stderr=True)
    return WRONG_USE if isinstance(error, ConfigError | VaultError) else FAILURE


def _is_template_error(error: Exception) -> bool:
    jinja2 = sys.modules.get("jinja2")  # where it was never imported, it has raised nothing
    return jinja2 is not None and isinstance(error, jinja2.TemplateError)


def _template_place(error: Exception) -> tuple[str | None, int | None]:
    """The file and line in a person's own template that raised the error."""
    import traceback

    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename.endswith(_TEMPLATE_ENDINGS):
            return frame.filename, frame.lineno
    return getattr(error, "name", None), getattr(error, "lineno", None)
