// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import ArgumentParser
import BluetoothCore
import Emulator
import Glibc
import HCI

/// `beaconry decode`
struct Decode: ParsableCommand, ReportsErrorsAsJSON {
    static let configuration = CommandConfiguration(
        abstract: "Decode advertising data, HCI reports or btsnoop files.",
        discussion: """
            Example: beaconry decode 0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5

            Hexadecimal digits are AD structures, or an HCI event with advertising reports (04 3e …). Of a btsnoop file, \
            every advertising report is printed.
            """)

    @Argument(help: "Hexadecimal digits, or a btsnoop file.")
    var input: String

    @Flag(help: "One JSON object a line on standard output.")
    var json = false

    var writesJSON: Bool { json }

    func run() throws {
        if input.contains(where: { !$0.isHexDigit }), access(input, F_OK) == 0 { return try decodeFile() }
        let bytes = try hexadecimal()
        let reports = Self.reports(bytes)
        if !reports.isEmpty { return reports.forEach(tell) }
        var reader = ByteReader(bytes)
        let (data, error) = AdvertisingData.parsePrefix(of: &reader)
        let record = DecodedPayload(data)
        if json { Output.line(JSONLine.encode(record)) } else { record.lines.forEach(Output.line) }
        if let error { throw error }
    }

    private func hexadecimal() throws -> [UInt8] {
        if let bytes = try? Hexadecimal.bytes(input) { return bytes }
        guard !input.contains("/"), !input.contains(".") else {
            throw Failure.badData("\"\(input)\" is neither a file that is there nor hexadecimal digits")
        }
        return try Hexadecimal.bytes(input)
    }

    /// The reports of an HCI event in H4.
    private static func reports(_ bytes: [UInt8]) -> [DecodedReport] {
        guard case .event(let event) = try? HCIPacket(parsing: bytes) else { return [] }
        return DecodedReport.reports(of: event)
    }

    private func decodeFile() throws {
        let descriptor = open(input, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Failure.badData("cannot open \(input): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var reader = BtsnoopReader()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { throw Failure.badData("cannot read \(input): \(String(cString: strerror(errno)))") }
            if count == 0 { break }
            reader.append(buffer[..<count])
            while let packet = try reader.next() { tell(packet) }
        }
        guard reader.count == 0, reader.datalink != nil else {
            throw Failure.badData("\(input) ends in the middle of a record (\(reader.count) bytes are left over)")
        }
    }

    private func tell(_ packet: BtsnoopPacket) {
        guard case .event(let event) = packet.packet else { return }
        for var report in DecodedReport.reports(of: event) {
            report.time = Timestamp.text(sinceUnixEpoch: packet.time)
            report.controller = packet.controllerIndex
            tell(report)
        }
    }

    private func tell(_ report: DecodedReport) {
        if json { Output.line(JSONLine.encode(report)) } else { report.lines.forEach(Output.line) }
    }
}
