// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import Emulator
import Radio
import Synchronization

/// What the resources need of the events so far.
final class RunWatch: Sendable {
    /// A host on the air.
    struct Receiver: Encodable, Sendable {
        /// Its name on the air.
        let name: String
        /// The server that a host joins, such as `tcp:127.0.0.1:6402`; absent for hosts that have joined an unnamed one.
        let server: String?
        /// Whether a host is there.
        let joined: Bool
        /// The present position x, y, z in metres; absent for 1 m from every beacon.
        var position: [Double]?
        /// The line on which it moves: positions in metres; absent at rest.
        var path: [[Double]]?
        /// `active` or `passive`; absent if it does not scan.
        var scan: String?
    }

    private struct Refusal: Hashable, Comparable {
        let operation: String
        let error: UInt8

        static func < (one: Refusal, other: Refusal) -> Bool {
            (one.operation, one.error) < (other.operation, other.error)
        }
    }

    private struct State {
        var isReady = false
        var isRadioUp = false
        var servers: [String: String] = [:]
        var hosts: Set<String> = []
        var warnings: [String: Int] = [:]
        var connections = 0
        var writes = 0
        /// The refused requests, by operation and error.
        var refusals: [Refusal: Int] = [:]
        var reloads = 0
        var failedReloads = 0
        var events = 0
    }

    private let state = Mutex(State())

    /// Whether all beacons were on the air, and the run has not begun to end.
    var isReady: Bool { state.withLock(\.isReady) }

    /// The hosts that were given names, and those that have joined.
    var receivers: [Receiver] {
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
    func follow(_ events: AsyncStream<PostedEvent>) async {
        for await posted in events { state.withLock { Self.note(posted.event, in: &$0) } }
    }

    private static func note(_ event: EmulatorEvent, in state: inout State) {
        state.events += 1
        switch event {
        case .ready: state.isReady = true
        case .stopping: state.isReady = false
        case .radioReady(let capabilities):
            state.isRadioUp = true
            state.servers = capabilities.receivers
        case .radioLost: state.isRadioUp = false
        case .host(let event):
            switch event.action {
            case .joined: state.hosts.insert(event.name)
            case .left: state.hosts.remove(event.name)
            case .refused, .scanStarted, .scanStopped: break
            }
        case .warning(let warning), .beacon(_, .warning(let warning)): state.warnings[warning.code, default: 0] += 1
        case .beacon(_, .connected): state.connections += 1
        case .beacon(_, .written): state.writes += 1
        case .beacon(_, .refused(let request, let error, _)):
            let operation = if case .read = request.operation { "read" } else { "write" }
            state.refusals[Refusal(operation: operation, error: error.rawValue), default: 0] += 1
        case .reloaded: state.reloads += 1
        case .reloadFailed: state.failedReloads += 1
        default: break
        }
    }

    // MARK: - Metrics

    /// The metrics in the text format of Prometheus, version 0.0.4.
    func metrics(of beacons: [BeaconStatus], version: String) -> String {
        let (state, ready) = state.withLock { ($0, $0.isReady) }
        let onAir = beacons.count { $0.isOnAir }
        let off = beacons.count { !$0.isEnabled }
        var text = MetricsText()
        text.add(
            "beaconry_build_info", .gauge, "The version of the program; the value is 1.", [(["version": version], 1)])
        text.add("beaconry_ready", .gauge, "Whether all beacons were on the air, 0 or 1.", [([:], ready ? 1 : 0)])
        text.add("beaconry_radio_up", .gauge, "Whether the radio is usable, 0 or 1.", [([:], state.isRadioUp ? 1 : 0)])
        text.add(
            "beaconry_beacons", .gauge, "The beacons, by their state.",
            [
                (["state": "on-air"], onAir), (["state": "off"], off),
                (["state": "not-on-air"], beacons.count - onAir - off),
            ])
        text.add(
            "beaconry_connections", .gauge, "The connected centrals.",
            [([:], beacons.reduce(0) { $0 + $1.centrals.count })])
        text.add("beaconry_connections_total", .counter, "The connections so far.", [([:], state.connections)])
        text.add(
            "beaconry_writes_total", .counter, "The values that centrals have written so far.", [([:], state.writes)])
        text.add(
            "beaconry_att_refusals_total", .counter, "The requests of centrals that were refused so far.",
            state.refusals.sorted { $0.key < $1.key }.map {
                (["op": $0.key.operation, "error": "0x" + Hexadecimal.string([$0.key.error])], $0.value)
            })
        text.add(
            "beaconry_reloads_total", .counter, "The reloads of the profiles so far, by their result.",
            [(["result": "done"], state.reloads), (["result": "failed"], state.failedReloads)])
        text.add(
            "beaconry_warnings_total", .counter, "The warnings so far, by their code.",
            state.warnings.sorted { $0.key < $1.key }.map { (["code": $0.key], $0.value) })
        text.add("beaconry_events_total", .counter, "The events so far.", [([:], state.events)])
        return text.text
    }
}

/// The writer of the text format of Prometheus.
private struct MetricsText {
    enum Kind: String {
        case gauge, counter
    }

    private(set) var text = ""

    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [(labels: [String: String], value: Int)])
    {
        guard !samples.isEmpty else { return }
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        for (labels, value) in samples {
            let pairs = labels.sorted { $0.key < $1.key }.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }
            text += name + (pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}") + " \(value)\n"
        }
    }

    private static func escaped(_ value: String) -> String {
        value.reduce(into: "") { text, character in
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.append(character)
            }
        }
    }
}
