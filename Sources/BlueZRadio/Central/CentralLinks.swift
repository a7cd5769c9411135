// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus

/// The connections of a central by the object path of their device, and what those devices subscribed to.
///
/// bluetoothd does not identify a subscriber, so each subscription is attributed to all connected devices, also to those
/// that connect later.
///
/// Confined to the actor of the central that owns it.
final class CentralLinks {
    private var links: [ObjectPath: BlueZRemoteLink] = [:]
    private var connecting: Set<ObjectPath> = []
    private var subscribed: Set<CharacteristicIdentifier> = []

    /// All links.
    var all: [BlueZRemoteLink] { Array(links.values) }

    /// The paths of the devices that have links.
    var paths: [ObjectPath] { Array(links.keys) }

    var isEmpty: Bool { links.isEmpty }

    subscript(path: ObjectPath) -> BlueZRemoteLink? { links[path] }

    /// Whether a device is being connected to.
    func isConnecting(_ path: ObjectPath) -> Bool { connecting.contains(path) }

    /// Starts a connection attempt.
    /// - Returns: `false` if the device is connected or being connected to.
    func beginConnecting(_ path: ObjectPath) -> Bool { links[path] == nil && connecting.insert(path).inserted }

    /// Ends a connection attempt.
    func endConnecting(_ path: ObjectPath) {
        connecting.remove(path)
    }

    /// Adds a link, which receives the subscriptions so far.
    func add(_ link: BlueZRemoteLink) {
        links[link.path] = link
        for characteristic in subscribed { link.conversation.note(characteristic, isSubscribed: true) }
    }

    /// Ends the link to a device.
    func end(_ path: ObjectPath, _ reason: String) {
        links.removeValue(forKey: path)?.end(reason)
    }

    /// Ends all links.
    func endAll(_ reason: String) {
        for link in links.values { link.end(reason) }
        links = [:]
    }

    /// Removes a link, but no later link to the same device.
    func remove(_ link: BlueZRemoteLink) {
        if links[link.path] === link { links[link.path] = nil }
    }

    // MARK: - Subscriptions

    var hasSubscriptions: Bool { !subscribed.isEmpty }

    /// Whether a device is subscribed to a characteristic.
    func isSubscribed(to characteristic: CharacteristicIdentifier) -> Bool { subscribed.contains(characteristic) }

    /// Takes a subscription or its end.
    func note(_ characteristic: CharacteristicIdentifier, isSubscribed: Bool) {
        if isSubscribed {
            subscribed.insert(characteristic)
        } else {
            subscribed.remove(characteristic)
        }
        for link in links.values { link.conversation.note(characteristic, isSubscribed: isSubscribed) }
    }

    /// Ends all subscriptions: nothing is served any more.
    func endSubscriptions() {
        for characteristic in subscribed { note(characteristic, isSubscribed: false) }
    }
}
