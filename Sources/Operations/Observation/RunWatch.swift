// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
package import Emulator
import Radio
import Synchronization

/// What the resources need of the events so far.
package final class RunWatch: Sendable {
    /// A host on the air.
    package struct Receiver: Codable, Sendable {
        /// Its name on the air.
        package let name: String
        /// The server that a host joins, such as `tcp:127.0.0.1:6402`; absent for hosts that have joined an unnamed one.
        package let server: String?
        /// Whether a host is there.
        package let joined: Bool
        /// The present position x, y, z in metres, or that of the hosts that will join; absent for 1 m from every beacon.
        package var position: [Double]?
        /// The line on which it moves: positions in metres; absent at rest.
        package var path: [[Double]]?
        /// `active` or `passive`; absent if it does not scan.
        package var scan: String?
        /// The hosts that are connected to the server, by their names; absent without a server of its own.
        package var hosts: [String]?
        /// The port of a TCP server.
        package var port: Int?
    }

    /// The events so far, counted.
    struct State: Sendable {
        var servers: [String: String] = [:]
        var hosts: Set<String> = []
        var warnings: [String: Int] = [:]
        var connections = 0
        var reloads = 0
        var failedReloads = 0
        var events = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// The events so far, counted.
    var counts: State { state.withLock(\.self) }

    /// The servers with a name, and the hosts that have joined.
    func receivers() -> [Receiver] {
        state.withLock { state in
            let named = state.servers.map {
                Receiver(name: $0.key, server: $0.value, joined: state.hosts.contains($0.key))
            }
            let joined = state.hosts.subtracting(state.servers.keys).map {
                Receiver(name: $0, server: nil, joined: true)
            }
            return (named + joined).sorted { $0.name < $1.name }
        }
    }

    /// Follows events until their end.
    package func follow(_ events: AsyncStream<PostedEvent>) async {
        for await posted in events { state.withLock { Self.note(posted.event, in: &$0) } }
    }

    private static func note(_ event: EmulatorEvent, in state: inout State) {
        state.events += 1
        switch event {
        case .radioReady(let capabilities): state.servers = capabilities.receivers
        case .host(let event):
            switch event.action {
            case .joined: state.hosts.insert(event.name)
            case .left: state.hosts.remove(event.name)
            case .refused, .scanStarted, .scanStopped: break
            }
        case .warning(let warning), .beacon(_, .warning(let warning)): state.warnings[warning.code, default: 0] += 1
        case .beacon(_, .connected): state.connections += 1
        case .reloaded: state.reloads += 1
        case .reloadFailed: state.failedReloads += 1
        default: break
        }
    }
}
