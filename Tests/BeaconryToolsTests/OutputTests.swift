// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import Testing

@testable import BeaconryTools

struct OutputTests {
    private struct Sample: Encodable, Report {
        let event = "sample"
        let count: Int
        var lines: [String] { ["sample \(count)"] }
    }

    @Test func objectsHaveTheVersionAmongTheirKeysInOrder() {
        #expect(Sample(count: 3).object == #"{"count":3,"event":"sample","v":1}"#)
    }

    @Test func versionOfARecordIsNotRepeated() {
        struct Record: Encodable {
            let v = 1
            let a = "b"
        }
        #expect(RecordReport(Record(), lines: []).object == #"{"a":"b","v":1}"#)
    }

    @Test func charactersThatControlATerminalAreEscapedInObjects() {
        #expect(RecordReport(["name": "\u{202E}x"], lines: []).object == #"{"name":"\u202ex","v":1}"#)
    }

    @Test func noticesAreWarningsWithCodeAndHint() {
        let notice = Notice(code: "a-code", message: "something", hint: "do it")
        #expect(notice.lines == ["warning: something [a-code]; do it"])
        #expect(Notice.textStream == .notes)
        #expect(notice.object.contains(#""event":"warning""#))
    }

    @Test func columnsAreAsWideAsTheirWidestCell() {
        let table = TextTable(rows: [["ID", "NAME", "LAST"], ["1", "entrance", "x"], ["100", "", "y"]])
        #expect(table.lines == ["ID   NAME      LAST", "1    entrance  x", "100            y"])
    }

    @Test func unsafeCharactersDoNotShiftColumns() {
        let lines = TextTable(rows: [["A", "B"], ["a\u{1B}[31m", "x"], ["abcdef", "y"]]).lines
        #expect(lines == ["A       B", "a\u{FFFD}[31m  x", "abcdef  y"])
    }

    @Test func emptyTableHasNoLines() { #expect(TextTable(rows: []).lines == []) }

    @Test(arguments: [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("abc", 1, "…"), ("abc", 0, ""), ("", 0, "")])
    func longTextsAreCut(_ text: String, _ width: Int, _ expected: String) {
        #expect(text.cut(to: width) == expected)
    }

    @Test(
        arguments: [(9.306, "9.31"), (0, "0.00"), (-1, "-1.00"), (-0.004, "0.00"), (0.05, "0.05"), (1e16, "1e+16")]
            as [(Double, String)])
    func numbersHaveTwoDecimals(_ value: Double, _ expected: String) {
        #expect(Formatting.hundredths(value) == expected)
    }

    @Test(arguments: [(0, "0 beacons"), (1, "1 beacon"), (2, "2 beacons")])
    func countsAgreeWithTheirNouns(_ count: Int, _ expected: String) {
        #expect(Formatting.count(count, "beacon") == expected)
    }

    @Test func timestampsHaveMilliseconds() {
        #expect(Timestamp.text(sinceUnixEpoch: .milliseconds(1_769_860_800_007)) == "2026-01-31T12:00:00.007Z")
    }
}
