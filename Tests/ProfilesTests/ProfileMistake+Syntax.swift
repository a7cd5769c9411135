// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

extension ProfileMistake {
    /// Texts that are not YAML. Common mistakes have our own messages, with the fix.
    static let syntax = [
        text("beacons:\n¦\t- id: a\n", tab), text("beacons:\n  - id: a\n  ¦\tdevice: raw\n", tab),
        text("beacons:\n  - id: a\n¦\t  device: raw\n", tab),
        text("name: Shop¦: door\n", colon),
        text("beacons:\n  - { id: a, name: Shop¦: door }\n", comma("}")),
        text(
            "beacons:\n  - id: a\n     ¦device: raw\n",
            "the key above has a value already, so it cannot have keys below it; begin this key in the column of "
                + "the others"
        ),
        text("¦beacons\n  - id: a\n", key), text("beacons:\n  - ¦id:a\n    device: raw\n", key),
        text(
            "beacons:\n  - id: a\n   ¦device: raw\n",
            "the indentation of this line matches no entry of the list above; begin it in the column of the entry's "
                + "keys, or a new entry with \"- \" (column 3, as in line 3)"),
        text("beacons:\n  - id: a\n  ¦-device: raw\n", "a list's entry begins with \"-\" and a space; write the space"),
        text(
            "beacons:\n  - id: a\n ¦- id: b\n",
            "the indentation of this line matches nothing above it; begin it in the column of the keys that it "
                + "belongs to (column 1, as in line 1)"),
        text("name: \"Shop\" ¦door\n", more), text("beacons: []¦]\n", more),
        text(
            "beacons: ¦[a\n",
            "the \"[\" here is not closed; write \"]\" after the last value, and commas between"),
        text(
            "beacons:\n  - ¦{ id: a, device: raw\n  - { id: b }\n",
            "the \"{\" here is not closed; write \"}\" after the last value, and commas between"),
        text("beacons:\n  - { id: a device¦: raw }\n", comma("}")),
        text(
            "beacons: [\n¦",
            "a value or a closing bracket is missing here; write it, or put a text with , [ ] { } in quotes"),
        text(
            "name: ¦\"p\nbeacons: []\n",
            "the text that begins here has no closing quote; write a double quote after it"),
        text("name: ¦'p\n", "the text that begins here has no closing quote; write \"'\" after it"),
        text("name: ¦@home\n", "a value cannot begin with \"@\"; put it in quotes"),
        text("beacons: ¦*nowhere\n", alias),
        text(
            "name: \"a¦\\q\"\n",
            "in double quotes \"\\\" begins an escape, and this is not a valid one; write single quotes"),
        text(
            "beacons: ¦- id: a\n",
            "a list cannot begin in the middle of a line; write its \"- \" on a new line"),
        text("name: x\n¦---\nprofile: q\n", "a file has only one document; remove this \"---\" and what follows it"),
        text("name: Grüße¦\u{1}\n", control), text("name: p¦\u{0}\n", control),
        text(
            "name: > ¦x\n",
            "did not find expected comment or line break; look at this line and the one above, and put texts with : # & * "
                + "! | > ' \" % @ ` { } [ ] in quotes"),
        twice("¦profile: p\nprofile: q\n", "profile"),
        twice("profile: p\nbeacons:\n  - id: a\n    ¦device: raw\n    device: ibeacon\n", "device"),
    ]

    static let alias =
        "\"*\" begins the name of an anchor, and no anchor has this name; put a text that begins with \"*\" in quotes"
    private static let tab = "YAML does not allow tabs in indentation; write spaces instead"
    private static let colon =
        "this value contains a colon; put the whole value in quotes, such as \"Shop: door\""
    private static let key = "a key is expected here, followed by a colon and a space; write KEY: VALUE"
    private static let more =
        "another text follows the value here; put all of it in double quotes, or remove the rest"
    private static let control =
        "control characters are not allowed; remove the character, or write it as an escape in double quotes"

    private static func comma(_ closing: String) -> String {
        "a comma or \"\(closing)\" is missing here; write it, or put a text with , : [ ] { } in quotes"
    }

    private static func text(_ rest: String, _ message: String) -> ProfileMistake {
        ProfileMistake("profile: p\n" + rest, field: "", "this is not YAML: " + message)
    }

    private static func twice(_ profile: String, _ name: String) -> ProfileMistake {
        ProfileMistake(
            profile, field: "", "the key \(name) appears here more than once; keep one of them, or begin another entry")
    }
}
