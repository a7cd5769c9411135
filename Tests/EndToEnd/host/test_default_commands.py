# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Commands that may be written without a subcommand: their help has the options that they take then."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from beaconry import Beaconry
from command_tree import CommandTree, command_tree


def commands(tree: CommandTree) -> Iterator[CommandTree]:
    """The commands with a default subcommand."""
    if tree.default:
        yield tree
    for each in tree.below.values():
        yield from commands(each)


WITH_DEFAULT = [" ".join(tree.words) for tree in commands(command_tree())]


def test_there_are_such_commands() -> None:
    assert {"monitor", "ctl clock", "ctl scenario", "ctl capture", "encode", "advertise"} <= set(WITH_DEFAULT)


@pytest.mark.parametrize("words", WITH_DEFAULT)
@pytest.mark.parametrize("form", ["option", "command"])
def test_help_has_the_options_of_the_default(beaconry: Beaconry, words: str, form: str) -> None:
    tree, _ = command_tree().find(words.split())
    meant = tree.below[str(tree.default)]
    shown = beaconry.call(*words.split(), "--help") if form == "option" else beaconry.call("help", *words.split())
    assert shown.returncode == 0
    missing = [name for name, option in meant.options.items() if option.get("shouldDisplay", True) and name not in shown.stdout]
    assert missing == []
