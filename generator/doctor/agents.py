"""What an agent needs to work with the wiki: the skills, and the server in its list of MCP servers."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from generator.doctor.check import Check, fail, ok, warn
from generator.doctor.program import SERVER, server_path
from generator.skills import bundled, state_of

_SKILLS = ".claude/skills"


def skill_checks(here: Path, home: Path) -> list[Check]:
    """The skills in the project, or else in the person's home folder."""
    for target in (here / _SKILLS, home / _SKILLS):
        states = [(skill.name, state_of(target, skill)) for skill in bundled()]
        present = [name for name, state in states if state != "missing"]
        outdated = [name for name, state in states if state == "outdated"]
        if outdated:
            todo = f"`llmwiki skills install --to {target}` updates them"
            return [warn("skills", f"{', '.join(outdated)} in {target} are of another version", todo)]
        if present:
            return [ok("skills", f"{len(present)} of {len(states)} in {target}")]
    return [warn("skills", f"none in {_SKILLS}, here or at home", "`llmwiki skills install` puts them here")]


def registration_checks(here: Path, home: Path, vault: Path | None) -> Iterator[Check]:
    """Each entry that starts our server, in `.mcp.json` of the project and of the vault, and in Claude Code's own file.

    Of the last only the names, commands and addresses of servers are looked at.
    """
    files = dict.fromkeys(folder / ".mcp.json" for folder in (here, vault) if folder is not None)
    own = home / ".claude.json"
    found = False
    for file in (*files, own):
        if not file.is_file():
            continue
        try:
            value = json.loads(file.read_bytes())
        except (OSError, ValueError, RecursionError) as error:
            yield fail("mcp", f"{file} cannot be read: {error}", "mend the JSON: no agent can use it as it is")
            found = True
            continue
        for name, entry in _servers(value, here if file == own else None).items():
            if _is_ours(name, entry):
                found = True
                yield _registration(f"`{name}` in {file}", entry, file.parent, vault)
    if not found:
        command = server_path() or SERVER
        todo = f"claude mcp add wiki -- {command} --vault {vault or 'VAULT'}"
        yield warn("mcp", "no agent knows the server: no entry in .mcp.json, here or in the vault", todo)


def _servers(value: object, project: Path | None) -> dict[str, Mapping[str, Any]]:
    """The servers that a file lists; of Claude Code's own file, those for all projects and for this one."""
    lists = [value]
    if project is not None and isinstance(value, dict) and isinstance(value.get("projects"), dict):
        lists.append(value["projects"].get(str(project)))
    found: dict[str, Mapping[str, Any]] = {}
    for each in lists:
        servers = each.get("mcpServers") if isinstance(each, dict) else None
        if isinstance(servers, dict):
            found |= {str(name): entry for name, entry in servers.items() if isinstance(entry, dict)}
    return found


def _is_ours(name: str, entry: Mapping[str, Any]) -> bool:
    words = [os.path.basename(str(entry.get("command"))), *_arguments(entry)]
    if any(word.removesuffix(".exe") in (SERVER, "mcp_bridge", "mcp_bridge.server") for word in words):
        return True
    return "url" in entry and "wiki" in name.casefold()  # a server that runs elsewhere is known by its name alone


def _arguments(entry: Mapping[str, Any]) -> list[str]:
    arguments = entry.get("args")
    return [str(argument) for argument in arguments] if isinstance(arguments, list) else []


def _registration(where: str, entry: Mapping[str, Any], folder: Path, vault: Path | None) -> Check:
    if "url" in entry:
        return ok("mcp", f"{where}: {entry['url']}")
    command = str(entry.get("command"))
    if shutil.which(command) is None and not (folder / command).is_file():
        todo = f"write its full path: {found}" if (found := server_path()) else "install the program"
        return fail("mcp", f"{where}: the command {command} is not on the PATH", todo)
    arguments = _arguments(entry)
    named = next((after for word, after in pairwise(arguments) if word == "--vault"), "")
    served = Path(os.path.realpath(folder / Path(named).expanduser())) if named else None
    if served is None:
        return ok("mcp", f"{where}: {command}, the vault is the one of the settings")
    if not served.is_dir():
        return fail("mcp", f"{where}: there is no vault {named}", "write the full path of the vault after --vault")
    if vault is not None and served != vault:
        return warn("mcp", f"{where} serves another vault, {served}", f"see whether it should be {vault}")
    return ok("mcp", f"{where}: {command} --vault {named}")
