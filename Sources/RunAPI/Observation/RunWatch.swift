// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
package import Emulator
import Radio
import Synchronization

/// What the resources need of the events so far.
package final class RunWatch: Sendable {
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
    func receivers() -> [ReceiverRecord] {
        state.withLock { state in
            state.hosts.union(state.servers.keys).sorted().map {
                ReceiverRecord($0, server: state.servers[$0], joined: state.hosts.contains($0))
            }
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
