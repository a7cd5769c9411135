// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Emulator
import Glibc
import HCI

/// `decode`: prints advertising data, or the reports of an HCI packet or of a capture.
package struct DecodeTool {
    private let format: OutputFormat
    private let key: FrameKey?

    /// - Parameter key: what encrypted frames are read with; `nil` for none.
    package init(key: FrameKey? = nil, format: OutputFormat) {
        self.format = format
        self.key = key
    }

    /// Decodes hexadecimal digits, or the file of that name.
    package func run(_ input: String) throws {
        if input.contains(where: { !$0.isHexDigit }), access(input, F_OK) == 0 { return try decodeFile(input) }
        let bytes = try hexadecimal(input)
        if bytes.starts(with: [0x04, 0x3E]) { return try decodeEvent(bytes) }
        let data = try Self.commandData(bytes) ?? bytes
        let (parsed, error) = AdvertisingData.prefix(of: data)
        Output.report(DecodedPayload(parsed, key: key), as: format)
        if let error { throw error }
    }

    /// Decodes an LE meta event with the H4 byte in front: no advertising data begins like that.
    private func decodeEvent(_ bytes: [UInt8]) throws {
        let announced = bytes.count > 2 ? Int(bytes[2]) + 3 : 3
        guard bytes.count == announced else {
            let difference = abs(announced - bytes.count)
            throw Failure.badData(
                "the HCI event (04 3e) has \(difference) byte\(difference == 1 ? "" : "s") too "
                    + "\(bytes.count < announced ? "few" : "many"): its length byte announces \(announced) in all, and there are "
                    + "\(bytes.count); copy the whole event")
        }
        let event = HCIEventPacket(code: bytes[1], parameters: Array(bytes.dropFirst(3)))
        let reports: [ScanReport]
        switch event.subeventCode {
        case LEAdvertisingReport.subeventCode:
            reports = try Self.parameters(of: event, as: LEAdvertisingReport.self).reports.map { ScanReport($0) }
        case LEExtendedAdvertisingReport.subeventCode:
            reports = try Self.parameters(of: event, as: LEExtendedAdvertisingReport.self).reports.map {
                ScanReport($0)
            }
        case let code:
            let digits = code.map { "subevent 0x" + Hexadecimal.string([$0]) } ?? "no subevent"
            throw Failure.badData("this LE meta event (\(digits)) has no advertising reports")
        }
        for report in reports { Output.report(DecodedReport(report, key: key), as: format) }
    }

    private static func parameters<Event: HCIEvent>(of event: HCIEventPacket, as _: Event.Type) throws -> Event {
        do throws(WireError) {
            return try event.parameters(as: Event.self)
        } catch {
            // After the H4 byte, the event code and the length.
            throw Failure.badData("the HCI event is malformed: \(WireError(error.kind, offset: error.offset + 3))")
        }
    }

    /// The data of a command that sets advertising data or a scan response, with or without the H4 byte; `nil` for other bytes.
    private static func commandData(_ bytes: [UInt8]) throws -> [UInt8]? {
        let command = bytes.first == 0x01 ? Array(bytes.dropFirst()) : bytes
        // Opcode 0x2008 or 0x2009 and 32 parameters (Core 5.4, Vol 4, Part E, 7.8.7 and 7.8.8).
        guard [[0x08, 0x20, 0x20], [0x09, 0x20, 0x20]].contains(Array(command.prefix(3))) else { return nil }
        guard command.count == 35, Int(command[3]) <= 31 else {
            throw Failure.badData(
                "the HCI command has \(command.count - 3) bytes of parameters instead of 32; copy the whole command")
        }
        return Array(command.dropFirst(4).prefix(Int(command[3])))
    }

    private func hexadecimal(_ input: String) throws -> [UInt8] {
        if let bytes = try? Hexadecimal.pasted(input) { return bytes }
        guard input.allSatisfy({ $0.isHexDigit || "xX :\n-.,<>\t\r".contains($0) }) else {
            throw Failure.badData(
                "\"\(input)\" is neither hexadecimal digits nor an existing file; write digits such as 020106, or the "
                    + "name of a capture")
        }
        throw Failure.badData(ValueText.notHexadecimal(input, example: "020106"))
    }

    private func decodeFile(_ path: String) throws {
        var file = try InputFile(path)
        guard var capture = try CaptureReports(path, startingWith: try file.next()) else {
            throw Failure.badData(
                "\(path) is not a capture; btmon -w FILE and beaconry run --capture FILE write btsnoop files, and tcpdump and Wireshark "
                    + "pcap or pcapng")
        }
        let cut = try capture.read(&file) { captured in
            var report = DecodedReport(captured.report, key: key)
            report.time = Timestamp.text(sinceUnixEpoch: captured.time)
            report.controller = captured.controllerIndex
            Output.report(report, as: format)
        }
        if let cut { Output.report(cut, as: format) }
    }
}
