# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The documents of the repository: their blocks, the commands of the program in them, their links and headings."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from beaconry import CHECKOUT

DOCUMENTS = [
    CHECKOUT / "README.md", CHECKOUT / "SECURITY.md", CHECKOUT / "CONTRIBUTING.md",
    CHECKOUT / "examples" / "README.md", *sorted((CHECKOUT / "docs").glob("*.md")),
]  # fmt: skip
"""The documents for users and contributors."""

KEYWORDS = {"do", "then", "else", "if", "until", "while", "exec", "time", "sudo", "nohup", "-", "run:", "$"}
"""Words of shells and of workflows before a command."""


def name(document: Path) -> str:
    """The path of a document in the repository."""
    return document.relative_to(CHECKOUT).as_posix()


@dataclass(frozen=True)
class Block:
    """A fenced or indented block. `line` is the number of its first line, from 1; `language` is empty for indented blocks and
    fences without one."""

    document: Path
    line: int
    language: str
    text: str


@dataclass(frozen=True)
class Command:
    """A command of the program in a document: the words after its name, and the files that its line writes by redirection.

    `is_whole` is false for one in running text, which may be shortened (`ctl receiver`) and may have placeholders. `is_completed` is true
    for options of `run` on a line of their own, which the words complete."""

    place: str
    words: tuple[str, ...]
    is_whole: bool
    written: tuple[str, ...] = ()
    is_completed: bool = False

    def __str__(self) -> str:
        return f"{self.place}: beaconry {' '.join(self.words)}"


def blocks(document: Path) -> Iterator[Block]:
    """The blocks of a document, in their order. Lines of lists that are indented by four spaces are no blocks."""
    lines = document.read_text().splitlines()
    number = 0
    while number < len(lines):
        first = number
        fence = re.match(r" *```(\w*)$", lines[number])
        if fence:
            number += 1
            while not re.match(r" *```$", lines[number]):
                number += 1
            yield Block(document, first + 2, fence[1], "\n".join(lines[first + 1 : number]))
        elif lines[number].startswith("    ") and number > 0 and not lines[number - 1].strip():
            while number < len(lines) and lines[number].startswith("    "):
                number += 1
            yield Block(document, first + 1, "", "\n".join(line[4:] for line in lines[first:number]))
            continue
        number += 1


def without_comment(line: str) -> str:
    """A line of a shell without its comment, which begins at a # that is the start of a word outside of quotes."""
    quote = ""
    for number, character in enumerate(line):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character == "#" and (number == 0 or line[number - 1].isspace()):
            return line[:number].rstrip()
    return line


def simple_commands(line: str) -> Iterator[tuple[list[str], list[str]]]:
    """The simple commands of a line of a shell: the words of each, and the files to which its output is redirected."""
    lexer = shlex.shlex(without_comment(line), posix=True, punctuation_chars="();<>|&")
    lexer.whitespace_split, lexer.commenters = True, ""
    words: list[str] = []
    written: list[str] = []
    tokens = list(lexer)
    for token, following in zip(tokens, [*tokens[1:], ""]):
        if token and not set(token) - set("();<>|&"):
            if token.startswith(">"):
                written.append(following)
            yield words, written
            words, written = [], []
        else:
            words.append(token)
    yield words, written


def called(words: list[str]) -> list[str] | None:
    """The words after the name of the program, if a simple command calls it, directly or in a container."""
    while words and (words[0] in KEYWORDS or re.fullmatch(r"\w+=.*", words[0])):
        words = words[1:]
    if words[:2] == ["docker", "run"] and "beaconry" in words:
        return words[words.index("beaconry") + 1 :] or None
    return words[1:] if words and words[0].rsplit("/", 1)[-1] == "beaconry" else None


def commands_of_line(line: str, place: str) -> Iterator[Command]:
    redirected = [file for _, written in simple_commands(line) for file in written]
    for words, _ in simple_commands(line):
        if words and words[0].startswith("--"):
            # Further options of `run`, on a line of their own.
            yield Command(place, ("run", "shop.yaml", *words), True, is_completed=True)
        found = called(words)
        if found is not None:
            yield Command(place, tuple(found), True, tuple(redirected))
            if "--" in found:
                nested = called(found[found.index("--") + 1 :])
                if nested is not None:
                    yield Command(place, tuple(nested), True)


def commands_of_block(block: Block) -> Iterator[Command]:
    if block.language not in ("", "sh", "bash", "console", "yaml"):
        return
    lines = block.text.splitlines()
    number = 0
    while number < len(lines):
        first, line = number, lines[number]
        while line.endswith("\\") and number + 1 < len(lines):
            number += 1
            line = line[:-1] + lines[number]
        number += 1
        place = f"{name(block.document)}:{block.line + first}"
        if re.match(r"\s*--\w", line) or re.search(r"(?:^|[\s/=])beaconry\s", line) and not re.match(r"[\[{\d]|\s*[\w-]+: ", line):
            yield from commands_of_line(line.strip(), place)


def spans(document: Path) -> Iterator[tuple[str, str]]:
    """The code in running text, with its place."""
    for number, line in enumerate(document.read_text().splitlines(), 1):
        if not line.startswith("    "):
            for found in re.finditer(r"`([^`]+)`", line):
                yield f"{name(document)}:{number}", found[1]


def commands(document: Path, top: set[str]) -> list[Command]:
    """The commands of a document, with those in running text: `beaconry ctl list`, `ctl list`, and `run --watch`. `top` has the names
    of the commands without a command above them."""
    found = [command for block in blocks(document) for command in commands_of_block(block)]
    for place, text in spans(document):
        words = text.split()
        if words[0] == "beaconry" and len(words) > 1 or words[0] == "ctl" or words[0] in top and any(each.startswith("--") for each in words):
            line = text if words[0] == "beaconry" else f"beaconry {text}"
            found += [Command(each.place, each.words, False) for each in commands_of_line(line, place)]
    return found


def links(document: Path) -> list[str]:
    """The targets of a document's links and pictures, but those with a scheme."""
    text = re.sub(r"`[^`\n]*`", "", re.sub(r"```.*?```", "", document.read_text(), flags=re.DOTALL))
    return [target for target in re.findall(r"\]\(([^)\s]+)\)", text) if not re.match(r"\w+:", target)]


def anchors(document: Path) -> set[str]:
    """The names of a document's headings in links, as GitHub makes them, and its own names."""
    text = re.sub(r"```.*?```", "", document.read_text(), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings} | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))
