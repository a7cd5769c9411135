// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import Concurrency
package import HCIRadio
package import Profiles
package import Radio
import Receiving
import Space
import Synchronization

/// The central of a virtual air as a phone: whatever a command scans, it gets what the scan of the phone receives.
///
/// The system of the phone has the windows, the limits and the screen; the command has whether the scan is active. What the app of the
/// phone makes of packets is not part of it.
package final class PhoneCentral: DirectCentralRadio, BondStoringCentralRadio, SecurityRequestRadio, ServingRadio {
    private struct State {
        /// The number of the scan that the command has requested last.
        var request = 0
        /// The number of the scan that the radio performs; its end is that of the request only if it was not replaced.
        var performed = 0
        var task: Task<Void, Never>?
        var gaps: ReceptionGaps?
    }

    private let radio: VirtualAirRadio
    private let settings: ListenerSettings
    private let seed: UInt64
    private let time = Timekeeper(Simulation.clock)
    private let state = Mutex(State())

    /// A phone.
    /// - Parameter receiver: its name, on which chance depends.
    package init(_ radio: VirtualAirRadio, as receiver: String, _ settings: ListenerSettings) {
        self.radio = radio
        self.settings = settings
        seed = radio.seed ^ receiver.stableHash
    }

    // MARK: - The scan

    package func scan(_ parameters: ScanParameters) async throws(RadioError) -> AsyncStream<Sighting> {
        let (stream, continuation) = AsyncStream.makeStream(of: Sighting.self, bufferingPolicy: .bufferingNewest(4096))
        try await scan(
            parameters,
            to: SightingSink(receive: { continuation.yield($0) }, end: { continuation.finish() }))
        return stream
    }

    package func scan(_ parameters: ScanParameters, to sink: SightingSink) async throws(RadioError) {
        var scan = PhoneScan(settings.plan)
        scan.setScreen(settings.screen)
        scan.isFiltered = settings.isFiltered ?? !settings.regions.isEmpty
        let start = time.now()
        // The first start of a plan is permitted.
        if settings.isListening, settings.obstacle == nil { try? scan.start(at: start) }
        await drawGaps(at: start)
        let request = state.withLock { state in
            state.task?.cancel()
            state.request += 1
            return state.request
        }
        var performed = scan.parameters(at: start)
        try await perform(performed, of: parameters, to: sink, request)
        guard var due = scan.nextDeadline(after: start) else { return }
        let task = Task { [time, plan = scan] in
            while await time.sleep(for: due - time.now()), !Task.isCancelled {
                let now = max(time.now(), due)
                let wanted = plan.parameters(at: now)
                if wanted != performed {
                    performed = wanted
                    do throws(RadioError) {
                        try await self.perform(wanted, of: parameters, to: sink, request)
                    } catch {
                        return sink.end()
                    }
                }
                guard let next = plan.nextDeadline(after: now) else { return }
                due = next
            }
        }
        state.withLock { $0.task = task }
    }

    /// Performs what the plan of the phone has at present.
    private func perform(
        _ planned: ScanParameters?, of requested: ScanParameters, to sink: SightingSink, _ request: Int
    ) async throws(RadioError) {
        let number = state.withLock { state -> Int? in
            guard state.request == request else { return nil }
            state.performed += 1
            return state.performed
        }
        guard let number else { return }
        guard var parameters = planned else { return await radio.stopScanning() }
        parameters.isActive = parameters.isActive && requested.isActive
        try await radio.scan(
            parameters,
            to: SightingSink(
                receive: { [weak self] in if self?.isLost() == false { sink.receive($0) } },
                end: { [weak self] in
                    if self?.state.withLock({ $0.performed == number }) != false { sink.end() }
                }))
    }

    private func isLost() -> Bool {
        state.withLock { $0.gaps?.contains(time.now()) == true }
    }

    private func drawGaps(at now: Duration) async {
        guard let plan = settings.phone.gaps, !(await radio.propagation()).isDeterministic else { return }
        state.withLock { state in
            if state.gaps == nil { state.gaps = ReceptionGaps(plan, seed: seed &+ 1, from: now) }
        }
    }

    package func stopScanning() async {
        state.withLock { state in
            state.task?.cancel()
            state.task = nil
            state.request += 1
        }
        await radio.stopScanning()
    }

    // MARK: - Everything else

    package var name: String { radio.name }

    package func openCentral(waits: Bool) async throws(RadioError) -> ReceivingCapabilities {
        try await radio.openCentral(waits: waits)
    }

    package func states() async -> AsyncStream<CentralRadioState> { await radio.states() }

    package func connect(to device: RemoteAddress, timeout: Duration) async throws(RadioError) -> any RemoteLink {
        try await radio.connect(to: device, timeout: timeout)
    }

    package func close() async {
        state.withLock { $0.task?.cancel() }
        await radio.close()
    }

    package func storeBonds(in store: any BondStore, as central: BeaconIdentifier) async {
        await radio.storeBonds(in: store, as: central)
    }

    package func forgetBond(with device: RemoteAddress) async { await radio.forgetBond(with: device) }

    package func setSecurityRequestHandler(_ handler: SecurityRequestHandler) async {
        await radio.setSecurityRequestHandler(handler)
    }

    package func serve(_ attributes: ServedAttributes?) async throws(RadioError) { try await radio.serve(attributes) }
}
