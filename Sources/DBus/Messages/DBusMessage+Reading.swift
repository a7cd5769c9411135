// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CDBus

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

    /// Reads all but the body. `nil` for a message of an unknown type, which the specification says to ignore.
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
    init?(code: Int32) {
        switch code {
        case DBUS_MESSAGE_TYPE_METHOD_CALL: self = .methodCall
        case DBUS_MESSAGE_TYPE_METHOD_RETURN: self = .methodReturn
        case DBUS_MESSAGE_TYPE_ERROR: self = .error
        case DBUS_MESSAGE_TYPE_SIGNAL: self = .signal
        default: return nil
        }
    }

    var code: Int32 {
        switch self {
        case .methodCall: DBUS_MESSAGE_TYPE_METHOD_CALL
        case .methodReturn: DBUS_MESSAGE_TYPE_METHOD_RETURN
        case .error: DBUS_MESSAGE_TYPE_ERROR
        case .signal: DBUS_MESSAGE_TYPE_SIGNAL
        }
    }
}
