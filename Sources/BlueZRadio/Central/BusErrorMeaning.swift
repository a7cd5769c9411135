// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Radio

// What the errors of bluetoothd, the bus and the kernel mean to the users of a link.

extension RemoteError {
    /// The meaning of an error that bluetoothd or the bus replied to an operation with attributes.
    ///
    /// bluetoothd has names for some ATT errors, one name for three of them, and messages for the others.
    init(_ error: DBusError) {
        switch error.kind {
        case .remote: self = Self.remote(error)
        case .notConnected, .connectionFailed: self = .disconnected("the connection to the message bus is gone")
        case .timeout: self = .impossible("bluetoothd did not reply in time")
        case .cancelled: self = .impossible("the call was cancelled")
        default: self = .impossible("\(error)")
        }
    }

    private static func remote(_ error: DBusError) -> RemoteError {
        if error.isDaemonGone { return .disconnected("bluetoothd is gone") }
        if error.isStandard("UnknownObject") || error.isStandard("UnknownMethod") {
            return .impossible("bluetoothd has removed the attribute")
        }
        guard error.name.hasPrefix(DBusError.blueZPrefix) else { return .impossible("bluetoothd replied: \(error)") }
        switch error.name.dropFirst(DBusError.blueZPrefix.count) {
        case "NotConnected": return .disconnected("bluetoothd reports that it is not connected")
        case "NotAuthorized": return .refused(.insufficientAuthorization)
        case "NotSupported": return .refused(.requestNotSupported)
        case "InvalidOffset": return .refused(.invalidOffset)
        case "InvalidValueLength": return .refused(.invalidAttributeValueLength)
        default: return meaning(ofMessage: error)
        }
    }

    private static func meaning(ofMessage error: DBusError) -> RemoteError {
        switch error.message {
        case "Read not permitted": return .refused(.readNotPermitted)
        case "Write not permitted": return .refused(.writeNotPermitted)
        // Insufficient encryption and a key that is too short have the same message.
        case "Not paired": return .refused(.insufficientAuthentication)
        case "Invalid offset": return .refused(.invalidOffset)
        case "Invalid Length": return .refused(.invalidAttributeValueLength)
        case "Not connected", "No ATT transport": return .disconnected("bluetoothd reports that it is not connected")
        default: return code(in: error.message).map { .refused($0) } ?? .impossible("bluetoothd replied: \(error)")
        }
    }

    /// The number in "Operation failed with ATT error: 0x0e" or "Operation failed (0x0e)".
    private static func code(in message: String) -> ATTError? {
        guard let start = message.range(ofLast: "0x") else { return nil }
        let digits = message[start...].prefix { $0.isHexDigit }
        return UInt8(digits, radix: 16).flatMap { $0 == 0 ? nil : ATTError(rawValue: $0) }
    }
}

extension PairingError {
    /// The meaning of an error that bluetoothd replied to Pair.
    init(_ error: DBusError) {
        let names: [(String, Code)] = [
            ("AuthenticationCanceled", .cancelled), ("AuthenticationRejected", .unspecified),
            ("AuthenticationTimeout", .timedOut), ("AuthenticationFailed", .unspecified),
            ("ConnectionAttemptFailed", .disconnected), ("InProgress", .busy), ("NotConnected", .disconnected),
        ]
        let code = names.first { error.isBlueZ($0.0) }?.1
        switch code {
        case .unspecified:
            self.init(.unspecified, "the pairing failed: bluetoothd gives no reason but \(error.message)")
        case .some(let code): self.init(code)
        case nil where error.kind == .timeout: self.init(.timedOut)
        case nil where error.kind == .cancelled: self.init(.cancelled)
        case nil where error.isDaemonGone: self.init(.disconnected, "bluetoothd is gone")
        case nil: self.init(.unspecified, "bluetoothd replied: \(error)")
        }
    }

    /// The meaning of the status in the kernel's Authentication Failed event (mgmt-api, "Error Codes").
    init(managementStatus status: UInt8) {
        switch status {
        case 0x05: self.init(.unspecified, "the pairing failed, and the kernel gives no reason")
        case 0x08: self.init(.timedOut)
        case 0x0A: self.init(.busy)
        case 0x0B: self.init(.unspecified, "the peer or the user declined")
        case 0x0C: self.init(.notSupported)
        case 0x0E: self.init(.disconnected)
        case 0x10: self.init(.cancelled)
        default: self.init(.unspecified, "the pairing failed with the kernel's status \(status)")
        }
    }
}

extension String {
    /// The index after the last occurrence of a text.
    fileprivate func range(ofLast text: String) -> String.Index? {
        var start = endIndex
        while start > startIndex {
            start = index(before: start)
            if self[start...].hasPrefix(text) { return index(start, offsetBy: text.count) }
        }
        return nil
    }
}
