// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A well-known name whose owner is followed, because a subscription believes only that owner.
struct WatchedName {
    var owner: String?
    /// How many subscriptions name it.
    var uses = 0

    /// What tells about a change of the owner.
    static func rule(for name: String) -> MatchRule {
        MatchRule(
            sender: DBusConnection.busName, path: DBusConnection.busPath, interface: DBusConnection.busName,
            member: "NameOwnerChanged", argument0: name)
    }
}
