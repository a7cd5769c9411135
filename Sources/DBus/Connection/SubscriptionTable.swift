// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The subscriptions of a connection, and the owners of the well-known names that their rules have as senders.
///
/// A rule with a well-known sender matches only signals of the owner of that name. The table follows the owners: a name is
/// watched from the first subscription that needs it (`beginWatching`) to the last (`endWatching`), and the caller adds and
/// removes the match rule for `NameOwnerChanged` at the bus.
struct SubscriptionTable: Sendable {
    /// A rule with what takes its signals.
    struct Subscription: Sendable {
        let rule: MatchRule
        let deliver: @Sendable (DBusMessage) -> Void
        let finish: @Sendable () -> Void
    }

    private struct WatchedName: Sendable {
        /// The unique name of the owner; `nil` without an owner.
        var owner: String?
        /// The number of subscriptions that need the name.
        var uses = 1
    }

    private var subscriptions: [UInt64: Subscription] = [:]
    private var watchedNames: [String: WatchedName] = [:]

    /// The number of subscriptions.
    var count: Int { subscriptions.count }

    /// Whether there are neither subscriptions nor watched names.
    var isEmpty: Bool { subscriptions.isEmpty && watchedNames.isEmpty }

    /// The number of subscriptions that need a name.
    func uses(of name: String) -> Int { watchedNames[name]?.uses ?? 0 }

    // MARK: - Subscriptions

    /// Adds a subscription.
    mutating func add(_ identifier: UInt64, _ subscription: Subscription) {
        subscriptions[identifier] = subscription
    }

    /// Removes a subscription.
    /// - Returns: its rule; `nil` if there is no such subscription.
    mutating func remove(_ identifier: UInt64) -> MatchRule? { subscriptions.removeValue(forKey: identifier)?.rule }

    /// Ends all streams, and forgets the watched names.
    mutating func removeAll() {
        finishAll()
        subscriptions = [:]
        watchedNames = [:]
    }

    /// Ends all streams.
    func finishAll() {
        for subscription in subscriptions.values { subscription.finish() }
    }

    /// Delivers a signal to the subscriptions that it matches.
    func deliver(_ signal: DBusMessage) {
        for subscription in subscriptions.values {
            let owner = subscription.rule.wellKnownSender.flatMap { watchedNames[$0]?.owner }
            if subscription.rule.matches(signal, owner: owner) { subscription.deliver(signal) }
        }
    }

    // MARK: - Names

    /// The rule for changes of the owner of a name.
    static func ownerRule(for name: String) -> MatchRule {
        MatchRule(
            sender: DBusConnection.busName, path: DBusConnection.busPath, interface: DBusConnection.busName,
            member: "NameOwnerChanged", argument0: name)
    }

    /// Counts another subscription that needs a name which is watched already.
    /// - Returns: `false` if the name is not watched yet.
    mutating func countUse(of name: String) -> Bool {
        guard watchedNames[name] != nil else { return false }
        watchedNames[name]?.uses += 1
        return true
    }

    /// Starts to watch a name, for one subscription; its owner is unknown until `setOwner`.
    mutating func beginWatching(_ name: String) {
        watchedNames[name] = WatchedName()
    }

    /// Counts one subscription less that needs a name.
    /// - Returns: whether it was the last one: the name is not watched any more.
    mutating func endWatching(_ name: String) -> Bool {
        guard let uses = watchedNames[name]?.uses else { return false }
        guard uses <= 1 else {
            watchedNames[name]?.uses = uses - 1
            return false
        }
        watchedNames[name] = nil
        return true
    }

    /// Sets the owner of a watched name.
    mutating func setOwner(_ owner: String?, of name: String) {
        watchedNames[name]?.owner = owner
    }

    /// Takes the new owner from a signal, if it is `NameOwnerChanged` of a watched name.
    mutating func noteOwner(_ signal: DBusMessage) {
        guard signal.sender == DBusConnection.busName, signal.interface == DBusConnection.busName,
            signal.member == "NameOwnerChanged", signal.body.count == 3,
            let name = signal.body[0].stringValue, let owner = signal.body[2].stringValue
        else { return }
        setOwner(owner.isEmpty ? nil : owner, of: name)
    }
}
