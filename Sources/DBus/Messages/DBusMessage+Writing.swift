// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CDBus

extension DBusMessage {
    /// The interface and path that libdbus keeps for itself; the bus ends the connection of whoever sends them.
    static let localInterface = "org.freedesktop.DBus.Local"
    static let localPath = "/org/freedesktop/DBus/Local"

    /// Makes a message of libdbus of this one, all of it checked first.
    func makeHandle() throws(DBusError) -> MessageHandle {
        try checkHeader()
        var validator = BodyValidator()
        _ = try validator.check(body)
        guard validator.length + (path?.rawValue.utf8.count ?? 0) <= BodyValidator.maximumLength else {
            throw .limitExceeded("a message is longer than \(DBUS_MAXIMUM_MESSAGE_LENGTH) bytes")
        }
        guard let pointer = dbus_message_new(kind.code) else { throw .outOfMemory() }
        let handle = MessageHandle(owning: pointer)
        try writeHeader(handle)
        try BodyWriter.write(body, to: handle)
        return handle
    }

    private func checkHeader() throws(DBusError) {
        if let interface { try NameKind.interface.check(interface) }
        if let member { try NameKind.member.check(member) }
        if let destination { try NameKind.busName.check(destination) }
        if let sender { try NameKind.busName.check(sender) }
        if let errorName { try NameKind.errorName.check(errorName) }
        guard interface != Self.localInterface, path?.rawValue != Self.localPath else {
            throw .invalidArgument("\(Self.localInterface) is reserved")
        }
        guard hasRequiredFields else {
            throw .invalidArgument("a message of kind \(kind) lacks a header field that the kind requires")
        }
    }

    /// D-Bus Specification, "Message Protocol", "Header Fields".
    private var hasRequiredFields: Bool {
        switch kind {
        case .methodCall: path != nil && member != nil
        case .signal: path != nil && interface != nil && member != nil
        case .methodReturn: replySerial != nil && replySerial != 0
        case .error: errorName != nil && replySerial != nil && replySerial != 0
        }
    }

    private func writeHeader(_ handle: borrowing MessageHandle) throws(DBusError) {
        let pointer = handle.pointer
        var isWritten = true
        if let path { isWritten = dbus_message_set_path(pointer, path.rawValue) != 0 && isWritten }
        if let interface { isWritten = dbus_message_set_interface(pointer, interface) != 0 && isWritten }
        if let member { isWritten = dbus_message_set_member(pointer, member) != 0 && isWritten }
        if let destination { isWritten = dbus_message_set_destination(pointer, destination) != 0 && isWritten }
        if let sender { isWritten = dbus_message_set_sender(pointer, sender) != 0 && isWritten }
        if let errorName { isWritten = dbus_message_set_error_name(pointer, errorName) != 0 && isWritten }
        if let replySerial, replySerial != 0 {
            isWritten = dbus_message_set_reply_serial(pointer, replySerial) != 0 && isWritten
        }
        guard isWritten else { throw .outOfMemory() }
        dbus_message_set_no_reply(pointer, expectsReply && kind == .methodCall ? 0 : 1)
    }
}
