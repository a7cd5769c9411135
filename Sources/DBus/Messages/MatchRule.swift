// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Which signals a subscription gets: those that fit every field that is given.
///
/// D-Bus Specification, "Message Bus Specification", "Match Rules".
package struct MatchRule: Sendable, Hashable {
    /// The bus name that the signal comes from. Of a well-known name, its owner at the time counts.
    package var sender: String?
    /// The object that the signal comes from.
    package var path: ObjectPath?
    /// An object that the signal comes from, or any below it. Not together with `path`.
    package var pathNamespace: ObjectPath?
    /// The interface of the signal.
    package var interface: String?
    /// The name of the signal.
    package var member: String?
    /// The first value of the signal, if it is a string.
    package var argument0: String?

    /// Makes a rule; without a field it fits every signal.
    package init(
        sender: String? = nil, path: ObjectPath? = nil, pathNamespace: ObjectPath? = nil, interface: String? = nil,
        member: String? = nil, argument0: String? = nil
    ) {
        self.sender = sender
        self.path = path
        self.pathNamespace = pathNamespace
        self.interface = interface
        self.member = member
        self.argument0 = argument0
    }
}

extension MatchRule {
    /// The text that the bus takes.
    var text: String {
        var fields: [(String, String)] = [("type", "signal")]
        if let sender { fields.append(("sender", sender)) }
        if let path { fields.append(("path", path.rawValue)) }
        if let pathNamespace { fields.append(("path_namespace", pathNamespace.rawValue)) }
        if let interface { fields.append(("interface", interface)) }
        if let member { fields.append(("member", member)) }
        if let argument0 { fields.append(("arg0", argument0)) }
        return fields.map { "\($0)='\(Self.quoted($1))'" }.joined(separator: ",")
    }

    /// Inside apostrophes nothing is special but the apostrophe, which has to stand outside.
    private static func quoted(_ text: String) -> String {
        text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
    }

    func check() throws(DBusError) {
        if let sender { try NameKind.busName.check(sender) }
        if let interface { try NameKind.interface.check(interface) }
        if let member { try NameKind.member.check(member) }
        guard path == nil || pathNamespace == nil else {
            throw .invalidArgument("a match rule with both a path and a path namespace")
        }
    }

    /// The sender, if it is a name whose owner can change.
    var wellKnownSender: String? {
        guard let sender, !sender.hasPrefix(":"), sender != DBusConnection.busName else { return nil }
        return sender
    }

    /// Whether a signal fits. `owner` is the unique name that `wellKnownSender` has at the time.
    func matches(_ message: DBusMessage, owner: String?) -> Bool {
        guard message.kind == .signal else { return false }
        if let sender {
            guard let expected = wellKnownSender == nil ? sender : owner, message.sender == expected else {
                return false
            }
        }
        if let path, message.path != path { return false }
        if let pathNamespace {
            guard let path = message.path, path == pathNamespace || path.isDescendant(of: pathNamespace) else {
                return false
            }
        }
        if let interface, message.interface != interface { return false }
        if let member, message.member != member { return false }
        if let argument0, message.body.first?.stringValue != argument0 { return false }
        return true
    }
}
