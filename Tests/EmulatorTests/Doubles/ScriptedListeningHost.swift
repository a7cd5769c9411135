// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Radio
import Space
import Synchronization

@testable import Emulator

/// The host of a listening receiver, which connects to scripted peers.
final class ScriptedListeningHost: ListeningHost {
    let position: Position? = nil
    /// The attempts to connect, in order.
    let attempts = EventLog<RemoteAddress>()
    private let links: [RemoteAddress: ScriptedLink]
    private let gate: EventLog<Void>?

    /// - Parameters:
    ///   - links: to the devices that accept connections.
    ///   - gate: attempts last until it has an entry, or they are cancelled; `nil` for none.
    init(_ links: [ScriptedLink], gate: EventLog<Void>? = nil) {
        self.links = Dictionary(links.map { ($0.device, $0) }, uniquingKeysWith: { $1 })
        self.gate = gate
    }

    let propagation: Propagation? = nil

    func open(_ hardware: ReceiverHardware) async throws(RadioError) {}

    func set(_ hardware: ReceiverHardware) async {}

    func scan(_ parameters: ScanParameters) async throws(RadioError) -> AsyncStream<Sighting> { AsyncStream { nil } }

    func scan(_ parameters: ScanParameters, to sink: SightingSink) async throws(RadioError) -> Bool { false }

    func stopScanning() async {}

    func connect(to device: RemoteAddress, timeout: Duration) async throws(RadioError) -> any RemoteLink {
        attempts.append(device)
        _ = try? await gate?.entry { _ in true }
        guard !Task.isCancelled, let link = links[device] else { throw RadioError(.refused, "no connection", hint: "") }
        return link
    }

    func close() async {}
}
