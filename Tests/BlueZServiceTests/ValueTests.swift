// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Radio
import Testing

@testable import BlueZService
@testable import DBus

@Suite struct BlueZErrorTests {
    /// bluez 5.66 src/gatt-client.c, `create_gatt_dbus_error`.
    @Test(
        arguments: [
            (0x02, "NotPermitted", "Read not permitted"), (0x03, "NotPermitted", "Write not permitted"),
            (0x05, "NotPermitted", "Not paired"), (0x0C, "NotPermitted", "Not paired"),
            (0x0F, "NotPermitted", "Not paired"), (0x07, "InvalidArguments", "Invalid offset"),
            (0x0D, "InvalidArguments", "Invalid Length"), (0x08, "NotAuthorized", "Operation Not Authorized"),
            (0x06, "NotSupported", "Operation is not supported"),
            (0x80, "Failed", "Operation failed with ATT error: 0x80"),
            (0x0E, "Failed", "Operation failed with ATT error: 0x0e"),
        ] as [(UInt8, String, String)])
    func attributeErrorHasTheTextOfBlueZ(_ code: UInt8, _ name: String, _ message: String) {
        let error = BlueZError.remote(.refused(ATTError(rawValue: code)))
        #expect(error == DBusError(name: "org.bluez.Error.\(name)", message: message))
    }

    @Test func endOfTheLinkIsNotConnected() {
        #expect(BlueZError.remote(.disconnected("gone")) == BlueZError.failed("Not connected"))
    }

    @Test(arguments: [
        (PairingError.Code.cancelled, "AuthenticationCanceled"), (.comparisonFailed, "AuthenticationFailed"),
        (.timedOut, "AuthenticationTimeout"), (.wrongPasskey, "AuthenticationFailed"),
        (.disconnected, "AuthenticationCanceled"),
    ])
    func pairingErrorHasTheNameOfBlueZ(_ code: PairingError.Code, _ name: String) {
        #expect(BlueZError.pairing(code).name == "org.bluez.Error.\(name)")
    }

    @Test(
        arguments: [
            (0x08, "Timeout"), (0x16, "Local"), (0x13, "Remote"), (0x05, "Authentication"), (nil, "Unknown"),
        ] as [(UInt8?, String)])
    func endHasAReason(_ code: UInt8?, _ name: String) {
        #expect(DisconnectionReport(code).name == "org.bluez.Reason.\(name)")
    }
}

@Suite struct ProductIdentifierTests {
    @Test(
        arguments: [
            ([1, 0x0F, 0x00, 0x01, 0x02, 0x10, 0xA0], "bluetooth:v000Fp0201dA010"),
            ([2, 0x6B, 0x1D, 0x46, 0x02, 0x42, 0x05], "usb:v1D6Bp0246d0542"),
            ([0, 0x6B, 0x1D, 0x46, 0x02, 0x42, 0x05], nil), ([3, 0, 0, 0, 0, 0, 0], nil), ([2, 0x6B], nil), ([], nil),
        ] as [([UInt8], String?)])
    func modaliasIsThatOfTheVendor(_ value: [UInt8], _ modalias: String?) {
        #expect(ProductIdentifier(value)?.modalias == modalias)
    }
}

@Suite struct WriteProcedureTests {
    @Test(
        arguments: [
            ([:], ["write", "write-without-response"], WriteProcedure.request),
            ([:], ["write-without-response"], .command), ([:], ["write", "reliable-write"], .reliable),
            (["type": DBusValue.string("command")], ["write"], .command), (["type": "Reliable"], ["write"], .reliable),
            (["type": "request", "offset": .uint16(3)], [], .request),
        ] as [([String: DBusValue], [String], WriteProcedure)])
    func flagsAndTypeSelect(_ options: [String: DBusValue], _ flags: [String], _ procedure: WriteProcedure) throws {
        #expect(try WriteProcedure(ValueOptions(.variants(options)), flags: flags) == procedure)
    }

    @Test func nothingToWriteWithIsNotSupported() {
        #expect(throws: BlueZError.notSupported) { _ = try WriteProcedure(ValueOptions(nil), flags: ["read"]) }
        #expect(throws: BlueZError.notSupported) {
            _ = try WriteProcedure(ValueOptions(.variants(["type": "signed"])), flags: ["write"])
        }
    }

    @Test func commandHasNoOffset() {
        #expect(throws: BlueZError.failed("Failed to initiate write")) {
            _ = try WriteProcedure(
                ValueOptions(.variants(["type": "command", "offset": .uint16(1)])), flags: ["write"])
        }
    }

    @Test(arguments: [["offset": DBusValue.int32(3)], ["type": .byte(1)], ["OFFSET": "3"]])
    func optionOfAWrongTypeIsRefused(_ options: [String: DBusValue]) {
        #expect(throws: BlueZError.invalidArguments()) { _ = try ValueOptions(.variants(options)) }
    }
}

@Suite struct NotifySessionsTests {
    @Test func sessionIsActiveAfterTheDevicesResponse() throws {
        var sessions = NotifySessions()
        #expect(try sessions.start("a") == .subscribe)
        #expect(throws: BlueZError.inProgress()) { _ = try sessions.start("a") }
        #expect(sessions.isWanted && !sessions.isNotifying)
        sessions.finishStart("a", isSubscribed: true)
        #expect(try sessions.start("a") == .isActive)
        #expect(sessions.isNotifying)
        try sessions.stop("a")
        #expect(!sessions.isWanted)
        #expect(throws: BlueZError.failed("No notify session started")) { try sessions.stop("a") }
    }

    @Test func refusedSessionDoesNotExist() throws {
        var sessions = NotifySessions()
        _ = try sessions.start("a")
        sessions.finishStart("a", isSubscribed: false)
        #expect(!sessions.isWanted)
    }

    @Test func socketAndSessionsExcludeEachOther() throws {
        var sessions = NotifySessions()
        try sessions.acquire("a")
        #expect(throws: BlueZError.notPermitted("Notify acquired")) { try sessions.acquire("b") }
        #expect(throws: BlueZError.notPermitted("Notify acquired")) { _ = try sessions.start("b") }
        sessions.releaseSocket()
        _ = try sessions.start("b")
        #expect(throws: BlueZError.inProgress()) { try sessions.acquire("a") }
    }

    @Test func callerThatVanishesDuringItsRequestHasNoSession() throws {
        var sessions = NotifySessions()
        _ = try sessions.start("a")
        let hadSession = sessions.remove("a")
        #expect(hadSession)
        sessions.finishStart("a", isSubscribed: true)
        #expect(!sessions.isWanted)
    }
}

@Suite struct MonitorTests {
    private static let flags = DBusValue.array(
        "(yyay)", [.structure([.byte(0), .byte(1), .bytes([6])])])
    private static func thresholds(_ high: Int16, _ low: Int16) -> MonitorRules.Thresholds {
        MonitorRules.Thresholds(high: high, low: low, highTime: .seconds(2), lowTime: .seconds(5))
    }

    @Test func patternComparesBytesOfAStructure() throws {
        let pattern = DBusValue.array("(yyay)", [.structure([.byte(2), .byte(0xFF), .bytes([2, 0x15])])])
        let rules = try #require(MonitorRules(["Type": "or_patterns", "Patterns": pattern]))
        #expect(rules.matches([.manufacturerSpecific(CompanyIdentifier(0x4C), [2, 0x15, 1])]))
        #expect(!rules.matches([.manufacturerSpecific(CompanyIdentifier(0x4C), [2])]))
        #expect(!rules.matches([.unknown(type: 0x26, data: [0x4C, 0, 2, 0x15])]))
    }

    @Test(
        arguments: [
            [:], ["Type": "or_patterns"], ["Type": "and_patterns", "Patterns": flags],
            ["Type": "or_patterns", "Patterns": .array("(yyay)", [])],
            ["Type": "or_patterns", "Patterns": .array("(yyay)", [.structure([.byte(31), .byte(1), .bytes([1])])])],
            ["Type": "or_patterns", "Patterns": flags, "RSSIHighThreshold": .int16(21)],
            [
                "Type": "or_patterns", "Patterns": flags, "RSSIHighThreshold": .int16(-70),
                "RSSILowThreshold": .int16(-60),
            ],
            ["Type": "or_patterns", "Patterns": flags, "RSSILowTimeout": .uint16(0)],
            ["Type": "or_patterns", "Patterns": flags, "RSSIHighThreshold": "near"],
        ] as [[String: DBusValue]])
    func invalidMonitorIsRefused(_ properties: [String: DBusValue]) {
        #expect(MonitorRules(properties) == nil)
    }

    @Test func deviceIsFoundOnceWithoutThresholds() {
        var device = MonitoredDevice()
        #expect(device.receive(rssi: nil, nil, at: .now) == .found)
        #expect(device.receive(rssi: nil, nil, at: .now) == nil)
    }

    @Test func deviceIsFoundAndLostByItsRSSI() {
        let thresholds = Self.thresholds(-60, -80)
        let begin = ContinuousClock.now
        var device = MonitoredDevice()
        let reports: [(Int, Int16, MonitoredDevice.Change?)] = [
            (0, -50, nil), (1, -50, nil), (2, -50, .found), (3, -70, nil), (4, -90, nil), (8, -90, nil),
            (9, -90, .lost),
            (10, -70, nil), (11, -50, nil), (12, -70, nil), (13, -50, nil), (14, -50, nil), (15, -50, .found),
        ]
        for (seconds, rssi, change) in reports {
            #expect(device.receive(rssi: rssi, thresholds, at: begin + .seconds(seconds)) == change, "\(seconds) s")
        }
        for (seconds, isLost) in [(19, false), (20, true)] {
            let hasExpired = device.expire(thresholds, at: begin + .seconds(seconds))
            #expect(hasExpired == isLost)
        }
        #expect(!device.isFound)
    }
}
