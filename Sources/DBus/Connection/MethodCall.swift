// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A method call from a peer, as a handler of an exported object gets it.
package struct MethodCall: Sendable, Hashable {
    /// The object that is called.
    package let path: ObjectPath
    /// The interface; `nil` if the caller left it out, and the member alone has to tell.
    package let interface: String?
    /// The name of the method.
    package let member: String
    /// The unique bus name of the caller, as the bus vouches for it; empty only if there is no bus in between.
    package let sender: String
    /// The values that the caller gave.
    package let arguments: [DBusValue]
    /// Whether the caller waits for the reply.
    package let expectsReply: Bool

    let serial: UInt32

    /// Makes a call that came from nobody, to try a handler with.
    package init(
        path: ObjectPath, interface: String?, member: String, sender: String, arguments: [DBusValue] = []
    ) {
        self.path = path
        self.interface = interface
        self.member = member
        self.sender = sender
        self.arguments = arguments
        expectsReply = false
        serial = 0
    }

    init(_ message: DBusMessage) {
        // libdbus lets no method call through that lacks its path or member.
        path = message.path ?? .root
        interface = message.interface
        member = message.member ?? ""
        sender = message.sender ?? ""
        arguments = message.body
        expectsReply = message.expectsReply
        serial = message.serial
    }
}
