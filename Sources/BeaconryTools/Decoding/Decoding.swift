// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Emulator
import Glibc
import HCI

/// `decode`: prints advertising data, or the reports of an HCI event or of a btsnoop file.
package struct DecodeTool {
    private let format: OutputFormat

    package init(format: OutputFormat) {
        self.format = format
    }

    /// Decodes hexadecimal digits, or the file of that name.
    package func run(_ input: String) throws {
        if input.contains(where: { !$0.isHexDigit }), access(input, F_OK) == 0 { return try decodeFile(input) }
        let bytes = try hexadecimal(input)
        if case .event(let event)? = try? HCIPacket(parsing: bytes) {
            let reports = DecodedReport.reports(of: event)
            for report in reports { Output.report(report, as: format) }
            if !reports.isEmpty { return }
        }
        var reader = ByteReader(bytes)
        let (data, error) = AdvertisingData.parsePrefix(of: &reader)
        Output.report(DecodedPayload(data), as: format)
        if let error { throw error }
    }

    private func hexadecimal(_ input: String) throws -> [UInt8] {
        if let bytes = try? Hexadecimal.bytes(input) { return bytes }
        guard input.allSatisfy({ $0.isHexDigit || "x :\n".contains($0) }) else {
            throw Failure.badData(
                "\"\(input)\" is neither hexadecimal digits nor an existing file; write digits such as 020106, or the "
                    + "name of a btsnoop file")
        }
        throw Failure.badData(ValueText.notHexadecimal(input, example: "020106"))
    }

    private func decodeFile(_ path: String) throws {
        var file = try InputFile(path)
        let first = try file.next()
        guard BtsnoopFile.isOne(startingWith: first) else {
            throw Failure.badData(
                "\(path) is not a btsnoop file; btmon -w FILE and beaconry run --capture FILE write such files")
        }
        try BtsnoopFile.read(first, &file) { packet, event in
            for var report in DecodedReport.reports(of: event) {
                report.time = Timestamp.text(sinceUnixEpoch: packet.time)
                report.controller = packet.controllerIndex
                Output.report(report, as: format)
            }
        }
    }
}

/// The HCI events of a btsnoop file.
enum BtsnoopFile {
    /// Whether a file with these first bytes is a btsnoop file.
    static func isOne(startingWith bytes: some Sequence<UInt8>) -> Bool { bytes.starts(with: "btsnoop".utf8) }

    /// Calls the closure with each event of a file whose first part was read already, in order, and another one with each
    /// command.
    /// - Throws: `Failure` when the file ends in the middle of a record, and `WireError`.
    static func read(
        _ first: ArraySlice<UInt8>, _ file: inout InputFile,
        commands: (BtsnoopPacket, HCICommandPacket) -> Void = { _, _ in },
        _ body: (BtsnoopPacket, HCIEventPacket) throws -> Void
    ) throws {
        var reader = BtsnoopReader()
        var part = first
        while !part.isEmpty {
            reader.append(part)
            while let packet = try reader.next() {
                switch packet.packet {
                case .event(let event): try body(packet, event)
                case .command(let command): commands(packet, command)
                default: break
                }
            }
            part = try file.next()
        }
        guard reader.count == 0, reader.datalink != nil else {
            throw Failure.badData("\(file.path) ends in the middle of a record (\(reader.count) bytes are left over)")
        }
    }
}
