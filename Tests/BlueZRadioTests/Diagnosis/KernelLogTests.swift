// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import KernelBluetooth
import Testing

@testable import BlueZRadio

@Suite struct KernelLogTests {
    /// Messages of real machines, the fault that each reports, and the beginning of what they mean.
    static let messages: [(String, Fault?, String)] = [
        ("Bluetooth: hci0: command 0x2005 tx timeout", .controllerSilent, "the controller did not answer"),
        ("Bluetooth: hci0: command tx timeout", .controllerSilent, "the controller did not answer"),
        ("Bluetooth: hci0: Frame reassembly failed (-84)", .serialLine, "the serial line"),
        ("Bluetooth: hci0: Hardware error 0x0c", .hardwareError, "the controller failed"),
        ("Bluetooth: hci0: hardware error 0x00", .hardwareError, "the controller failed"),
        ("Bluetooth: hci0: Opcode 0x2037 failed: -38", .controllerLocked, "the controller refuses a command until"),
        ("Bluetooth: hci0: Opcode 0x0c03 failed: -110", .controllerSilent, "the controller did not answer"),
        ("Bluetooth: hci0: Opcode 0x2005 failed: -16", nil, "a scan on the same adapter"),
        ("Bluetooth: hci0: Opcode 0x200a failed: -16", nil, "the controller refused to advertise"),
        ("Bluetooth: hci0: Opcode 0x2006 failed: -16", nil, "the controller refused advertising parameters"),
        ("Bluetooth: hci0: Opcode 0x2042 failed: -16", nil, "the controller refused a command"),
        ("Bluetooth: hci0: Failed to load Intel firmware file (-2)", .noFirmware, "the kernel could not load firmware"),
        (
            "bluetooth hci0: Direct firmware load for rtl_bt/rtl8761bu_fw.bin failed with error -2", .noFirmware,
            "the kernel could not load firmware"
        ),
        (
            "Bluetooth: hci0: BCM: firmware Patch file not found, tried:", .noPatch,
            "the controller runs without the patch"
        ),
        (
            "Bluetooth: hci0: CSR: Unbranded CSR clone detected; adding workarounds and force-suspending once...", nil,
            "the adapter is a clone"
        ),
        (
            "CPU: 0 PID: 245 Comm: bluetoothd Not tainted 6.1.0-43-amd64 #1  Debian 6.1.162-1", .kernelCrash,
            "the kernel failed in a call of bluetoothd"
        ),
        ("Bluetooth: hci0: Execution of wmt command timed out", .controllerSilent, "the firmware of the controller"),
    ]

    private static func found(_ texts: [String], of adapter: String = "hci0") -> [KernelLog.Group] {
        KernelLog.groups(KernelLog.ofBluetooth(texts.map { KernelMessage($0) }), of: adapter)
    }

    @Test(arguments: messages)
    func messagesAreUnderstood(_ message: String, fault: Fault?, meaning: String) throws {
        let found = Self.found([message])
        let kind = try #require(found.first?.kind, "\(message)")
        #expect(found.count == 1 && kind.fault == fault, "\(message)")
        #expect(kind.meaning.hasPrefix(meaning), "\(message): \(kind.meaning)")
        if message.contains("hci0") { #expect(Self.found([message], of: "hci1").isEmpty) }
    }

    @Test func everyKindHasAMessage() {
        let used = Self.messages.compactMap { message in KernelLog.kinds.first { $0.matches(message.0) } }
        #expect(Set(used) == Set(KernelLog.kinds))
    }

    @Test(arguments: [
        "Bluetooth: Core ver 2.22", "Bluetooth: hci0: BCM4345C0 'brcm/BCM4345C0.raspberrypi,4-model-b.hcd' Patch",
        "Bluetooth: hci0: Firmware loaded in 1622348 usecs", "Bluetooth: hci0: RTL: fw version 0x09a98a6b",
        "Bluetooth: BNEP (Ethernet Emulation) ver 1.3",
    ])
    func messagesOfStartsAreNoTrouble(_ message: String) {
        #expect(Self.found([message]).isEmpty)
    }

    @Test func messagesOfOtherPartsAreLeftOut() {
        let others = ["usb 1-1: device descriptor read failed", "eth0: tx timeout", "ohci0x"]
        #expect(KernelLog.ofBluetooth(others.map { KernelMessage($0) }).isEmpty)
    }

    @Test func messagesAreCounted() {
        let lines =
            Array(repeating: "Bluetooth: hci0: command 0x2005 tx timeout", count: 3) + [
                "Bluetooth: hci10: command 0x2005 tx timeout", "Bluetooth: hci0: Opcode 0x2005 failed: -16",
            ]
        #expect(Self.found(lines).map(\.count) == [3, 1])
        let clone = [KernelMessage("Bluetooth: hci1: CSR: Unbranded CSR clone detected")]
        #expect(KernelLog.reportsClone("hci1", in: clone))
        #expect(!KernelLog.reportsClone("hci0", in: clone))
    }

    @Test func lastMessageHasTheAge() throws {
        let messages = [5.0, 70].map { KernelMessage("Bluetooth: hci0: command tx timeout", at: $0) }
        #expect(try #require(KernelLog.groups(messages, of: "hci0").first).last.time == 70)
    }

    @Test(
        arguments: [
            (-1, "0 s ago"), (0.4, "0 s ago"), (89, "89 s ago"), (90, "2 min ago"), (600, "10 min ago"),
            (5399, "90 min ago"), (5400, "2 h ago"), (86400, "24 h ago"), (129_600, "2 days ago"),
        ])
    func agesAreWords(_ seconds: Double, words: String) {
        #expect(KernelLog.age(seconds) == words)
    }

    @Test func recordsOfTheLogAreParsed() {
        #expect(
            KernelLog.message(of: "6,339,5140900,-;Bluetooth: hci0: BCM4345C0\n SUBSYSTEM=bluetooth\n")
                == KernelMessage("Bluetooth: hci0: BCM4345C0", at: 5.1409))
        #expect(KernelLog.message(of: "no record") == nil)
        #expect(KernelLog.message(of: "6,339;text") == nil)
        #expect(KernelLog.message(of: "6,339,5140900,-;") == nil)
    }
}
