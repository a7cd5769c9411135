// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import KernelBluetooth
import SystemPackage

/// A message of the kernel.
package struct KernelMessage: Codable, Hashable, Sendable {
    /// Its text.
    package let text: String
    /// When it was written, in seconds since the start of the machine (`CLOCK_MONOTONIC`).
    package let time: Double

    package init(_ text: String, at time: Double = 0) {
        self.text = text
        self.time = time
    }
}

/// The kernel's messages about Bluetooth, and what they mean.
enum KernelLog {
    /// A kind of message.
    struct Kind: Hashable, Sendable {
        /// The parts of text that a message of this kind has, all of them.
        let parts: [String]
        /// The fault that it reports; `nil` if it only explains what happens at times.
        let fault: Fault?
        /// What it means, as a sentence without its full stop.
        let meaning: String

        init(_ parts: String..., fault: Fault? = nil, meaning: String) {
            self.parts = parts
            self.fault = fault
            self.meaning = meaning
        }

        func matches(_ line: String) -> Bool { parts.allSatisfy { line.contains($0) } }
    }

    /// The messages of one kind about an adapter.
    struct Group: Hashable, Sendable {
        let kind: Kind
        var count: Int
        var last: KernelMessage
    }

    private static let processOfFault = "Comm: bluetoothd"

    /// The kinds of messages. The first that matches is the one that counts.
    static let kinds = [
        Kind(
            processOfFault, fault: .kernelCrash,
            meaning: "the kernel failed in a call of bluetoothd, which it may have ended, and may not work until the "
                + "machine starts again"),
        Kind(
            "wmt command timed out", fault: .controllerSilent,
            meaning: "the firmware of the controller did not answer"),
        Kind("tx timeout", fault: .controllerSilent, meaning: "the controller did not answer a command"),
        Kind(
            "Frame reassembly failed", fault: .serialLine,
            meaning: "the serial line to the controller lost bytes, and the controller may be silent until a restart"),
        Kind(
            "ardware error 0x", fault: .hardwareError,
            meaning: "the controller failed, and the kernel started it again without its advertisements"),
        Kind(
            "failed: -38", fault: .controllerLocked,
            meaning: "the controller refuses a command until its power was off"),
        Kind("failed: -110", fault: .controllerSilent, meaning: "the controller did not answer a command"),
        Kind(
            "0x2005 failed: -16",
            meaning: "a scan on the same adapter prevented a change of the random address, and beacons that are not "
                + "connectable were off the air meanwhile"),
        Kind(
            "0x200a failed: -16",
            meaning: "the controller refused to advertise, because of a scan or a connection of the same adapter"),
        Kind(
            "0x2006 failed",
            meaning: "the controller refused advertising parameters, as after a cancelled connection of this adapter"),
        Kind(
            "Patch file not found", fault: .noPatch,
            meaning: "the controller runs without the patch file that the message names, and may be unstable"),
        Kind(
            "irmware", "ail", fault: .noFirmware,
            meaning: "the kernel could not load firmware of the controller: install the file that the message names"),
        Kind("Unbranded CSR clone", meaning: "the adapter is a clone, whose faults the kernel corrects for BlueZ"),
        Kind("pcode", "failed", meaning: "the controller refused a command"),
    ]

    /// The messages about Bluetooth among all.
    static func ofBluetooth(_ messages: [KernelMessage]) -> [KernelMessage] {
        messages.filter {
            $0.text.contains("Bluetooth") || $0.text.contains(/\bhci[0-9]/) || $0.text.contains(processOfFault)
        }
    }

    /// The messages about an adapter by their kinds, in the order of the table.
    static func groups(_ messages: [KernelMessage], of adapter: String) -> [Group] {
        var found: [Kind: Group] = [:]
        for message in messages where concerns(message.text, adapter) {
            guard let kind = kinds.first(where: { $0.matches(message.text) }) else { continue }
            var group = found[kind] ?? Group(kind: kind, count: 0, last: message)
            group.count += 1
            group.last = message
            found[kind] = group
        }
        return kinds.compactMap { found[$0] }
    }

    /// Whether the kernel reports that an adapter is a clone.
    static func reportsClone(_ adapter: String, in messages: [KernelMessage]) -> Bool {
        messages.contains { $0.text.contains("Unbranded CSR clone") && concerns($0.text, adapter) }
    }

    /// Whether a message is about an adapter: it names it, or none.
    private static func concerns(_ line: String, _ adapter: String) -> Bool {
        let names = line.matches(of: /\bhci[0-9]+/).map { String($0.output) }
        return names.isEmpty || names.contains(adapter)
    }

    /// Reads the kernel's messages, from the oldest that it has; `nil` without the right (CAP_SYSLOG, where
    /// `kernel.dmesg_restrict` is 1).
    static func read() -> [KernelMessage]? {
        guard
            let descriptor = try? FileDescriptor.open(
                "/dev/kmsg", .readOnly, options: [.closeOnExec, .nonBlocking])
        else { return nil }
        defer { try? descriptor.close() }
        var messages: [KernelMessage] = []
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

    /// The message of a record, `PRIORITY,SEQUENCE,TIME,FLAGS;MESSAGE` and lines with properties, the time in microseconds
    /// since the start of the machine (https://docs.kernel.org/admin-guide/abi-testing.html, /dev/kmsg).
    static func message(of record: String) -> KernelMessage? {
        guard let semicolon = record.firstIndex(of: ";"),
            let text = record[record.index(after: semicolon)...].split(separator: "\n").first
        else { return nil }
        let fields = record[..<semicolon].split(separator: ",")
        guard fields.count > 2, let microseconds = Double(fields[2]) else { return nil }
        return KernelMessage(String(text), at: microseconds / 1e6)
    }

    /// The seconds since the start of the machine, on the clock of the messages.
    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// An age: `5 s ago`, `10 min ago`, `3 h ago`, `2 days ago`.
    static func age(_ seconds: Double) -> String {
        let seconds = max(0, seconds)
        if seconds < 90 { return "\(Int(seconds)) s ago" }
        if seconds < 90 * 60 { return "\(Int((seconds / 60).rounded())) min ago" }
        if seconds < 36 * 3600 { return "\(Int((seconds / 3600).rounded())) h ago" }
        return "\(Int((seconds / 86400).rounded())) days ago"
    }
}
