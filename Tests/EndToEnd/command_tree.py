# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The commands of the program with their options and arguments, as the program describes itself; whether words are one of them."""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from beaconry import BINARY

Argument = dict[str, Any]


@dataclass
class CommandTree:
    """A command: `options` by their names with dashes, `positionals` in their order, the commands below it, and which of these is meant
    if none is named."""

    words: list[str]
    options: dict[str, Argument] = field(default_factory=dict)
    positionals: list[Argument] = field(default_factory=list)
    below: dict[str, CommandTree] = field(default_factory=dict)
    default: str | None = None

    def __init__(self, description: dict[str, Any], words: list[str]) -> None:
        self.words = words
        arguments = description.get("arguments", [])
        self.options = {
            ("--" if each["kind"] == "long" else "-") + each["name"]: argument for argument in arguments for each in argument.get("names") or []
        }
        self.positionals = [argument for argument in arguments if argument["kind"] == "positional"]
        self.below = {each["commandName"]: CommandTree(each, [*words, each["commandName"]]) for each in description.get("subcommands", [])}
        self.default = description.get("defaultSubcommand")

    def all_options(self) -> dict[str, Argument]:
        """The options of the command and of those below it."""
        return functools.reduce(lambda known, each: {**each.all_options(), **known}, self.below.values(), self.options)

    def find(self, words: Sequence[str]) -> tuple[CommandTree, list[str]]:
        """The command that words call, and the words after it."""
        if words and words[0] in self.below:
            return self.below[words[0]].find(words[1:])
        return self, list(words)

    def faults(self, words: Sequence[str]) -> list[str]:
        """What the program would refuse in a command: unknown commands, options and values, options without a value, missing and
        superfluous arguments. What depends on values, such as ranges, is not checked."""
        command, rest = self.find(words)
        if command.below and (command.default is None or rest and not rest[0].startswith("-") and not command.below[command.default].positionals):
            return [] if rest in (["--version"], ["--help"]) or not rest and not words else [f"no such command: {' '.join(words)}"]
        if command.default:
            command = command.below[command.default]
        given, faults = command._arguments(rest)
        needed = [each for each in command.positionals if not each["isOptional"]]
        if len(given) < len(needed):
            faults.append(f"{' '.join(command.words)} lacks {needed[len(given)]['valueName']}")
        if len(given) > len(command.positionals) and not any(each["isRepeating"] for each in command.positionals):
            faults.append(f"{' '.join(command.words)} does not take {given[len(command.positionals)]}")
        for argument, value in zip(command.positionals, given):
            faults += refused(argument, value)
        return faults

    def _arguments(self, words: list[str]) -> tuple[list[str], list[str]]:
        """The positional arguments of words, and the faults of the options in them."""
        given: list[str] = []
        faults: list[str] = []
        rest = list(words)
        while rest:
            word = rest.pop(0)
            if word == "--":
                break
            if not re.match(r"-[-a-z]", word):
                given.append(word)
                continue
            option, equals, value = word.partition("=")
            argument = self.options.get(option)
            if argument is None:
                faults.append(f"{' '.join(self.words)} has no option {option}")
            elif argument["kind"] == "option":
                if not equals and (not rest or rest[0].startswith("--")):
                    faults.append(f"{option} lacks its value")
                    continue
                faults += refused(argument, value if equals else rest.pop(0))
                while argument["parsingStrategy"] == "upToNextOption" and rest and not rest[0].startswith("-"):
                    rest.pop(0)
        return given, faults


def refused(argument: Argument, value: str) -> list[str]:
    """The fault of a value that is none of an argument's values; capital letters are a placeholder."""
    values = argument.get("allValues")
    return [f"{value} is none of {', '.join(values)}"] if values and value not in values and not re.fullmatch(r"[A-Z]+|…", value) else []


@functools.cache
def command_tree() -> CommandTree:
    """The commands of the program under test. It describes them in a second, so the workers of a suite share the description."""
    build = Path(BINARY).stat()
    shared = Path(tempfile.gettempdir()) / f"beaconry-commands-{os.getuid()}-{build.st_ino}-{build.st_mtime_ns}.json"
    if not shared.exists():
        described = subprocess.run([BINARY, "--experimental-dump-help"], capture_output=True, check=True).stdout
        with tempfile.NamedTemporaryFile(dir=shared.parent, delete=False) as file:
            file.write(described)
        os.replace(file.name, shared)
    return CommandTree(json.loads(shared.read_bytes())["command"], [])
