// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CDBus

/// A message: a method call, the reply to one, an error or a signal.
///
/// D-Bus Specification, "Message Protocol". The fields are plain text until the message is sent or serialised; what
/// breaks the specification is refused then.
package struct DBusMessage: Sendable, Hashable {
    /// What a message is for. D-Bus Specification, "Message Protocol", "Message Types".
    package enum Kind: Sendable, Hashable, CaseIterable {
        /// Asks a peer to do something.
        case methodCall
        /// The reply to a method call.
        case methodReturn
        /// The reply to a method call that failed; the first value of the body, if a string, says why.
        case error
        /// Tells whoever listens.
        case signal
    }

    /// What the message is for.
    package var kind: Kind
    /// The object that is called, or that a signal comes from.
    package var path: ObjectPath?
    /// The interface of the method or the signal. A method call may leave it out.
    package var interface: String?
    /// The name of the method or the signal.
    package var member: String?
    /// The bus name that the message goes to.
    package var destination: String?
    /// The unique bus name that the message comes from. The bus fills it in; what a sender claims does not count.
    package var sender: String?
    /// The name of the error, of an `error`.
    package var errorName: String?
    /// The number that the sender gave the message; 0 until it is sent.
    package var serial: UInt32
    /// The serial of the method call that this message is the reply to.
    package var replySerial: UInt32?
    /// Whether the sender of a method call waits for a reply. Other kinds never expect one.
    package var expectsReply: Bool
    /// The values.
    package var body: [DBusValue]

    init(kind: Kind, body: [DBusValue]) {
        self.kind = kind
        self.body = body
        serial = 0
        expectsReply = kind == .methodCall
    }

    /// A call of a method.
    package static func methodCall(
        destination: String?, path: ObjectPath, interface: String?, member: String, body: [DBusValue] = []
    ) -> DBusMessage {
        var message = DBusMessage(kind: .methodCall, body: body)
        message.destination = destination
        message.path = path
        message.interface = interface
        message.member = member
        return message
    }

    /// The reply to the method call with a serial, from the sender of that call.
    package static func methodReturn(
        to replySerial: UInt32, destination: String?, body: [DBusValue] = []
    ) -> DBusMessage {
        var message = DBusMessage(kind: .methodReturn, body: body)
        message.replySerial = replySerial
        message.destination = destination
        return message
    }

    /// The error that a method call with a serial ended in. Text that cannot go over the wire is replaced.
    package static func error(_ error: DBusError, to replySerial: UInt32, destination: String?) -> DBusMessage {
        let text = String(error.message.unicodeScalars.prefix(4096).map { $0 == "\0" ? " " : Character($0) })
        var message = DBusMessage(kind: .error, body: text.isEmpty ? [] : [.string(text)])
        message.errorName = NameKind.errorName.accepts(error.name) ? error.name : DBusError.failed("").name
        message.replySerial = replySerial
        message.destination = destination
        return message
    }

    /// A signal, to everybody or to one destination.
    package static func signal(
        path: ObjectPath, interface: String, member: String, destination: String? = nil, body: [DBusValue] = []
    ) -> DBusMessage {
        var message = DBusMessage(kind: .signal, body: body)
        message.path = path
        message.interface = interface
        message.member = member
        message.destination = destination
        return message
    }

    /// The error that an `error` carries; `nil` for the other kinds.
    package var error: DBusError? {
        guard kind == .error, let errorName else { return nil }
        return DBusError(name: errorName, message: body.first?.stringValue ?? "")
    }
}

extension DBusMessage {
    /// Reads exactly one message from its bytes, in either byte order, without file descriptors.
    ///
    /// - Throws: `DBusError` of kind `malformed` for anything that is not exactly one valid message, of kind
    ///   `limitExceeded` for one with too many values.
    package init(parsing bytes: [UInt8]) throws(DBusError) {
        guard let length = Int32(exactly: bytes.count), length <= DBUS_MAXIMUM_MESSAGE_LENGTH else {
            throw .malformed("a message of \(bytes.count) bytes is too long")
        }
        var pointer: OpaquePointer?
        var libraryError = LibraryError()
        bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
            guard dbus_message_demarshal_bytes_needed(start, length) == length else { return }
            pointer = dbus_message_demarshal(start, length, &libraryError.error)
        }
        guard let pointer else {
            throw .malformed(libraryError.message ?? "the bytes are not one message")
        }
        try self.init(reading: MessageHandle(owning: pointer))
    }

    /// The bytes of this message, in the byte order of this machine.
    ///
    /// - Throws: `DBusError` of kind `invalidArgument` if a field or a value breaks the specification, the serial is
    ///   0, or the body has a file descriptor (which bytes cannot carry); of kind `limitExceeded` if it is too large.
    package func serialize() throws(DBusError) -> [UInt8] {
        guard serial != 0 else { throw .invalidArgument("a message without a serial cannot be serialised") }
        let handle = try makeHandle()
        guard dbus_message_contains_unix_fds(handle.pointer) == 0 else {
            throw .invalidArgument("a file descriptor cannot be serialised")
        }
        dbus_message_set_serial(handle.pointer, serial)
        var start: UnsafeMutablePointer<CChar>?
        var length: Int32 = 0
        guard dbus_message_marshal(handle.pointer, &start, &length) != 0, let start else {
            throw .outOfMemory()
        }
        defer { dbus_free(start) }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(length)))
    }
}
