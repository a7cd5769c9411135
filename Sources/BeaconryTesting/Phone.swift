// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import Devices
import Emulator
import Profiles
public import Receiving
public import Space
public import Testing

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

        /// The hardware of a phone, and how a person carries it: `nil` for what follows from the phone, or from the physics of the
        /// air (docs/phones.md).
        public struct Hardware: Hashable, Sendable {
            /// Where a person carries a phone.
            public enum Carried: String, Hashable, Sendable, CaseIterable {
                case hand, pocket, none
            }

            /// Added to each RSSI that it reports: -40 to 40 dB.
            public var rssiOffset: Double?
            /// The RSSI of the weakest signal that it receives: -120 to -50 dBm.
            public var sensitivity: Double?
            /// The standard deviation from packet to packet: 0 to 20 dB.
            public var fast: Double?
            /// Whether its antenna has the same gain in all directions, instead of a pattern of its own.
            public var hasIsotropicAntenna: Bool?
            /// Where a person carries it.
            public var carried: Carried?
            /// The direction that it faces, in degrees clockwise from north.
            public var heading: Double?

            /// Hardware of which this is known.
            public init(
                rssiOffset: Double? = nil, sensitivity: Double? = nil, fast: Double? = nil,
                hasIsotropicAntenna: Bool? = nil, carried: Carried? = nil, heading: Double? = nil
            ) {
                self.rssiOffset = rssiOffset
                self.sensitivity = sensitivity
                self.fast = fast
                self.hasIsotropicAntenna = hasIsotropicAntenna
                self.carried = carried
                self.heading = heading
            }

            /// - Throws: `VirtualAirError` for values out of range.
            func traits() throws -> ReceiverTraits {
                let texts = [
                    "rssi-offset": rssiOffset.map { ValueText.text($0) },
                    "sensitivity": sensitivity.map { ValueText.text($0) }, "fast": fast.map { ValueText.text($0) },
                    "antenna": hasIsotropicAntenna.map { $0 ? "isotropic" : "drawn" }, "carried": carried?.rawValue,
                    "heading": heading.map { ValueText.text($0) },
                ]
                var traits = ReceiverTraits()
                for key in ReceiverKey.all {
                    guard let text = texts[key.name] ?? nil else { continue }
                    try VirtualAirError.parsing { try key.set(text, in: &traits) }
                }
                return traits
            }
        }

        /// Its name on the air.
        public let name: String
        let air: VirtualAir

        /// The last ranging report, the nearest first; empty before the first one, after a second of the air.
        public func ranged(sourceLocation: SourceLocation = #_sourceLocation) async throws -> [Ranged] {
            let report = try await air.read("what \(name) ranges", sourceLocation) { [name] in
                await (try await $0.listener(name)).lastReport
            }
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
            try await air.perform { [name] in
                _ = try await (try await $0.listener(name)).monitor(region, exitAfter: nil)
            }
        }

        /// The state of a region: `unknown` before it is determined, which takes as long as to leave it if no beacon of it is
        /// received.
        /// - Throws: `VirtualAirError` if the phone does not monitor a region of this name.
        public func state(
            of region: String, sourceLocation: SourceLocation = #_sourceLocation
        ) async throws -> RegionState {
            let regions = try await air.read("the state of the region \(region)", sourceLocation) { [name] in
                await (try await $0.listener(name)).regions
            }
            guard let found = regions.first(where: { $0.identifier == region }) else {
                let hint = Spelling.hint(region, "regions", regions.map(\.identifier))
                throw VirtualAirError("the phone \(name) has no region \"\(region)\"; \(hint)")
            }
            return RegionState(rawValue: found.state) ?? .unknown
        }

        /// Has its app scan, or not.
        public func setListening(_ isListening: Bool) async throws {
            var change = ListenerChange()
            change.isListening = isListening
            try await air.perform { [name, change] in _ = try await $0.changeListener(name, change) }
        }

        /// Switches its Bluetooth on or off.
        public func setBluetooth(_ isOn: Bool) async throws {
            var change = ListenerChange()
            change.bluetooth = isOn ? .on : .off
            try await air.perform { [name, change] in _ = try await $0.changeListener(name, change) }
        }

        /// Grants the app the permission to find beacons, or denies it.
        public func setPermission(_ isGranted: Bool) async throws {
            var change = ListenerChange()
            change.permission = isGranted ? .granted : .denied
            try await air.perform { [name, change] in _ = try await $0.changeListener(name, change) }
        }

        /// Changes its hardware, and how a person carries it; what is `nil` stays.
        public func set(_ hardware: Hardware) async throws {
            var change = ListenerChange()
            change.traits = try hardware.traits()
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
    ///   - handset: the handset, such as `pixel-4`, whose RSSI offset it has; `nil` for any.
    ///   - position: `nil` for 1 m from every beacon.
    ///   - hardware: what else differs from other phones.
    /// - Throws: `VirtualAirError` for a name that is in use, for a model or a handset that there is not, or values out of range.
    public func phone(
        _ name: String, model: String = "exact", handset: String? = nil, at position: Position? = nil,
        hardware: Phone.Hardware = Phone.Hardware()
    ) async throws -> Phone {
        var change = ListenerChange()
        change.phone = try VirtualAirError.parsing { try PhoneModel(preset: model, handset: handset) }
        change.position = position
        change.traits = try hardware.traits()
        try await perform { [change] in _ = try await $0.putListener(name, change, isNew: true) }
        return Phone(name: name, air: self)
    }
}
