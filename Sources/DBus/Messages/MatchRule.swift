// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The signals of a subscription: those that match all fields of the rule.
///
/// D-Bus Specification, "Message Bus Specification", "Match Rules".
package struct MatchRule: Sendable, Hashable {
    /// The bus name of the sender. For a well-known name, its owner at the time of the signal.
    package var sender: String?
    /// The object that the signal is from.
    package var path: ObjectPath?
    /// The signal is from this object or from one below it. Not together with `path`.
    package var pathNamespace: ObjectPath?
    /// The interface of the signal.
    package var interface: String?
    /// The name of the signal.
    package var member: String?
    /// The first value of the signal, if it is a string.
    package var argument0: String?

    /// Makes a rule. Without fields it matches all signals.
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
    /// The rule in the syntax of AddMatch.
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

    /// Quotes a text: only the apostrophe is special between apostrophes, and has to be outside of them.
    private static func quoted(_ text: String) -> String {
        text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
    }

    /// - Throws: `DBusError` of kind `invalidArgument` if a field breaks the specification.
    func check() throws(DBusError) {
        if let sender { try NameKind.busName.check(sender) }
        if let interface { try NameKind.interface.check(interface) }
        if let member { try NameKind.member.check(member) }
        guard path == nil || pathNamespace == nil else {
            throw .invalidArgument("a match rule with both a path and a path namespace")
        }
    }

    /// The sender, if it is a well-known name.
    var wellKnownSender: String? {
        guard let sender, !sender.hasPrefix(":"), sender != DBusConnection.busName else { return nil }
        return sender
    }

    /// Whether a signal matches.
    /// - Parameter owner: the unique name of the owner of `wellKnownSender`.
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
