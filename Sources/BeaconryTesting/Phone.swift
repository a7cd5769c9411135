// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import Devices
import Emulator
import Profiles
public import Receiving
public import Space

extension VirtualAir {
    /// A phone on an air, of whose app the ranging and the regions are what is tested (docs/phones.md). Its methods throw
    /// `VirtualAirError`.
    public struct Phone: AirMember {
        /// A beacon that its app ranges.
        public struct Ranged: Hashable, Sendable {
            /// The format of its frame, such as `ibeacon`.
            public let format: String
            /// The proximity UUID, in upper case; `id1` of an AltBeacon. Empty for a format without one.
            public let uuid: String
            /// The major number; `id2` of an AltBeacon. 0 for a format without one.
            public let major: UInt16
            /// The minor number; `id3` of an AltBeacon. 0 for a format without one.
            public let minor: UInt16
            /// The namespace of an Eddystone-UID, in hexadecimal digits; `nil` for another format.
            public let namespace: String?
            /// The instance of an Eddystone-UID, in hexadecimal digits; `nil` for another format.
            public let instance: String?
            /// The address of an Eddystone-URL, or the digits of an Eddystone-EID; `nil` for another format.
            public let identity: String?
            /// The mean RSSI since the last report in dBm; 0 without packets.
            public let rssi: Int8
            /// The number of packets since the last report.
            public let packets: Int
            /// The estimated distance in metres; -1 if unknown.
            public let accuracy: Double
            /// How near it is.
            public let proximity: Proximity
        }

        /// Its name on the air.
        public let name: String
        let air: VirtualAir

        /// The last ranging report, the nearest first; empty before the first one, after a second of the air.
        public func ranged() async throws -> [Ranged] {
            let report = try await air.perform { [name] in await (try $0.listener(name)).lastReport }
            return report.beacons.map {
                let identifiers = $0.identifiers
                return Ranged(
                    format: $0.format, uuid: identifiers.uuid ?? "", major: identifiers.major ?? 0,
                    minor: identifiers.minor ?? 0, namespace: identifiers.namespace, instance: identifiers.instance,
                    identity: identifiers.identity, rssi: $0.rssi, packets: $0.packets, accuracy: $0.accuracy,
                    proximity: Proximity(rawValue: $0.proximity) ?? .unknown)
            }
        }

        /// Monitors a region from now on, instead of one of the same name. An app has at most 20.
        /// - Parameters:
        ///   - uuid: the proximity UUID of its beacons.
        ///   - major: their major number; `nil` for any.
        ///   - minor: their minor number, with a major number; `nil` for any.
        ///   - notifiesOnDisplay: whether its app gets the state again when the screen comes on inside the region, as with
        ///     `notifyEntryStateOnDisplay`.
        public func monitor(
            _ region: String, uuid: String, major: UInt16? = nil, minor: UInt16? = nil, notifiesOnDisplay: Bool = false
        ) async throws {
            let proximity = try VirtualAirError.parsing { try ValueText.uuid(uuid) }
            var monitored = BeaconRegion(identifier: region, uuid: proximity, major: major, minor: minor)
            monitored.notifiesOnDisplay = notifiesOnDisplay
            try await monitor(monitored)
        }

        /// Monitors a region of Eddystone-UIDs from now on, instead of one of the same name. The apps of an iPhone have none.
        /// - Parameters:
        ///   - namespace: their namespace, 20 hexadecimal digits.
        ///   - instance: their instance, 12 hexadecimal digits; `nil` for any.
        public func monitor(_ region: String, namespace: String, instance: String? = nil) async throws {
            let identifiers = try VirtualAirError.parsing {
                BeaconRegion.Identifiers.namespace(
                    try ValueText.namespace(namespace), instance: try instance.map(ValueText.instance))
            }
            try await monitor(BeaconRegion(identifier: region, identifiers))
        }

        private func monitor(_ region: BeaconRegion) async throws {
            try await air.perform { [name] in _ = try await (try $0.listener(name)).monitor(region, exitAfter: nil) }
        }

        /// The state of a region; `nil` if there is no such region.
        public func state(of region: String) async throws -> RegionState? {
            let regions = try await air.perform { [name] in await (try $0.listener(name)).regions }
            return regions.first { $0.identifier == region }.flatMap { RegionState(rawValue: $0.state) }
        }

        /// Switches its Bluetooth on or off.
        public func setListening(_ isListening: Bool) async throws {
            var change = ListenerChange()
            change.isListening = isListening
            try await air.perform { [name, change] in _ = try await $0.changeListener(name, change) }
        }

        /// Switches its screen on or off.
        public func setScreen(_ isOn: Bool) async throws {
            var change = ListenerChange()
            change.screen = isOn ? .on : .off
            try await air.perform { [name, change] in _ = try await $0.changeListener(name, change) }
        }

        /// Moves it, and ends its walk.
        public func move(to position: Position) async throws {
            try await air.perform { [name] in try await $0.air.move(name, to: position) }
        }

        /// Removes it from the air.
        public func remove() async throws { try await air.perform { [name] in try await $0.removeListener(name) } }
    }

    /// Adds a phone, which scans and reports from now on.
    /// - Parameters:
    ///   - name: its name on the air.
    ///   - model: a preset of docs/phones.md, such as `iphone` or `android-13-low-power`; `exact` receives everything.
    ///   - position: `nil` for 1 m from every beacon.
    /// - Throws: `VirtualAirError` for a name that is in use, or a model that there is not.
    public func phone(_ name: String, model: String = "exact", at position: Position? = nil) async throws -> Phone {
        var change = ListenerChange()
        change.phone = try VirtualAirError.parsing { try ValueText.phone(model) }
        change.position = position
        try await perform { [change] in _ = try await $0.putListener(name, change, isNew: true) }
        return Phone(name: name, air: self)
    }
}
