// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import SystemPackage

/// The kernel's messages about Bluetooth, and what they mean.
enum KernelLog {
    /// A kind of message.
    struct Kind: Hashable, Sendable {
        /// The parts of text that a message of this kind has, all of them.
        let parts: [String]
        /// Whether it is a reason why beacons are not received, or only explains what happens at times.
        let isProblem: Bool
        /// What it means, as a sentence without its full stop.
        let meaning: String
        /// A command that fixes it; `nil` if there is none.
        let command: String?

        init(_ parts: String..., isProblem: Bool = true, meaning: String, command: String? = nil) {
            self.parts = parts
            self.isProblem = isProblem
            self.meaning = meaning
            self.command = command
        }

        func matches(_ line: String) -> Bool { parts.allSatisfy { line.contains($0) } }
    }

    private static let restart = "bluetoothctl power off && bluetoothctl power on"
    private static let powerOff = "sudo systemctl poweroff"
    private static let firmware = "sudo dmesg | grep -i firmware"

    private static let processOfFault = "Comm: bluetoothd"

    /// The kinds of messages. The first that matches is the one that counts.
    static let kinds = [
        Kind(
            processOfFault,
            meaning: "the kernel failed in a call of bluetoothd, which it may have ended, and may not work until the "
                + "machine starts again; if this is repeated, use a newer kernel",
            command: "sudo systemctl reboot"),
        Kind(
            "wmt command timed out",
            meaning: "the firmware of the controller does not answer; switch the machine off and on",
            command: powerOff),
        Kind(
            "tx timeout",
            meaning: "the controller did not answer a command; if this is repeated, plug a dongle in again, or switch "
                + "the machine off and on",
            command: restart),
        Kind(
            "Frame reassembly failed",
            meaning: "the serial line to the controller lost bytes, and the controller may be silent until a restart",
            command: restart),
        Kind(
            "ardware error 0x",
            meaning: "the controller failed, and the kernel started it again without its advertisements",
            command: restart),
        Kind(
            "failed: -38",
            meaning: "the controller refuses a command until its power was off; switch the machine off and on",
            command: powerOff),
        Kind("failed: -110", meaning: "the controller did not answer a command", command: restart),
        Kind(
            "0x2005 failed: -16", isProblem: false,
            meaning: "a scan on the same adapter prevented a change of the random address, and beacons that are not "
                + "connectable were off the air meanwhile",
            command: "bluetoothctl scan off"),
        Kind(
            "0x200a failed: -16", isProblem: false,
            meaning: "the controller refused to advertise, because of a scan or a connection of the same adapter",
            command: "bluetoothctl scan off"),
        Kind(
            "0x2006 failed", isProblem: false,
            meaning: "the controller refused advertising parameters, as after a cancelled connection of this adapter",
            command: restart),
        Kind(
            "Patch file not found", isProblem: false,
            meaning: "the controller runs without the patch file that the message names, and may be unstable",
            command: firmware),
        Kind(
            "irmware", "ail",
            meaning: "the kernel could not load firmware of the controller: install the file that the message names",
            command: firmware),
        Kind(
            "Unbranded CSR clone", isProblem: false,
            meaning: "the adapter is a clone, whose faults the kernel corrects for BlueZ"),
        Kind("pcode", "failed", isProblem: false, meaning: "the controller refused a command"),
    ]

    /// The messages about Bluetooth among all.
    static func lines(_ messages: [String]) -> [String] {
        messages.filter { $0.contains("Bluetooth") || $0.contains(/\bhci[0-9]/) || $0.contains(processOfFault) }
    }

    /// The kinds of messages about an adapter, with their number and the last of them, in the order of the table.
    static func found(in lines: [String], of adapter: String) -> [(kind: Kind, count: Int, last: String)] {
        var found: [Kind: (count: Int, last: String)] = [:]
        for line in lines where concerns(line, adapter) {
            guard let kind = kinds.first(where: { $0.matches(line) }) else { continue }
            found[kind] = ((found[kind]?.count ?? 0) + 1, line)
        }
        return kinds.compactMap { kind in found[kind].map { (kind, $0.count, $0.last) } }
    }

    /// Whether the kernel reports that an adapter is a clone.
    static func reportsClone(_ adapter: String, in lines: [String]) -> Bool {
        lines.contains { $0.contains("Unbranded CSR clone") && concerns($0, adapter) }
    }

    /// Whether a message is about an adapter: it names it, or none.
    private static func concerns(_ line: String, _ adapter: String) -> Bool {
        let names = line.matches(of: /\bhci[0-9]+/).map { String($0.output) }
        return names.isEmpty || names.contains(adapter)
    }

    /// Reads the kernel's messages, from the oldest that it has; `nil` without the right (CAP_SYSLOG, where
    /// `kernel.dmesg_restrict` is 1).
    static func read() -> [String]? {
        guard
            let descriptor = try? FileDescriptor.open(
                "/dev/kmsg", .readOnly, options: [.closeOnExec, .nonBlocking])
        else { return nil }
        defer { try? descriptor.close() }
        var messages: [String] = []
        var buffer = [UInt8](repeating: 0, count: 8192)
        while true {
            do {
                // One record each time.
                let count = try buffer.withUnsafeMutableBytes { try descriptor.read(into: $0) }
                if count == 0 { return messages }
                if let message = message(of: String(decoding: buffer[..<count], as: UTF8.self)) {
                    messages.append(message)
                }
            } catch Errno.brokenPipe {
                // The record was overwritten meanwhile; the next read continues with the oldest that is there.
                continue
            } catch Errno.resourceTemporarilyUnavailable {
                return messages
            } catch {
                return messages.isEmpty ? nil : messages
            }
        }
    }

    /// The message of a record, `PRIORITY,SEQUENCE,TIME,FLAGS;MESSAGE` and lines with properties
    /// (https://docs.kernel.org/admin-guide/abi-testing.html, /dev/kmsg).
    static func message(of record: String) -> String? {
        guard let semicolon = record.firstIndex(of: ";") else { return nil }
        return record[record.index(after: semicolon)...].split(separator: "\n").first.map { String($0) }
    }
}
