// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus
import Testing

/// libdbus ends the process over each of these values, so a failure here also ends the other tests.
@Suite struct InvalidMessageTests {
    private func refusal(_ message: DBusMessage) -> DBusError.Kind? {
        var message = message
        message.serial = 1
        return #expect(throws: DBusError.self) { try message.serialize() }?.kind
    }

    private func refusal(_ value: DBusValue) -> DBusError.Kind? {
        refusal(.methodReturn(to: 1, destination: nil, body: [value]))
    }

    private static func nested(_ levels: Int, _ wrap: (DBusValue) -> DBusValue) -> DBusValue {
        (0..<levels).reduce(DBusValue.byte(1)) { value, _ in wrap(value) }
    }

    private static func nestedArrays(_ levels: Int) -> DBusValue {
        (0..<levels).reduce(DBusValue.int16(1)) { value, _ in
            // There is no signature for deeper nesting.
            let element = String(value.signature.prefix(32))
            do { return .array(try DBusSignature(element), [value]) } catch { return .array("n", [value]) }
        }
    }

    @Test(arguments: [
        DBusValue.string("a\0b"), .string("\0"), .array("s", ["a\0"]), .variant("a\0"),
        .dictionary("s", "v", [DBusDictionaryEntry("a\0", .variant("a"))]),
        .structure([]), .variant(.structure([])),
        .array("s", [.byte(1)]), .array("", []), .array("ss", []), .array("ss", ["a"]),
        .dictionary("v", "s", []), .dictionary("s", "", []), .dictionary("s", "ss", []), .dictionary("as", "s", []),
        .dictionary("s", "v", [DBusDictionaryEntry("a", "not a variant")]),
        .dictionary("s", "v", [DBusDictionaryEntry(.byte(1), .variant("a"))]),
        .unixFileDescriptor(DBusFileDescriptor(owning: -1)),
    ])
    func valueIsRefused(_ value: DBusValue) {
        #expect(refusal(value) == .invalidArgument)
    }

    @Test func deepestNestingIsAccepted() throws {
        for value in [
            Self.nested(32) { .structure([$0]) }, Self.nested(64) { .variant($0) }, Self.nestedArrays(32),
            .array(try DBusSignature(Self.nestedArrays(31).signature), []),
        ] {
            var message = DBusMessage.methodReturn(to: 1, destination: nil, body: [value])
            message.serial = 1
            #expect(try DBusMessage(parsing: message.serialize()) == message)
        }
    }

    @Test func deeperNestingIsRefused() {
        #expect(refusal(Self.nested(33) { .structure([$0]) }) == .invalidArgument)
        #expect(refusal(Self.nested(1000) { .structure([$0]) }) == .invalidArgument)
        #expect(refusal(.variant(Self.nested(1000) { .structure([$0]) })) == .invalidArgument)
        #expect(refusal(Self.nested(65) { .variant($0) }) == .invalidArgument)
        #expect(refusal(Self.nested(1000) { .variant($0) }) == .invalidArgument)
        #expect(refusal(Self.nestedArrays(33)) == .invalidArgument)
        #expect(refusal(Self.nested(40) { .variant(.structure([$0])) }) == .invalidArgument)
    }

    @Test func longSignatureIsRefused() {
        let long = DBusMessage.methodReturn(
            to: 1, destination: nil, body: Array(repeating: .byte(1), count: 256))
        #expect(refusal(long) == .invalidArgument)
        #expect(refusal(.variant(.structure(Array(repeating: .byte(1), count: 254)))) == .invalidArgument)
    }

    @Test func largeMessageIsRefused() {
        let bytes = [UInt8](repeating: 1, count: 64 << 20)
        #expect(refusal(.bytes(bytes + [1])) == .limitExceeded)
        #expect(refusal(.array("ay", [.bytes(bytes)])) == .limitExceeded)
        #expect(refusal(.structure([.bytes(bytes), .bytes(bytes)])) == .limitExceeded)
    }

    @Test func longestArrayIsAccepted() throws {
        var message = DBusMessage.methodReturn(
            to: 1, destination: nil, body: [.bytes([UInt8](repeating: 1, count: 64 << 20))])
        message.serial = 1
        #expect(try message.serialize().count > 64 << 20)
    }

    @Test(arguments: ["", "a", ".a.b", "a..b", "a.b.", "a.1b", "a.ä", "a.b\0", "a.b c", "a-b.c"])
    func interfaceNameIsRefused(_ name: String) {
        let path: ObjectPath = "/"
        #expect(refusal(.signal(path: path, interface: name, member: "A")) == .invalidArgument)
        #expect(
            refusal(.methodCall(destination: nil, path: path, interface: name, member: "A")) == .invalidArgument)
    }

    @Test(arguments: ["", "1a", "a.b", "a-b", "ä", "a\0", String(repeating: "a", count: 256)])
    func memberNameIsRefused(_ name: String) {
        #expect(refusal(.signal(path: "/", interface: "a.b", member: name)) == .invalidArgument)
    }

    @Test(arguments: ["", "a", "a.", ".a", "a b.c", "a.b\0", "a.ä"])
    func busNameIsRefused(_ name: String) {
        #expect(refusal(.methodReturn(to: 1, destination: name)) == .invalidArgument)
        var message = DBusMessage.methodReturn(to: 1, destination: nil)
        message.sender = name
        #expect(refusal(message) == .invalidArgument)
    }

    @Test func invalidErrorIsReplacedByAValidOne() throws {
        for name in ["", "a", "a b", "a.b\0", "ä.ö"] {
            var message = DBusMessage.error(DBusError(name: name, message: "a\0b"), to: 1, destination: nil)
            message.serial = 1
            let error = try DBusMessage(parsing: message.serialize()).error
            #expect(error == .failed("a b"))
        }
        var message = DBusMessage.error(.failed(""), to: 1, destination: nil)
        message.errorName = "bad name"
        #expect(refusal(message) == .invalidArgument)
    }

    @Test func headerFieldsAreRequired() {
        var call = DBusMessage.methodCall(destination: nil, path: "/", interface: nil, member: "A")
        call.member = nil
        #expect(refusal(call) == .invalidArgument)
        var signal = DBusMessage.signal(path: "/", interface: "a.b", member: "A")
        signal.path = nil
        #expect(refusal(signal) == .invalidArgument)
        #expect(refusal(.methodReturn(to: 0, destination: nil)) == .invalidArgument)
        #expect(throws: DBusError.self) { try DBusMessage.methodReturn(to: 1, destination: nil).serialize() }
    }

    @Test func reservedNamesAreRefused() {
        let local = "org.freedesktop.DBus.Local"
        #expect(refusal(.signal(path: "/", interface: local, member: "Disconnected")) == .invalidArgument)
        let path: ObjectPath = "/org/freedesktop/DBus/Local"
        #expect(refusal(.signal(path: path, interface: "a.b", member: "A")) == .invalidArgument)
    }
}
