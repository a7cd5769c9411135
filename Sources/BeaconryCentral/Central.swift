// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
public import Radio

/// The receiving side of a radio: it scans, knows the devices that were heard, and says whether the radio can be used.
///
/// ```swift
/// let central = Central(radio: HCIRadio(.tcp(host: "127.0.0.1", port: 6402)))
/// try await central.open()
/// let sensor = try await central.find(ScanOptions(services: [.bit16(0x180F)]))
/// try await sensor.connect()
/// let battery = try await sensor.discoverService(.bit16(0x180F))
/// let level = try await battery.discoverCharacteristic(.bit16(0x2A19)).read()
/// await sensor.disconnect()
/// await central.close()
/// ```
///
/// Every call returns or throws a `CentralError` within its timeout, and at once when its task is cancelled.
public actor Central {
    /// How long a call may take unless told otherwise: 10 s.
    public static let defaultTimeout = Duration.seconds(10)

    let radio: any CentralRadio
    let timekeeper: Timekeeper
    var scanning = ScanningState()
    /// In turns, so that what the radio does is what is wanted in the end.
    let scanLane = Lane()
    var known: KnownPeripherals

    private var capabilities: ReceivingCapabilities?
    private var currentState = CentralRadioState.unavailable(Central.notOpen)
    private var observers: [UInt64: AsyncStream<CentralRadioState>.Continuation] = [:]
    private var lastObserver: UInt64 = 0
    /// Follows the radio's state.
    private var watching: Task<Void, Never>?
    private var isClosed = false

    static let notOpen = RadioError(.refused, "the central is not open", hint: "open it first")
    static let closed = RadioError(.refused, "the central was closed", hint: "make another one and open it")

    /// A central on this radio, which is its own from now on.
    /// - Parameters:
    ///   - radio: the radio.
    ///   - knownPeripherals: how many devices are remembered, at least one. When there are more, those that are not in
    ///     use and were heard longest ago are forgotten.
    ///   - clock: measures all timeouts.
    public init(
        radio: any CentralRadio, knownPeripherals: Int = 1024, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.radio = radio
        timekeeper = Timekeeper(clock)
        known = KnownPeripherals(limit: max(1, knownPeripherals))
    }

    deinit { watching?.cancel() }

    /// Has the keys kept that are made with devices, and connects from then on from an address that follows from the name,
    /// so that the devices know this central again. Call it before `open`; without it, bonds last as long as the central.
    ///
    /// Under BlueZ the keys are bluetoothd's, which keeps them itself.
    /// - Parameters:
    ///   - keeper: keeps them. It is called on the radio's own thread and returns when they are durable; where it cannot
    ///     keep them, the pairing fails with `PairingError.Code.notKept`.
    ///   - name: who this central is, the same in every run. Two that are in reach of each other need two names.
    public func keepBonds(with keeper: any BondStore, as name: String) async {
        await (radio as? any BondStoringCentralRadio)?.storeBonds(in: keeper, as: BeaconIdentifier(name))
    }

    /// Claims the radio.
    /// - Parameters:
    ///   - waits: whether to wait for a radio that is not usable yet instead of failing.
    ///   - timeout: how long that may take; `nil` for as long as it takes.
    /// - Returns: what the radio can do, and what it cannot see.
    @discardableResult
    public func open(
        waits: Bool = false, timeout: Duration? = defaultTimeout
    ) async throws(CentralError) -> ReceivingCapabilities {
        let operation = "open the radio \(radio.name)"
        if let capabilities { return capabilities }
        guard !isClosed else { throw CentralError(.radio(Self.closed), operation: operation) }
        let outcome = await Race<Result<ReceivingCapabilities, RadioError>>.run(
            within: timeout, by: timekeeper
        ) { [radio] _ in
            do throws(RadioError) {
                return .success(try await radio.openCentral(waits: waits))
            } catch {
                return .failure(error)
            }
        }
        switch outcome {
        case .finished(.success(let capabilities)):
            self.capabilities = capabilities
            await watchRadio()
            return capabilities
        case .finished(.failure(let error)): throw CentralError(.radio(error), operation: operation)
        case .timedOut:
            await close()
            throw CentralError(.timedOut(after: timeout ?? .zero), operation: operation)
        case .cancelled:
            await close()
            throw CentralError(.cancelled, operation: operation)
        }
    }

    /// Ends all scans and connections and gives the radio back, each within `Peripheral.disconnectTimeout`. The central
    /// is of no use afterwards.
    public func close() async {
        guard !isClosed else { return }
        isClosed = true
        endScans(CentralError(.radio(Self.closed), operation: "scan"))
        await withTaskGroup { group in
            for peripheral in known.all { group.addTask { await peripheral.disconnect() } }
        }
        _ = await Race<Void>.run(
            within: Peripheral.disconnectTimeout, by: timekeeper, isCancellable: false
        ) { [radio] _ in
            await radio.close()
        }
        watching?.cancel()
        take(.unavailable(Self.closed))
        for observer in observers.values { observer.finish() }
        observers = [:]
    }

    // MARK: - The radio's state

    /// Whether the radio can be used: how it is now, and each change. It ends with `close()`.
    ///
    /// A consumer that falls behind misses what came between, never the latest.
    public var states: AsyncStream<CentralRadioState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: CentralRadioState.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield(currentState)
        guard !isClosed else {
            continuation.finish()
            return stream
        }
        lastObserver += 1
        observers[lastObserver] = continuation
        continuation.onTermination = { [weak self, lastObserver] _ in
            Task { await self?.removeObserver(lastObserver) }
        }
        return stream
    }

    /// Whether the radio can be used now.
    public var state: CentralRadioState { currentState }

    /// Returns when the radio can be used: at once if it can now.
    public func waitUntilReady(timeout: Duration = defaultTimeout) async throws(CentralError) {
        let operation = "wait for the radio \(radio.name)"
        let states = states
        let outcome = await Race<Bool>.run(within: timeout, by: timekeeper) { _ in
            for await state in states where state == .ready { return true }
            return false
        }
        switch outcome {
        case .finished(true): return
        case .timedOut: throw CentralError(.timedOut(after: timeout), operation: operation)
        case .cancelled: throw CentralError(.cancelled, operation: operation)
        case .finished(false): throw CentralError(.radio(Self.closed), operation: operation)
        }
    }

    /// Throws what keeps the radio from being used.
    func requireReady(for operation: @autoclosure () -> String) throws(CentralError) {
        if case .unavailable(let error) = currentState { throw CentralError(.radio(error), operation: operation()) }
    }

    private func watchRadio() async {
        let states = await radio.states()
        take(.ready)
        watching = Task { [weak self] in
            for await state in states { await self?.take(state) }
        }
    }

    func take(_ state: CentralRadioState) {
        guard currentState != state else { return }
        currentState = state
        for observer in observers.values { observer.yield(state) }
    }

    private func removeObserver(_ number: UInt64) { observers[number] = nil }

    // MARK: - Known peripherals

    /// The devices that were heard or asked for by address and are remembered, those heard last at the end.
    public var knownPeripherals: [Peripheral] { known.all }

    /// The device of an address, known or not: no scan is needed to connect to it.
    public func peripheral(at address: RemoteAddress) -> Peripheral {
        known.find(address) { Peripheral(address, radio: radio, timekeeper: timekeeper) }
    }

    /// Forgets a device that is not connected.
    public func forget(_ address: RemoteAddress) { known.forget(address) }
}
