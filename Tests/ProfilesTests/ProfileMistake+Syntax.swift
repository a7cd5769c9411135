// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

extension ProfileMistake {
    /// What is not YAML: told in our words where the kind is a common one, with what to do.
    static let syntax = [
        text("beacons:\n¦\t- id: a\n", tab), text("beacons:\n  - id: a\n  ¦\tdevice: raw\n", tab),
        text("beacons:\n  - id: a\n¦\t  device: raw\n", tab),
        text("name: Shop¦: door\n", colon),
        text("beacons:\n  - { id: a, name: Shop¦: door }\n", comma("}")),
        text(
            "beacons:\n  - id: a\n     ¦device: raw\n",
            "the key above has a value already, so nothing can stand below it; begin this key in the column of the others"
        ),
        text("¦beacons\n  - id: a\n", key), text("beacons:\n  - ¦id:a\n    device: raw\n", key),
        text(
            "beacons:\n  - id: a\n   ¦device: raw\n",
            "the indentation of this line fits no entry of the list above; begin it in the column of the entry's keys, or a "
                + "new entry with \"- \" (column 3, as in line 3)"),
        text("beacons:\n  - id: a\n  ¦-device: raw\n", "a list's entry begins with \"-\" and a space; write the space"),
        text(
            "beacons:\n  - id: a\n ¦- id: b\n",
            "the indentation of this line fits nothing above it; begin it in the column of the keys that it belongs to "
                + "(column 1, as in line 1)"),
        text("name: \"Shop\" ¦door\n", more), text("beacons: []¦]\n", more),
        text(
            "beacons: ¦[a\n",
            "what opens with \"[\" here is not closed; write \"]\" behind it, and commas between"),
        text(
            "beacons:\n  - ¦{ id: a, device: raw\n  - { id: b }\n",
            "what opens with \"{\" here is not closed; write \"}\" behind it, and commas between"),
        text("beacons:\n  - { id: a device¦: raw }\n", comma("}")),
        text(
            "beacons: [\n¦",
            "a value or a closing bracket is missing here; write it, or put a text that has , [ ] { } in quotes"),
        text(
            "name: ¦\"p\nbeacons: []\n",
            "the text that begins here has no closing quote; write a double quote behind it"),
        text("name: ¦'p\n", "the text that begins here has no closing quote; write \"'\" behind it"),
        text("name: ¦@home\n", "a value cannot begin with \"@\"; put it in quotes"),
        text("beacons: ¦*nowhere\n", alias),
        text(
            "name: \"a¦\\q\"\n",
            "\"\\\" begins an escape in double quotes, and this is none; write single quotes"),
        text(
            "beacons: ¦- id: a\n",
            "a list cannot begin in the middle of a line; write its \"- \" on a line of its own"),
        text("name: x\n¦---\nprofile: q\n", "a file has one document; leave this \"---\" and what follows out"),
        text("name: Grüße¦\u{1}\n", control), text("name: p¦\u{0}\n", control),
        text(
            "name: > ¦x\n",
            "did not find expected comment or line break; look at this line and the one above, and put texts with : # & * ! "
                + "| > ' \" % @ ` { } [ ] in quotes"),
        twice("¦profile: p\nprofile: q\n", "profile"),
        twice("profile: p\nbeacons:\n  - id: a\n    ¦device: raw\n    device: ibeacon\n", "device"),
    ]

    static let alias =
        "\"*\" begins the name of an anchor, and there is none of this name; put a text that begins so in quotes"
    private static let tab = "a tab is no indentation; write spaces in its place"
    private static let colon =
        "the text before this colon has another one; put the whole value in quotes, such as \"Shop: door\""
    private static let key = "a key is expected here, with a colon and a space behind it; write KEY: VALUE"
    private static let more =
        "more follows here than one value; put all of it in double quotes, or take away what is too much"
    private static let control =
        "control characters are not allowed; take the character away, or write it as an escape in double quotes"

    private static func comma(_ closing: String) -> String {
        "a comma is missing here, or \"\(closing)\"; write it, or put a text that has , : [ ] { } in quotes"
    }

    private static func text(_ rest: String, _ message: String) -> ProfileMistake {
        ProfileMistake("profile: p\n" + rest, field: "", "this is not YAML: " + message)
    }

    private static func twice(_ profile: String, _ name: String) -> ProfileMistake {
        ProfileMistake(
            profile, field: "", "the key \(name) stands here more than once; leave one of them, or begin another entry")
    }
}
