// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BeaconryCentral
import Bluetooth
import Emulator
import RunAPI
public import Space
public import Testing

extension VirtualAir {
    /// A beacon on an air. Its methods throw `VirtualAirError`, with the sentence of `beaconry ctl`.
    public struct Beacon: AirMember {
        /// Its id.
        public let name: String
        let air: VirtualAir

        /// Its present state.
        public func status(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Status {
            let record = try await air.read("the status of \(name)", sourceLocation) { [name] in
                BeaconRecord(try await $0.show(name))
            }
            return Status(
                address: record.effective?.address, isOnAir: record.onAir, centrals: record.centrals,
                settings: record.profileTexts)
        }

        /// Changes settings, all or none. Keys and values are the same as in a profile:
        /// `["minor": "8", "interval": "20ms"]`.
        public func set(_ values: [String: String]) async throws {
            try await air.perform { [name] in try await $0.change(name, BeaconChange(settings: values)) }
        }

        /// Switches it on.
        public func enable() async throws {
            try await air.perform { [name] in try await $0.change(name, BeaconChange(isEnabled: true)) }
        }

        /// Switches it off.
        public func disable() async throws {
            try await air.perform { [name] in try await $0.change(name, BeaconChange(isEnabled: false)) }
        }

        /// Nothing that it sends is received any more, for a duration or until `unmute`.
        public func mute(for duration: Duration? = nil) async throws {
            let muting = duration.map(BeaconChange.Muting.during) ?? .on
            try await air.perform { [name] in try await $0.change(name, BeaconChange(muting: muting)) }
        }

        /// What it sends is received again.
        public func unmute() async throws {
            try await air.perform { [name] in try await $0.change(name, BeaconChange(muting: .off)) }
        }

        /// Ends its connections.
        /// - Parameter reason: as for `beaconry ctl disconnect`; `nil` for `remote-user`.
        public func disconnect(reason: String? = nil) async throws {
            let chosen = try Self.reason(reason)
            try await air.perform { [name] in try await $0.disconnect(name, from: nil, chosen) }
        }

        /// Lets the next connections to it fail, while it advertises. 0 ends that.
        /// - Parameters:
        ///   - count: the number of connections, 0 to 1000.
        ///   - phase: as for `beaconry ctl fail-connections`: `establishment`, `connected` or `request`.
        ///   - reason: of the phases `connected` and `request`, as for `beaconry ctl disconnect`; `nil` for `remote-user`.
        public func failConnections(
            _ count: Int, phase: String = "connected", reason: String? = nil
        ) async throws {
            guard ConnectionFault.counts ~= count else {
                throw VirtualAirError("\(count) connections cannot be set to fail; write a number from 0 to 1000")
            }
            let fault = ConnectionFault(
                count: count, phase: try VirtualAirError.choice(phase, of: ConnectionFault.Phase.self),
                reason: try Self.reason(reason))
            try await air.perform { [name] in try await $0.setFault(fault, of: name) }
        }

        /// Moves it, and ends its walk.
        public func move(to position: Position) async throws {
            try await air.perform { [name] in try await $0.air.move(name, to: position) }
        }

        private static func reason(_ name: String?) throws -> DisconnectionReason {
            try name.map { try VirtualAirError.choice($0, of: DisconnectionReason.self) } ?? .remoteUser
        }
    }

    /// The state of a beacon.
    public struct Status: Hashable, Sendable {
        /// The advertiser's address; `nil` before it is on the air.
        public let address: String?
        /// Whether it is on the air.
        public let isOnAir: Bool
        /// The addresses of the connected centrals.
        public let centrals: [String]
        /// The settings by their keys in profiles, with the values that `set` takes.
        public let settings: [String: String]
    }

    /// A receiver on an air.
    public struct Receiver: AirMember {
        /// Its name on the air.
        public let name: String
        /// Its central, which is open: for the bodies of `VirtualAir.run`, because its calls take time of the air.
        public let central: Central
        let air: VirtualAir

        /// What it receives from now on, for a duration: each advertisement.
        public func advertisements(for duration: Duration) async throws -> [Discovery] {
            try await air.run(within: nil) {
                var found: [Discovery] = []
                for try await discovery in central.scan(ScanOptions(includesRepetitions: true, duration: duration)) {
                    found.append(discovery)
                }
                return found
            }
        }

        /// Moves it, and ends its walk.
        /// - Throws: `VirtualAirError`.
        public func move(to position: Position) async throws {
            try await air.perform { [name] in try await $0.air.move(name, to: position) }
        }

        /// Closes its central, and removes it from the air.
        public func remove() async throws { try await air.run { await central.close() } }
    }
}
