// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth
import Concurrency
public import Radio
import Receiving

/// The receiving side of a radio: it scans, remembers the devices that it has seen, and reports the state of the radio.
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
    /// The default timeout of calls: 10 s. Tests on a busy machine set another for a task, with
    /// `Central.$defaultTimeout.withValue(.seconds(60)) { … }`.
    @TaskLocal public static var defaultTimeout = Duration.seconds(10)

    private let radio: any CentralRadio
    private let timekeeper: Timekeeper
    private let calls = PendingCalls()
    private var scanning = ScanningState()
    /// Serializes changes of the scan, so that the last one takes effect last.
    private let scanLane = Lane()
    private var known: KnownPeripherals

    private var capabilities: ReceivingCapabilities?
    private let observed = ObservedState(CentralRadioState.unavailable(Central.notOpen))
    /// Observes the radio's state.
    private var watching: Task<Void, Never>?
    private var isClosed = false

    static let notOpen = RadioError(.refused, "the central is not open", hint: "open it first")
    static let closed = RadioError(.refused, "the central was closed", hint: "make another one and open it")

    /// A central that owns this radio from now on.
    /// - Parameters:
    ///   - radio: the radio.
    ///   - knownPeripherals: the number of devices that the central remembers, at least one. When there are more, it
    ///     forgets the devices that are not in use and that it has not seen for longest.
    ///   - clock: the clock of all timeouts; `nil` for real time, or for the virtual time in which the central is made.
    public init(
        radio: any CentralRadio, knownPeripherals: Int = 1024, clock: (any Clock<Duration>)? = nil
    ) {
        self.radio = radio
        timekeeper = Timekeeper(clock ?? Simulation.clock)
        known = KnownPeripherals(limit: max(1, knownPeripherals))
    }

    deinit { watching?.cancel() }

    /// Sets the store of the bonds with devices, and the identity of this central: it connects from an address that is
    /// derived from the name, so that devices recognise it. Call it before `open`; without it, bonds last as long as the
    /// central.
    ///
    /// Under BlueZ, bluetoothd stores the keys.
    /// - Parameters:
    ///   - store: saves the bonds. It is called on the radio's own thread and returns when they are saved; if it fails, so
    ///     does the pairing, with `PairingError.Code.notKept`.
    ///   - name: the identity of this central, the same in every run. Two centrals in range of each other need two names.
    public func storeBonds(in store: any BondStore, as name: String) async {
        await (radio as? any BondStoringCentralRadio)?.storeBonds(in: store, as: BeaconIdentifier(name))
    }

    /// Sets how this central answers devices that request encryption. Without this call it pairs with each of them
    /// ("just works"). Under BlueZ, bluetoothd answers.
    ///
    /// ```swift
    /// await central.setSecurityRequestHandler(.pairing(PairingSettings(inputOutput: .keyboard)) { _, _ in .passkey(123456) })
    /// await central.setSecurityRequestHandler(.refusing)
    /// ```
    public func setSecurityRequestHandler(_ handler: SecurityRequestHandler) async {
        await (radio as? any SecurityRequestRadio)?.setSecurityRequestHandler(handler)
    }

    /// Claims the radio.
    /// - Parameters:
    ///   - waits: whether to wait for a radio that is not usable yet instead of failing.
    ///   - timeout: the time limit; `nil` for none.
    /// - Returns: the capabilities of the radio, with their limits.
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

    /// Ends all scans and connections and releases the radio, each within `Peripheral.disconnectTimeout`. The central
    /// cannot be opened again.
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
        observed.set(.unavailable(Self.closed))
        observed.finish()
    }

    // MARK: - The radio's state

    /// The state of the radio: the current one, then each change. The stream ends with `close()`.
    ///
    /// A slow consumer misses intermediate states, never the latest.
    public var states: AsyncStream<CentralRadioState> { observed.stream }

    /// The current state of the radio.
    public var state: CentralRadioState { observed.value }

    /// Returns when the radio can be used; at once if it can be used now.
    public func waitUntilReady(timeout: Duration = defaultTimeout) async throws(CentralError) {
        let operation = "wait for the radio \(radio.name)"
        let call = calls.begin(operation)
        defer { withExtendedLifetime(call) {} }
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

    /// Throws the reason why the radio cannot be used.
    private func requireReady(for operation: @autoclosure () -> String) throws(CentralError) {
        if case .unavailable(let error) = observed.value { throw CentralError(.radio(error), operation: operation()) }
    }

    private func watchRadio() async {
        let states = await radio.states()
        observed.set(.ready)
        watching = Task { [weak self] in
            for await state in states { await self?.take(state) }
        }
    }

    private func take(_ state: CentralRadioState) {
        // After `close()` it stays unavailable.
        if !isClosed { observed.set(state) }
    }

    // MARK: - Calls

    /// The operations of its calls that have not returned, and of its scans and subscriptions, in the order in which they began.
    package nonisolated var pendingCalls: [String] { calls.names }

    /// A scan begins. It ends when nothing refers to what is returned.
    nonisolated func beginScan() -> PendingCall { calls.begin("scan") }

    // MARK: - Known peripherals

    /// The devices that are remembered, because they were seen or requested by address; those seen last at the end.
    public var knownPeripherals: [Peripheral] { known.all }

    /// The device of an address, known or not: no scan is needed to connect to it.
    public func peripheral(at address: RemoteAddress) -> Peripheral {
        known.find(address) { Peripheral(address, radio: radio, timekeeper: timekeeper, calls: calls) }
    }

    /// Forgets a device, unless it is connected.
    public func forget(_ address: RemoteAddress) { known.forget(address) }
}

// MARK: - Scanning

extension Central {
    /// A sequence of discoveries; the scan begins with its first element.
    public nonisolated func scan(_ options: ScanOptions = ScanOptions()) -> Scan {
        Scan(by: self, options)
    }

    /// The first device that meets the options.
    /// - Parameters:
    ///   - options: the conditions.
    ///   - timeout: the time limit.
    /// - Throws: `CentralError` `.timedOut` if there is none.
    public func find(
        _ options: ScanOptions = ScanOptions(), timeout: Duration = defaultTimeout
    ) async throws(CentralError) -> Peripheral {
        let operation = "find a device"
        let call = calls.begin(operation)
        defer { withExtendedLifetime(call) {} }
        let outcome = await Race<Result<Peripheral?, CentralError>>.run(within: timeout, by: timekeeper) { _ in
            do throws(CentralError) {
                for try await discovery in self.scan(options) { return .success(discovery.peripheral) }
                return .success(nil)
            } catch {
                return .failure(error)
            }
        }
        switch outcome {
        case .finished(.success(.some(let peripheral))): return peripheral
        case .finished(.failure(let error)): throw error
        case .timedOut: throw CentralError(.timedOut(after: timeout), operation: operation)
        case .cancelled: throw CentralError(.cancelled, operation: operation)
        case .finished(.success(nil)):
            throw CentralError(.timedOut(after: options.duration ?? timeout), operation: operation)
        }
    }

    /// Adds a consumer, and starts or changes the radio's scan.
    func listen(_ options: ScanOptions) async throws(CentralError) -> AsyncStream<Result<Discovery, CentralError>> {
        let operation = "scan"
        try requireReady(for: operation)
        let (stream, continuation) = AsyncStream.makeStream(
            of: Result<Discovery, CentralError>.self, bufferingPolicy: .bufferingNewest(Scan.capacity))
        scanning.lastConsumer += 1
        let number = scanning.lastConsumer
        scanning.consumers[number] = ScanningState.Consumer(options: options, continuation: continuation)
        continuation.onTermination = { [weak self] _ in
            Task { await self?.removeConsumer(number) }
        }
        let outcome = await Race<Result<Void, RadioError>?>.run(
            within: Self.defaultTimeout, by: timekeeper
        ) { _ in
            await self.adjustScan()
        }
        do throws(CentralError) {
            switch outcome {
            case .finished(.success): break
            case .finished(.failure(let error)): throw CentralError(.radio(error), operation: operation)
            case .timedOut: throw CentralError(.timedOut(after: Self.defaultTimeout), operation: operation)
            case .cancelled, .finished(nil): throw CentralError(.cancelled, operation: operation)
            }
        } catch {
            continuation.finish()
            throw error
        }
        if let duration = options.duration {
            scanning.consumers[number]?.timer = Task { [timekeeper] in
                if await timekeeper.sleep(for: duration) { continuation.finish() }
            }
        }
        return stream
    }

    private func removeConsumer(_ number: UInt64) async {
        scanning.consumers.removeValue(forKey: number)?.timer?.cancel()
        _ = await adjustScan()
    }

    /// Starts, changes or stops the radio's scan for the consumers.
    /// - Returns: `nil` when the task was cancelled before.
    private func adjustScan() async -> Result<Void, RadioError>? {
        guard await scanLane.enter() else { return nil }
        defer { scanLane.leave() }
        guard scanning.wanted != scanning.settings else { return .success(()) }
        scanning.generation += 1
        guard let wanted = scanning.wanted else {
            scanning.settings = nil
            await radio.stopScanning()
            return .success(())
        }
        do throws(RadioError) {
            let sightings = try await radio.scan(wanted)
            scanning.settings = wanted
            listen(to: sightings)
            return .success(())
        } catch {
            scanning.settings = nil
            return .failure(error)
        }
    }

    private func listen(to sightings: AsyncStream<Sighting>) {
        Task { [weak self, generation = scanning.generation] in
            for await sighting in sightings { await self?.take(sighting) }
            await self?.endScan(generation)
        }
    }

    private func take(_ sighting: Sighting) {
        let peripheral = peripheral(at: sighting.device)
        let advertisement = peripheral.take(sighting, at: timekeeper.now())
        let discovery = Discovery(peripheral: peripheral, sighting: sighting, advertisement: advertisement)
        if scanning.consumers.count == 1, let number = scanning.consumers.keys.first {
            scanning.consumers[number]?.take(discovery)
        } else {
            // In an order that is the same in each run in virtual time.
            for number in scanning.consumers.keys.sorted() { scanning.consumers[number]?.take(discovery) }
        }
    }

    /// A scan of the radio has ended; if it was not replaced, it ends for all.
    private func endScan(_ generation: UInt64) async {
        guard generation == scanning.generation, scanning.settings != nil else { return }
        scanning.settings = nil
        var states = await radio.states().makeAsyncIterator()
        var reason = RadioError(.refused, "the radio has ended the scan", hint: "scan again")
        if case .unavailable(let error) = await states.next() { reason = error }
        guard generation == scanning.generation else { return }
        endScans(CentralError(.radio(reason), operation: "scan"))
    }

    /// Ends all scans with an error.
    func endScans(_ error: CentralError) {
        for (_, consumer) in scanning.consumers.sorted(by: { $0.key < $1.key }) {
            consumer.continuation.yield(.failure(error))
            consumer.continuation.finish()
        }
    }
}

/// The scan of the radio and its consumers.
private struct ScanningState {
    struct Consumer {
        let options: ScanOptions
        let continuation: AsyncStream<Result<Discovery, CentralError>>.Continuation
        var timer: Task<Void, Never>?
        /// The version of each device's advertisement that it got last, if it excludes repetitions.
        var reported: [RemoteAddress: UInt64] = [:]

        /// Passes a discovery to the consumer, if its options include it.
        mutating func take(_ discovery: Discovery) {
            let (device, version) = (discovery.sighting.device, discovery.advertisement.version)
            guard options.includesRepetitions || reported[device] != version, options.includes(discovery) else {
                return
            }
            if !options.includesRepetitions {
                if reported.count >= Scan.capacity { reported = [:] }
                reported[device] = version
            }
            continuation.yield(.success(discovery))
        }
    }

    var consumers: [UInt64: Consumer] = [:]
    var lastConsumer: UInt64 = 0
    /// The parameters of the radio's scan; `nil` while it does not scan.
    var settings: ScanParameters?
    /// The number of the radio's scan.
    var generation: UInt64 = 0

    /// The parameters that the consumers need; `nil` without consumers.
    var wanted: ScanParameters? {
        consumers.isEmpty ? nil : ScanParameters(isActive: consumers.values.contains(where: \.options.isActive))
    }
}
