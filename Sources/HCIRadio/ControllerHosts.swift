// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HostStack
import NIOCore
import Radio

/// One of the hosts of a radio.
package struct HostIdentifier: Hashable, Comparable, Sendable {
    fileprivate let rawValue: Int

    /// The host of a radio on one controller, for beacons and the central.
    static let only = HostIdentifier(rawValue: 0)
    /// The host of the central on a virtual air.
    static let central = HostIdentifier(rawValue: -1)

    /// The host of a receiver on a virtual air, by its number from 0.
    static func receiver(_ number: Int) -> HostIdentifier { HostIdentifier(rawValue: -2 - number) }

    package static func < (left: HostIdentifier, right: HostIdentifier) -> Bool { left.rawValue < right.rawValue }
}

/// An advertising set on one of the controllers of a radio.
struct ControllerSet: Hashable {
    let host: HostIdentifier
    let set: AdvertisingSetIdentifier
}

/// The hosts of a radio, each with its controller: one, or on a virtual air one a beacon and one for the central.
///
/// It lives on the event loop of the radio.
final class ControllerHosts {
    private var hosts: [HostIdentifier: ControllerHost] = [:]
    private var lastNumber = 0
    private let clock: LoopClock
    private let captures: PacketCaptures
    /// The seed of the keys, passkeys and private addresses; `nil` for the system's generator.
    private let seed: UInt64?

    /// Called with what each host reports; set it before hosts are added.
    var onNotice: ((ControllerHost.Notice, HostIdentifier) -> Void)?

    /// No hosts.
    /// - Parameters:
    ///   - captures: the captures of what passes between hosts and controllers; by default none.
    ///   - seed: the seed of the hosts' keys, passkeys and private addresses, for runs in virtual time; `nil` for the system's
    ///     generator.
    init(clock: LoopClock, captures: PacketCaptures = PacketCaptures(), seed: UInt64? = nil) {
        self.clock = clock
        self.captures = captures
        self.seed = seed
    }

    /// The host with an identifier; `nil` after it was removed.
    subscript(identifier: HostIdentifier) -> ControllerHost? { hosts[identifier] }

    /// Adds a host without a controller, or returns the one that is there.
    func add(_ identifier: HostIdentifier, _ configuration: Boxed<LEHostConfiguration>) -> ControllerHost {
        if let host = hosts[identifier] { return host }
        let random = random(stream: UInt64(bitPattern: Int64(identifier.rawValue)))
        let host = ControllerHost(
            configuration, random: random, clock: clock, captures: captures
        ) { [onNotice] in onNotice?($0, identifier) }
        hosts[identifier] = host
        return host
    }

    /// Adds a host for one beacon.
    func add(_ configuration: Boxed<LEHostConfiguration>) -> (identifier: HostIdentifier, host: ControllerHost) {
        lastNumber += 1
        let identifier = HostIdentifier(rawValue: lastNumber)
        return (identifier, add(identifier, configuration))
    }

    private func random(stream: UInt64) -> RandomSource {
        seed.map { RandomSource(SplitMix64(seed: $0, stream: stream)) } ?? RandomSource()
    }

    /// A source of random numbers for the beacon or central of this name.
    func random(for name: String) -> RandomSource {
        random(stream: name.stableHash)
    }

    /// Removes a host and releases its controller.
    func remove(_ identifier: HostIdentifier) { hosts.removeValue(forKey: identifier)?.close() }

    /// Removes all hosts and releases their controllers.
    func removeAll() {
        // In an order that is the same in each run in virtual time.
        for (_, host) in hosts.sorted(by: { $0.key < $1.key }) { host.close() }
        hosts = [:]
    }
}
