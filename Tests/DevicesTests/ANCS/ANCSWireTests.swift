// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import TestSupport
import Testing

@Suite struct ANCSWireTests {
    private static let content = ANCSResponse.notificationAttributes(
        1,
        [
            ANCSAttribute(0, value: Array("com.apple.mobilephone".utf8)),
            ANCSAttribute(1, value: Array("Davidson Ro".utf8)), ANCSAttribute(3, value: Array("Incoming Call".utf8)),
            ANCSAttribute(5, value: Array("20140512T093015".utf8)),
        ])

    @Test func incomingCallIsEightBytes() throws {
        let event = ANCSNotificationEvent(
            .added, notification: 1, category: .incomingCall, flags: [.positiveAction, .negativeAction])
        #expect(try checkWire(ANCSNotificationEvent.self, bytes: Hexadecimal.bytes("0018010101000000")) == event)
        #expect(event.serialized().count == ANCSNotificationEvent.size)
    }

    @Test func reservedValuesSurvive() throws {
        let event = try checkWire(ANCSNotificationEvent.self, bytes: Hexadecimal.bytes("ffffffffffffffff"))
        #expect(event.category.name == nil)
        #expect(event.category.display == "CATEGORY 255")
        #expect(event.notification == .max)
    }

    @Test(arguments: [
        (
            "000100000000010b0003400005",
            ANCSCommand.notificationAttributes(
                1,
                [
                    ANCSAttributeRequest(.appIdentifier), ANCSAttributeRequest(.title, maximumLength: 11),
                    ANCSAttributeRequest(.message, maximumLength: 64), ANCSAttributeRequest(.date),
                ])
        ),
        ("01636f6d2e6170706c652e4d6f62696c65534d530000", ANCSCommand.appAttributes("com.apple.MobileSMS", [0])),
        ("020100000000", ANCSCommand.performAction(1, .positive)),
        ("02ffffffff01", ANCSCommand.performAction(.max, .negative)),
        ("7f0102", ANCSCommand.unknown(0x7F, [1, 2])), ("0000000000", ANCSCommand.notificationAttributes(0, [])),
        ("0100", ANCSCommand.appAttributes("", [])),
    ])
    func commandsSurviveTheRoundTrip(_ text: String, _ command: ANCSCommand) throws {
        #expect(try checkWire(ANCSCommand.self, bytes: Hexadecimal.bytes(text)) == command)
    }

    @Test(arguments: [
        ("", "byte 0: 1 more byte expected, 0 left"), ("00010000", "byte 1: 4 more bytes expected, 3 left"),
        ("000100000001", "byte 6: 2 more bytes expected, 0 left"),
        ("000100000003ff", "byte 6: 2 more bytes expected, 1 left"),
        ("01636f6d", "byte 4: 1 more byte expected, 0 left"),
        ("01ff0000", "byte 1: the value of app identifier is not allowed"),
        ("0201000000", "byte 5: 1 more byte expected, 0 left"), ("02010000000000", "byte 6: 1 byte too many"),
    ])
    func malformedCommandsAreRefused(_ text: String, _ error: String) throws {
        let bytes = try Hexadecimal.bytes(text)
        #expect { try ANCSCommand(parsing: bytes) } throws: { "\($0)" == error }
    }

    @Test func responseIsFragmented() throws {
        let bytes = Self.content.serialized()
        let golden =
            "0001000000" + "001500" + "636f6d2e6170706c652e6d6f62696c6570686f6e65" + "010b00"
            + "44617669" + "64736f6e20526f" + "030d00" + "496e636f6d696e672043616c6c" + "050f00"
            + "3230313430353132543039333031" + "35"
        #expect(Hexadecimal.string(bytes) == golden)
        #expect(Self.content.fragments(ofAtMost: 20).map(\.count) == [20, 20, 20, 17])
        #expect(Self.content.fragments(ofAtMost: 182) == [bytes])
        #expect(Self.content.fragments(ofAtMost: 0).count == 77)
        #expect(try checkWire(ANCSResponse.self, bytes: bytes) == Self.content)
    }

    @Test func appResponseSurvivesTheRoundTrip() throws {
        let response = ANCSResponse.appAttributes(
            "com.apple.MobileSMS", [ANCSAttribute(0, value: Array("Messages".utf8))])
        let bytes = try Hexadecimal.bytes("01636f6d2e6170706c652e4d6f62696c65534d53000008004d65737361676573")
        #expect(try checkWire(ANCSResponse.self, bytes: bytes) == response)
    }

    @Test func textReplacesInvalidUTF8AndValuesAreTruncated() {
        #expect(ANCSAttribute(1, value: Array("Z\u{FC}rich".utf8)).text == "Z\u{FC}rich")
        #expect(ANCSAttribute(1, value: [0x41, 0xFF]).text == "A\u{FFFD}")
        #expect(ANCSAttribute(1, value: Array(repeating: 0, count: 70_000)).value.count == 65_535)
    }

    @Test func randomBytesDoNotTrap() throws {
        let command = try Hexadecimal.bytes("000100000000010b0003400005")
        try fuzzWire(ANCSNotificationEvent.self, samples: [Hexadecimal.bytes("0018010101000000")])
        try fuzzWire(ANCSCommand.self, samples: [command, Hexadecimal.bytes("0161620000"), [2, 1, 0, 0, 0, 0]])
        try fuzzWire(ANCSResponse.self, samples: [Self.content.serialized()])
        try fuzzWire(ANCSAttribute.self, samples: [[0, 2, 0, 0x41, 0x42]])
    }

    @Test func categoriesHaveNamesAndDisplayWords() {
        #expect(ANCSCategory(name: "incoming-call") == .incomingCall)
        #expect(ANCSCategory(name: "doorbell") == nil)
        #expect(ANCSCategory.names.count == 12)
        let displays = [ANCSCategory.incomingCall, .missedCall, .voicemail].map(\.display)
        #expect(displays == ["CALL", "MISSED", "VMAIL"])
    }
}
