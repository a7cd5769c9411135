// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import TestSupport

extension FuzzTarget {
    /// D-Bus messages: a parsed message serializes to an equal one.
    static let dbus = FuzzTarget(name: "dbus") { generator in
        switch Int.random(in: 0...7, using: &generator) {
        case 0: Mutation.noise(128, &generator)
        case 1: bytes(of: message(body: (0..<3).map { _ in value(depth: 4, &generator) }))
        default: Mutation.damaged(samples, &generator)
        }
    } parse: { bytes in
        do throws(DBusError) {
            let message = try DBusMessage(parsing: bytes)
            // Some messages can be read but not written: those of the reserved interface, for example.
            guard let written = try? message.serialize() else { return .parsed }
            guard try DBusMessage(parsing: written).serialize() == written else {
                FuzzReport.fail("message \(Hexadecimal.string(bytes)) does not serialize to an equal one")
            }
            return .parsed
        } catch {
            return .refused
        }
    }

    private static func bytes(of message: DBusMessage) -> [UInt8] { (try? message.serialize()) ?? [] }

    private static func message(body: [DBusValue]) -> DBusMessage {
        var message = DBusMessage.signal(
            path: "/org/bluez/hci0", interface: "org.bluez.Test", member: "Happened", body: body)
        message.serial = 1
        return message
    }

    /// A random value, nested up to `depth` levels.
    private static func value(depth: Int, _ generator: inout SplitMix64) -> DBusValue {
        let number = UInt64.random(in: 0...UInt64.max, using: &generator)
        switch Int.random(in: 0...(depth > 0 ? 14 : 9), using: &generator) {
        case 0: return .byte(UInt8(truncatingIfNeeded: number))
        case 1: return .boolean(number & 1 == 0)
        case 2: return .int16(Int16(truncatingIfNeeded: number))
        case 3: return .uint32(UInt32(truncatingIfNeeded: number))
        case 4: return .int64(Int64(bitPattern: number))
        case 5: return .double(Double(bitPattern: number))
        case 6: return .string(String(number, radix: 36))
        case 7: return .objectPath("/org/bluez")
        case 8: return .signature("a{sv}")
        case 9: return .bytes(Mutation.noise(16, &generator))
        case 10: return .variant(value(depth: depth - 1, &generator))
        case 11: return .structure([value(depth: depth - 1, &generator), value(depth: depth - 1, &generator)])
        case 12: return .strings(["a", String(number)])
        case 13: return .array("v", [.variant(value(depth: depth - 1, &generator))])
        default: return .variants(["key": value(depth: depth - 1, &generator), "other": .byte(0)])
        }
    }

    private static let samples: [[UInt8]] = {
        var messages: [DBusMessage] = [
            .methodCall(
                destination: "org.bluez", path: "/org/bluez/hci0", interface: "org.bluez.LEAdvertisingManager1",
                member: "RegisterAdvertisement", body: [.objectPath("/beacon"), .variants([:])]),
            .methodReturn(
                to: 7, destination: ":1.5",
                body: [
                    .byte(255), .boolean(true), .int16(.min), .uint64(.max), .double(-0.5), "Grüße",
                    .signature("a{sv}"), .bytes([0, 255]), .strings(["a", ""]),
                    .variant(.variant(.array("n", [.int16(-1)]))),
                    .structure([.byte(1), .structure([.uint64(2)])]), .dictionary("o", "a{sa{sv}}", []),
                ]),
            .error(DBusError(name: "org.bluez.Error.Failed", message: "no"), to: 8, destination: ":1.5"),
            .signal(
                path: "/", interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
                body: [
                    "org.bluez.Device1",
                    .variants([
                        "RSSI": .int16(-60),
                        "ManufacturerData": .dictionary(
                            "q", "v", [DBusDictionaryEntry(.uint16(76), .variant(.bytes([2, 21])))]),
                    ]), .strings([]),
                ]),
        ]
        for index in messages.indices { messages[index].serial = UInt32(index + 1) }
        return messages.map(bytes)
    }()
}
