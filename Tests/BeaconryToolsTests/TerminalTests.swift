// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BeaconryTools

struct TerminalTests {
    @Test(
        arguments: [
            ("\u{1B}[A", [Key.up]), ("\u{1B}OB", [.down]), ("\u{1B}[5~\u{1B}[6~", [.pageUp, .pageDown]),
            ("\u{1B}", [.escape]),
            ("\r", [.enter]), ("\u{7F}", [.backspace]), ("aé", [.character("a"), .character("é")]),
            ("\u{1B}[1;5C", []), ("\u{1B}[15~x", [.character("x")]), ("\u{1}", []), ("\u{1B}[", []),
        ] as [(String, [Key])])
    func keysAreReadFromBytes(_ text: String, _ keys: [Key]) {
        #expect(Key.keys(in: Array(text.utf8)) == keys)
    }

    private let content = ListView.Content(
        title: "title", heading: "HEAD", lines: (1...10).map { "line \($0)" }, order: "sort by RSSI")

    private func lines(_ view: inout ListView, height: Int = 6, hasKeys: Bool = true) -> [String] {
        view.lines(of: content, width: 80, height: height, hasKeys: hasKeys)
    }

    private func press(_ view: inout ListView, _ key: Key) -> Bool { view.press(key) }

    @Test func listThatFitsHasNoFooter() {
        var view = ListView()
        #expect(lines(&view, height: 12) == ["title", "HEAD"] + content.lines)
    }

    @Test func longListScrollsWithinItsBounds() {
        var view = ListView()
        #expect(
            lines(&view) == [
                "title", "HEAD", "line 1", "line 2", "line 3",
                "1-3 of 10  ↑ ↓ PgUp PgDn: scroll  /: filter  s: sort by RSSI",
            ])
        #expect(press(&view, .down))
        #expect(lines(&view)[2] == "line 2")
        #expect(press(&view, .pageDown))
        #expect(lines(&view)[2] == "line 5")
        #expect(press(&view, .end))
        #expect(lines(&view)[2...4] == ["line 8", "line 9", "line 10"])
        #expect(press(&view, .home) && press(&view, .up))
        #expect(lines(&view)[2] == "line 1")
    }

    @Test func filterShowsMatchingLinesWhileItIsTyped() {
        var view = ListView()
        for key in [Key.character("/"), .character("1"), .character("0")] { #expect(press(&view, key)) }
        #expect(lines(&view) == ["title", "HEAD", "line 10", "/10_  (1 of 10; Enter: apply, Esc: show all)"])
        #expect(press(&view, .backspace) && press(&view, .enter))
        #expect(
            lines(&view) == [
                "title", "HEAD", "line 1", "line 10", "2 of 10 with \"1\"  Esc: show all  s: sort by RSSI",
            ])
        #expect(press(&view, .escape))
        #expect(view.filter.isEmpty)
    }

    @Test func keysWithoutAMeaningAreLeftToTheCaller() {
        var view = ListView()
        #expect(!press(&view, .character("s")))
        #expect(!press(&view, .enter))
    }

    @Test func withoutKeysTheFooterSuggestsALargerTerminal() {
        var view = ListView()
        #expect(lines(&view, hasKeys: false).last == "… 3 of 10 shown; enlarge the terminal to see more")
    }

    @Test func linesAreCutAndSafe() {
        var view = ListView()
        let content = ListView.Content(title: "abc\u{1B}def", lines: [])
        let lines = view.lines(of: content, width: 5, height: 3, hasKeys: false)
        #expect(lines == ["abc\u{FFFD}…"])
    }
}
