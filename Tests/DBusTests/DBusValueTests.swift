// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus
import Testing

@Suite struct DBusValueTests {
    private func roundTrip(_ body: [DBusValue]) throws -> [DBusValue] {
        var message = DBusMessage.methodReturn(to: 1, destination: nil, body: body)
        message.serial = 2
        return try DBusMessage(parsing: message.serialize()).body
    }

    @Test(arguments: Samples.values)
    func roundTrips(_ value: DBusValue) throws {
        #expect(try roundTrip([value]) == [value])
        #expect(try roundTrip([.variant(value)]) == [.variant(value)])
        let unaligned: [DBusValue] = [.byte(1), .structure([.byte(2), value])]
        #expect(try roundTrip(unaligned) == unaligned)
    }

    @Test(arguments: [
        (DBusValue.byte(1), "y"), (.boolean(true), "b"), (.int16(1), "n"), (.uint16(1), "q"), (.int32(1), "i"),
        (.uint32(1), "u"), (.int64(1), "x"), (.uint64(1), "t"), (.double(1), "d"), (.string(""), "s"),
        (.objectPath("/"), "o"), (.signature(""), "g"), (.bytes([]), "ay"), (.array("(ys)", []), "a(ys)"),
        (.structure([.byte(1), .structure(["a"])]), "(y(s))"), (.variants([:]), "a{sv}"), (.variant(.byte(1)), "v"),
    ])
    func hasSignature(_ value: DBusValue, _ signature: String) {
        #expect(value.signature == signature)
    }

    @Test func byteArrayIsParsedAsBytes() throws {
        #expect(try roundTrip([.array("y", [.byte(1), .byte(2)])]) == [.bytes([1, 2])])
    }

    @Test func accessorReturnsOnlyItsType() {
        #expect(DBusValue.string("a").stringValue == "a")
        #expect(DBusValue.objectPath("/a").stringValue == nil)
        #expect(DBusValue.boolean(true).boolValue == true)
        #expect(DBusValue.byte(1).boolValue == nil)
        #expect(DBusValue.bytes([1]).bytesValue == [1])
        #expect(DBusValue.bytes([1]).arrayValue == [.byte(1)])
        #expect(DBusValue.uint16(1).uint16Value == 1)
        #expect(DBusValue.uint16(1).int16Value == nil)
        #expect(DBusValue.variant(.uint16(1)).uint16Value == nil)
        #expect(DBusValue.variant(.variant(.uint16(1))).unwrapped.uint16Value == 1)
        #expect(DBusValue.strings(["a", "b"]).stringsValue == ["a", "b"])
        #expect(DBusValue.objectPaths(["/a"]).stringsValue == nil)
    }

    @Test func dictionaryUnwrapsItsVariants() {
        let managed = DBusValue.dictionary(
            "o", "a{sv}", [DBusDictionaryEntry(.objectPath("/a"), .variants(["Powered": true]))])
        #expect(managed.dictionaryValue?["/a"]?.dictionaryValue?["Powered"]?.boolValue == true)
        #expect(DBusValue.dictionary("q", "v", [DBusDictionaryEntry(.uint16(1), .variant("a"))]).dictionaryValue == nil)
        #expect(DBusValue.string("a").dictionaryValue == nil)
    }
}
