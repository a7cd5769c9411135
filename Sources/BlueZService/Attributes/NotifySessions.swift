// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus

/// The subscribers of a characteristic: programs by their unique names, one program with a socket, and the service itself.
///
/// A program's session begins when it is *requested*, and is *active* when the device has confirmed the subscription.
struct NotifySessions {
    private var sessions: [String: Bool] = [:]
    /// The program with the socket.
    private(set) var socketOwner: String?
    /// Whether the service itself subscribes.
    var isObserved = false

    /// Whether the device is to send values.
    var isWanted: Bool { isObserved || socketOwner != nil || !sessions.isEmpty }
    /// Whether any program has a session.
    var hasSessions: Bool { !sessions.isEmpty }
    /// Whether any program's session is active.
    var isNotifying: Bool { sessions.values.contains(true) }

    /// What `StartNotify` does.
    enum Start {
        /// The session is active already.
        case isActive
        /// The device is to be asked.
        case subscribe
    }

    /// Begins a session.
    /// - Throws: `InProgress` while the caller's former request is under way, `NotPermitted` beside a socket.
    mutating func start(_ caller: String) throws(DBusError) -> Start {
        guard socketOwner == nil else { throw BlueZError.notPermitted("Notify acquired") }
        guard let isActive = sessions[caller] else {
            sessions[caller] = false
            return .subscribe
        }
        guard isActive else { throw BlueZError.inProgress() }
        return .isActive
    }

    /// Notes the device's answer to a request.
    mutating func finishStart(_ caller: String, isSubscribed: Bool) {
        guard sessions[caller] != nil else { return }
        sessions[caller] = isSubscribed ? true : nil
    }

    /// Ends a session.
    /// - Throws: `Failed` without one.
    mutating func stop(_ caller: String) throws(DBusError) {
        guard sessions.removeValue(forKey: caller) != nil else {
            throw BlueZError.failed("No notify session started")
        }
    }

    /// Reserves the socket.
    /// - Throws: `NotPermitted` if it is taken, `InProgress` beside sessions.
    mutating func acquire(_ caller: String) throws(DBusError) {
        guard socketOwner == nil else { throw BlueZError.notPermitted("Notify acquired") }
        guard sessions.isEmpty else { throw BlueZError.inProgress() }
        socketOwner = caller
    }

    /// Releases the socket.
    mutating func releaseSocket() { socketOwner = nil }

    /// Forgets a caller that has left the bus.
    /// - Returns: whether it had a session.
    mutating func remove(_ caller: String) -> Bool { sessions.removeValue(forKey: caller) != nil }
}
