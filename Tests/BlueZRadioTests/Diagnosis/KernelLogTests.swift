// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BlueZRadio

@Suite struct KernelLogTests {
    /// Messages of real machines, and the beginning of what they mean.
    static let messages: [(String, Bool, String)] = [
        ("Bluetooth: hci0: command 0x2005 tx timeout", true, "the controller did not answer"),
        ("Bluetooth: hci0: command tx timeout", true, "the controller did not answer"),
        ("Bluetooth: hci0: Frame reassembly failed (-84)", true, "the serial line"),
        ("Bluetooth: hci0: Hardware error 0x0c", true, "the controller failed"),
        ("Bluetooth: hci0: hardware error 0x00", true, "the controller failed"),
        ("Bluetooth: hci0: Opcode 0x2037 failed: -38", true, "the controller refuses a command until"),
        ("Bluetooth: hci0: Opcode 0x0c03 failed: -110", true, "the controller did not answer"),
        ("Bluetooth: hci0: Opcode 0x2005 failed: -16", false, "a scan on the same adapter"),
        ("Bluetooth: hci0: Opcode 0x200a failed: -16", false, "the controller refused to advertise"),
        ("Bluetooth: hci0: Opcode 0x2006 failed: -16", false, "the controller refused advertising parameters"),
        ("Bluetooth: hci0: Opcode 0x2042 failed: -16", false, "the controller refused a command"),
        ("Bluetooth: hci0: Failed to load Intel firmware file (-2)", true, "the kernel could not load firmware"),
        (
            "bluetooth hci0: Direct firmware load for rtl_bt/rtl8761bu_fw.bin failed with error -2", true,
            "the kernel could not load firmware"
        ),
        ("Bluetooth: hci0: BCM: firmware Patch file not found, tried:", false, "the controller runs without the patch"),
        (
            "Bluetooth: hci0: CSR: Unbranded CSR clone detected; adding workarounds and force-suspending once...",
            false,
            "the adapter is a clone"
        ),
        (
            "CPU: 0 PID: 245 Comm: bluetoothd Not tainted 6.1.0-43-amd64 #1  Debian 6.1.162-1", true,
            "the kernel failed in a call of bluetoothd"
        ),
        ("Bluetooth: hci0: Execution of wmt command timed out", true, "the firmware of the controller"),
    ]

    @Test(arguments: messages)
    func messagesAreUnderstood(_ message: String, isProblem: Bool, meaning: String) throws {
        let found = KernelLog.found(in: KernelLog.lines([message]), of: "hci0")
        let kind = try #require(found.first?.kind, "\(message)")
        #expect(found.count == 1 && kind.isProblem == isProblem, "\(message)")
        #expect(kind.meaning.hasPrefix(meaning), "\(message): \(kind.meaning)")
        if message.contains("hci0") { #expect(KernelLog.found(in: [message], of: "hci1").isEmpty) }
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
        #expect(KernelLog.found(in: KernelLog.lines([message]), of: "hci0").isEmpty)
    }

    @Test func messagesOfOtherPartsAreLeftOut() {
        #expect(KernelLog.lines(["usb 1-1: device descriptor read failed", "eth0: tx timeout", "ohci0x"]).isEmpty)
    }

    @Test func messagesAreCounted() {
        let lines =
            Array(repeating: "Bluetooth: hci0: command 0x2005 tx timeout", count: 3) + [
                "Bluetooth: hci10: command 0x2005 tx timeout", "Bluetooth: hci0: Opcode 0x2005 failed: -16",
            ]
        let found = KernelLog.found(in: lines, of: "hci0")
        #expect(found.map(\.count) == [3, 1])
        #expect(KernelLog.reportsClone("hci1", in: ["Bluetooth: hci1: CSR: Unbranded CSR clone detected"]))
        #expect(!KernelLog.reportsClone("hci0", in: ["Bluetooth: hci1: CSR: Unbranded CSR clone detected"]))
    }

    @Test func recordsOfTheLogAreParsed() {
        #expect(
            KernelLog.message(of: "6,339,5140900,-;Bluetooth: hci0: BCM4345C0\n SUBSYSTEM=bluetooth\n")
                == "Bluetooth: hci0: BCM4345C0")
        #expect(KernelLog.message(of: "no record") == nil)
        #expect(KernelLog.message(of: "6,339,5140900,-;") == nil)
    }
}
