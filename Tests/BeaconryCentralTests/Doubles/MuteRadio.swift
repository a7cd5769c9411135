// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import Bluetooth
import Synchronization

/// A radio without an air: it receives what a test passes to it, and its connections are never established.
///
/// For tests that no peer can provide: thousands of devices, and calls that do not return.
final class MuteRadio: BondStoringCentralRadio {
    private struct State {
        var sightings: AsyncStream<Sighting>.Continuation?
        var scans: [ScanParameters] = []
        var stops = 0
        var observers: [AsyncStream<CentralRadioState>.Continuation] = []
        var radioState = CentralRadioState.ready
        var isOpen = false
        var bonds: [String] = []
        /// The calls that do not return; `nil` once they do.
        var hanging: [AsyncStream<Never>.Continuation]? = []
    }

    let name = "mute"
    let hangs: Bool
    private let state = Mutex(State())

    /// - Parameter hangs: whether opening and scanning never return either.
    init(hangs: Bool = false) { self.hangs = hangs }

    /// The parameters of the scans.
    var scans: [ScanParameters] { state.withLock(\.scans) }
    /// The number of times that the scan was stopped.
    var stops: Int { state.withLock(\.stops) }
    /// Whether the radio scans.
    var isScanning: Bool { state.withLock { $0.sightings != nil } }

    /// The names of the centrals whose bonds the radio stores, if set before it was opened.
    var bonds: [String] { state.withLock(\.bonds) }

    /// Receives an advertisement.
    func receive(_ sighting: Sighting) { state.withLock { $0.sightings }?.yield(sighting) }

    /// Changes the state of the radio.
    func set(_ radioState: CentralRadioState) {
        state.withLock { state in
            state.radioState = radioState
            if case .unavailable = radioState {
                state.sightings?.finish()
                state.sightings = nil
            }
            for observer in state.observers { observer.yield(radioState) }
        }
    }

    func storeBonds(in store: any BondStore, as central: BeaconIdentifier) async {
        state.withLock { if !$0.isOpen { $0.bonds.append(central.name) } }
    }

    func forgetBond(with device: RemoteAddress) async {}

    func openCentral(waits: Bool) async throws(RadioError) -> ReceivingCapabilities {
        state.withLock { $0.isOpen = true }
        if hangs { await hang() }
        return ReceivingCapabilities(name: name, way: "by hand", address: nil)
    }

    func states() async -> AsyncStream<CentralRadioState> {
        let (stream, continuation) = AsyncStream.makeStream(of: CentralRadioState.self)
        state.withLock { state in
            continuation.yield(state.radioState)
            state.observers.append(continuation)
        }
        return stream
    }

    func scan(_ settings: ScanParameters) async throws(RadioError) -> AsyncStream<Sighting> {
        let (stream, continuation) = AsyncStream.makeStream(of: Sighting.self)
        state.withLock { state in
            state.sightings?.finish()
            state.sightings = continuation
            state.scans.append(settings)
        }
        return stream
    }

    func stopScanning() async {
        state.withLock { state in
            state.sightings?.finish()
            state.sightings = nil
            state.stops += 1
        }
    }

    func connect(to device: RemoteAddress, timeout: Duration) async throws(RadioError) -> any RemoteLink {
        await hang()
        throw RadioError(.refused, "this radio does not connect", hint: "")
    }

    func close() async {
        if hangs { await hang() }
        state.withLock { state in
            for observer in state.observers { observer.finish() }
            state.observers = []
        }
    }

    /// At the end of a test: makes all calls return, now and later.
    func releaseCalls() {
        let hanging = state.withLock { state in
            defer { state.hanging = nil }
            return state.hanging ?? []
        }
        for call in hanging { call.finish() }
    }

    /// Does not return before `releaseCalls()`, even when cancelled.
    private func hang() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        let isLetGo = state.withLock { state in
            state.hanging?.append(continuation)
            return state.hanging == nil
        }
        guard !isLetGo else { return }
        await Task.detached { for await _ in stream {} }.value
    }
}
