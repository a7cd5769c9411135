// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CDBus

/// A message: a method call, its reply, an error or a signal.
///
/// D-Bus Specification, "Message Protocol". The fields are checked when the message is sent or serialized.
package struct DBusMessage: Sendable, Hashable {
    /// The type of a message. D-Bus Specification, "Message Protocol", "Message Types".
    package enum Kind: Sendable, Hashable, CaseIterable {
        /// Calls a method of a peer.
        case methodCall
        /// The reply to a method call.
        case methodReturn
        /// The reply to a method call that failed. If the first value of the body is a string, it is the error message.
        case error
        /// Notifies subscribers, or one destination.
        case signal
    }

    /// The type of the message.
    package var kind: Kind
    /// The called object, or the object that a signal is from.
    package var path: ObjectPath?
    /// The interface of the method or the signal. A method call may leave it out.
    package var interface: String?
    /// The name of the method or the signal.
    package var member: String?
    /// The bus name of the receiver.
    package var destination: String?
    /// The unique bus name of the sender, which the bus sets.
    package var sender: String?
    /// The error name of a message of kind `error`.
    package var errorName: String?
    /// The number that the sender gives the message; 0 before the message is sent.
    package var serial: UInt32
    /// The serial of the method call that this message replies to.
    package var replySerial: UInt32?
    /// Whether the sender of a method call waits for a reply. `false` for the other kinds.
    package var expectsReply: Bool
    /// The arguments of a method call or signal, or the results of a method return.
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

    /// The reply to the method call with this serial. `destination` is the sender of that call.
    package static func methodReturn(
        to replySerial: UInt32, destination: String?, body: [DBusValue] = []
    ) -> DBusMessage {
        var message = DBusMessage(kind: .methodReturn, body: body)
        message.replySerial = replySerial
        message.destination = destination
        return message
    }

    /// The error reply to the method call with this serial. NUL characters and invalid error names are replaced.
    package static func error(_ error: DBusError, to replySerial: UInt32, destination: String?) -> DBusMessage {
        let text = String(error.message.unicodeScalars.prefix(4096).map { $0 == "\0" ? " " : Character($0) })
        var message = DBusMessage(kind: .error, body: text.isEmpty ? [] : [.string(text)])
        message.errorName = NameKind.errorName.accepts(error.name) ? error.name : DBusError.failed("").name
        message.replySerial = replySerial
        message.destination = destination
        return message
    }

    /// A signal to all subscribers or to one destination.
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

    /// The error of a message of kind `error`; `nil` for the other kinds.
    package var error: DBusError? {
        guard kind == .error, let errorName else { return nil }
        return DBusError(name: errorName, message: body.first?.stringValue ?? "")
    }
}

extension DBusMessage {
    /// Parses exactly one message, in either byte order, without file descriptors.
    ///
    /// - Throws: `DBusError` of kind `malformed` for bytes that are not exactly one valid message, of kind `limitExceeded`
    ///   for a message with too many values.
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
        guard serial != 0 else { throw .invalidArgument("a message without a serial cannot be serialized") }
        let handle = try makeHandle()
        guard dbus_message_contains_unix_fds(handle.pointer) == 0 else {
            throw .invalidArgument("a file descriptor cannot be serialized")
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

// MARK: - Messages of libdbus

extension DBusMessage {
    /// Reads a message that libdbus has validated.
    init(reading handle: borrowing MessageHandle) throws(DBusError) {
        guard var message = DBusMessage(readingHeaderOf: handle) else {
            throw .malformed("a message of an unknown type")
        }
        var reader = BodyReader()
        message.body = try reader.read(handle)
        self = message
    }

    /// Reads the header; `nil` for a message of an unknown type. The specification requires that such messages are
    /// ignored.
    init?(readingHeaderOf handle: borrowing MessageHandle) {
        let pointer = handle.pointer
        guard let kind = Kind(code: dbus_message_get_type(pointer)) else { return nil }
        self.init(kind: kind, body: [])
        path = dbus_message_get_path(pointer).flatMap { text in
            do throws(DBusError) { return try ObjectPath(String(cString: text)) } catch { return nil }
        }
        interface = dbus_message_get_interface(pointer).map { String(cString: $0) }
        member = dbus_message_get_member(pointer).map { String(cString: $0) }
        destination = dbus_message_get_destination(pointer).map { String(cString: $0) }
        sender = dbus_message_get_sender(pointer).map { String(cString: $0) }
        errorName = dbus_message_get_error_name(pointer).map { String(cString: $0) }
        serial = dbus_message_get_serial(pointer)
        let replySerial = dbus_message_get_reply_serial(pointer)
        self.replySerial = replySerial == 0 ? nil : replySerial
        expectsReply = kind == .methodCall && dbus_message_get_no_reply(pointer) == 0
    }
}

extension DBusMessage.Kind {
    fileprivate init?(code: Int32) {
        switch code {
        case DBUS_MESSAGE_TYPE_METHOD_CALL: self = .methodCall
        case DBUS_MESSAGE_TYPE_METHOD_RETURN: self = .methodReturn
        case DBUS_MESSAGE_TYPE_ERROR: self = .error
        case DBUS_MESSAGE_TYPE_SIGNAL: self = .signal
        default: return nil
        }
    }

    fileprivate var code: Int32 {
        switch self {
        case .methodCall: DBUS_MESSAGE_TYPE_METHOD_CALL
        case .methodReturn: DBUS_MESSAGE_TYPE_METHOD_RETURN
        case .error: DBUS_MESSAGE_TYPE_ERROR
        case .signal: DBUS_MESSAGE_TYPE_SIGNAL
        }
    }
}

extension DBusMessage {
    /// The interface and path that libdbus reserves; the bus disconnects a client that sends them.
    static let localInterface = "org.freedesktop.DBus.Local"
    static let localPath = "/org/freedesktop/DBus/Local"

    /// Checks the message, and makes a message of libdbus from it.
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

    /// Whether the header fields that the kind requires are set (D-Bus Specification, "Message Protocol", "Header
    /// Fields").
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

/// A reference to a message of libdbus, released with this value.
struct MessageHandle: ~Copyable {
    let pointer: OpaquePointer

    /// Takes ownership of a reference.
    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        dbus_message_unref(pointer)
    }
}

/// The error structure that libdbus fills in, freed with this value.
struct LibraryError: ~Copyable {
    var error = CDBus.DBusError()

    init() {
        dbus_error_init(&error)
    }

    deinit {
        // The structure only holds pointers: freeing through a copy frees the same text.
        var error = error
        dbus_error_free(&error)
    }

    /// The error name, if an error was set.
    var name: String? { error.name.map { String(cString: $0) } }

    /// The text, if an error was set.
    var message: String? { error.message.map { String(cString: $0) } }
}

extension DBusError {
    static func outOfMemory() -> DBusError {
        DBusError(kind: .limitExceeded, name: standardPrefix + "NoMemory", message: "libdbus is out of memory")
    }
}
