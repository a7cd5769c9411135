// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Radio

extension RemoteError {
    /// What an error means that bluetoothd, or the bus, replied to something with attributes.
    ///
    /// bluetoothd has names for some ATT errors, one for three of them, and words for the others.
    init(_ error: DBusError) {
        switch error.kind {
        case .remote: self = Self.remote(error)
        case .notConnected, .connectionFailed: self = .disconnected("the connection to the message bus is gone")
        case .timeout: self = .impossible("bluetoothd did not answer in time")
        case .cancelled: self = .impossible("it was cancelled")
        default: self = .impossible("\(error)")
        }
    }

    private static func remote(_ error: DBusError) -> RemoteError {
        if error.isDaemonGone { return .disconnected("bluetoothd is gone") }
        if error.isStandard("UnknownObject") || error.isStandard("UnknownMethod") {
            return .impossible("bluetoothd does not know the attribute any more")
        }
        guard error.name.hasPrefix(DBusError.daemonPrefix) else { return .impossible("bluetoothd said: \(error)") }
        switch error.name.dropFirst(DBusError.daemonPrefix.count) {
        case "NotConnected": return .disconnected("bluetoothd says that it is not connected")
        case "NotAuthorized": return .refused(.insufficientAuthorization)
        case "NotSupported": return .refused(.requestNotSupported)
        case "InvalidOffset": return .refused(.invalidOffset)
        case "InvalidValueLength": return .refused(.invalidAttributeValueLength)
        default: return words(error)
        }
    }

    private static func words(_ error: DBusError) -> RemoteError {
        switch error.message {
        case "Read not permitted": return .refused(.readNotPermitted)
        case "Write not permitted": return .refused(.writeNotPermitted)
        // Insufficient encryption, or too short a key, are told in the same words.
        case "Not paired": return .refused(.insufficientAuthentication)
        case "Invalid offset": return .refused(.invalidOffset)
        case "Invalid Length": return .refused(.invalidAttributeValueLength)
        case "Not connected", "No ATT transport": return .disconnected("bluetoothd says that it is not connected")
        default: return code(in: error.message).map { .refused($0) } ?? .impossible("bluetoothd said: \(error)")
        }
    }

    /// The number in "Operation failed with ATT error: 0x0e", or in parentheses.
    private static func code(in words: String) -> ATTError? {
        guard let start = words.range(ofLast: "0x") else { return nil }
        let digits = words[start...].prefix { $0.isHexDigit }
        return UInt8(digits, radix: 16).flatMap { $0 == 0 ? nil : ATTError(rawValue: $0) }
    }
}

extension DBusError {
    /// What the names of bluetoothd's own errors begin with.
    static let daemonPrefix = "org.bluez.Error."

    /// Whether it is this error of bluetoothd's.
    func isDaemons(_ suffix: String) -> Bool { name == Self.daemonPrefix + suffix }

    /// Whether the reason is that nobody has the name that was called, or has lost it during the call.
    var isDaemonGone: Bool {
        isStandard("ServiceUnknown") || isStandard("NameHasNoOwner") || (kind == .remote && isStandard("NoReply"))
    }
}

extension String {
    /// Behind the last occurrence of a text.
    fileprivate func range(ofLast text: String) -> String.Index? {
        var start = endIndex
        while start > startIndex {
            start = index(before: start)
            if self[start...].hasPrefix(text) { return index(start, offsetBy: text.count) }
        }
        return nil
    }
}
