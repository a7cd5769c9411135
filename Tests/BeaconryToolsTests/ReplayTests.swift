// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BeaconryTools

struct ReplayTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func line(_ data: String = "020106", pdu: String? = "ADV_NONCONN_IND", rssi: Int = -60) -> String {
        let pdu = pdu.map { #","pdu":"\#($0)""# } ?? ""
        return #"{"v":1,"microseconds":5,"address":"C0:FF:EE:00:00:01","addressType":"random","data":"\#(data)","#
            + #""rssi":\#(rssi)\#(pdu)}"#
    }

    @Test func everyTypeIsLoaded() throws {
        let lines = [line(), line(pdu: "ADV_DIRECT_IND"), line(pdu: nil, rssi: 20), line(pdu: "ADV_EXT_IND")]
        let path = try folder.write(lines.joined(separator: "\n"), to: "air.jsonl")
        #expect(throws: Never.self) { try ReplayTool.load(path) }
    }

    /// A radio without PDU types merges advertising data and scan response.
    @Test func mergedDataIsLoaded() throws {
        let merged = "020106" + "1a" + String(repeating: "ff", count: 26) + "0509" + "41424344"
        let path = try folder.write(line(merged, pdu: nil), to: "air.jsonl")
        #expect(throws: Never.self) { try ReplayTool.load(path) }
    }

    @Test(arguments: [
        ("too long", String(repeating: "00", count: 32), "ADV_IND", -60, "at most 31 bytes, not 32"),
        ("too long", String(repeating: "00", count: 1651), "ADV_EXT_IND", -60, "at most 1650 bytes, not 1651"),
        ("no RSSI", "020106", "ADV_IND", 21, "is not -127 to 20 dBm"),
    ])
    func packetThatCannotBeSentIsNamed(_: String, _ data: String, _ pdu: String, _ rssi: Int, _ words: String) throws {
        let path = try folder.write(line() + "\n" + line(data, pdu: pdu, rssi: rssi) + "\n", to: "air.jsonl")
        let failure = #expect(throws: Failure.self) { _ = try ReplayTool.load(path) }
        #expect(failure?.exitCode == 65)
        #expect(failure?.message.hasPrefix("\(path):2: ") == true, "\(failure?.message ?? "")")
        #expect(failure?.message.hasSuffix(words) == true, "\(failure?.message ?? "")")
    }

    @Test func recordingWithoutPacketsIsRefused() throws {
        let path = try folder.write(line(pdu: "ADV_DIRECT_IND"), to: "air.jsonl")
        let failure = #expect(throws: Failure.self) { _ = try ReplayTool.load(path) }
        #expect(failure?.message == "\(path): no advertisement in it that can be sent again")
    }
}
