// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Radio
import Testing

@testable import BlueZRadio

@Suite struct RemoteErrorTests {
    @Test(arguments: [
        ("NotPermitted", "Read not permitted", ATTError.readNotPermitted),
        ("NotPermitted", "Write not permitted", .writeNotPermitted),
        ("NotPermitted", "Not paired", .insufficientAuthentication),
        ("NotAuthorized", "Operation Not Authorized", .insufficientAuthorization),
        ("NotSupported", "Operation is not supported", .requestNotSupported),
        ("InvalidArguments", "Invalid offset", .invalidOffset),
        ("InvalidArguments", "Invalid Length", .invalidAttributeValueLength),
        ("InvalidOffset", "", .invalidOffset),
        ("InvalidValueLength", "", .invalidAttributeValueLength),
        ("Failed", "Operation failed with ATT error: 0x0e", .unlikely),
        ("Failed", "Operation failed with ATT error: 0x80", ATTError(rawValue: 0x80)),
        ("Failed", "Operation failed with ATT error: 0xff", ATTError(rawValue: 0xFF)),
        ("Failed", "Operation failed (0x80)", ATTError(rawValue: 0x80)),
    ])
    func refusalOfTheDeviceIsATTError(_ name: String, _ message: String, error: ATTError) {
        #expect(RemoteError(DBusError(name: "org.bluez.Error.\(name)", message: message)) == .refused(error))
    }

    @Test(arguments: [
        DBusError(name: "org.bluez.Error.Failed", message: "Not connected"),
        DBusError(name: "org.bluez.Error.Failed", message: "No ATT transport"),
        DBusError(name: "org.bluez.Error.NotConnected", message: "Not Connected"),
        DBusError(name: "org.freedesktop.DBus.Error.ServiceUnknown", message: "no such name"),
        DBusError(name: "org.freedesktop.DBus.Error.NameHasNoOwner", message: "no such name"),
        DBusError(name: "org.freedesktop.DBus.Error.NoReply", message: "disconnected without replying"),
        .notConnected(),
    ])
    func endOfTheConnectionIsDisconnection(_ error: DBusError) {
        guard case .disconnected(let reason) = RemoteError(error) else {
            Issue.record("\(error) is \(RemoteError(error))")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test(arguments: [
        DBusError(name: "org.bluez.Error.Failed", message: "Operation failed"),
        DBusError(name: "org.bluez.Error.Failed", message: "0x"),
        DBusError(name: "org.bluez.Error.Failed", message: "Operation failed with ATT error: 0x00"),
        DBusError(name: "org.bluez.Error.Failed", message: "Operation failed with ATT error: 0x100"),
        DBusError(name: "org.bluez.Error.NotPermitted", message: "Notify acquired"),
        DBusError(name: "org.bluez.Error.InProgress", message: "In Progress"),
        DBusError(name: "org.freedesktop.DBus.Error.AccessDenied", message: "0x80"),
        DBusError(name: "org.freedesktop.DBus.Error.UnknownObject", message: ""),
        DBusError(name: "com.example.Other", message: "Operation failed with ATT error: 0x0e"),
        .timeout("nothing came"), .cancelled(), .malformed("rubbish"),
    ])
    func otherErrorIsImpossible(_ error: DBusError) {
        guard case .impossible(let reason) = RemoteError(error) else {
            Issue.record("\(error) is \(RemoteError(error))")
            return
        }
        #expect(!reason.isEmpty)
    }
}
