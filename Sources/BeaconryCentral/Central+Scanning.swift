// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import Radio

/// The one scan of a radio, and who listens to it.
struct ScanningState {
    struct Consumer {
        let options: ScanOptions
        let continuation: AsyncStream<Result<Discovery, CentralError>>.Continuation
        var timer: Task<Void, Never>?
        /// What it was told last of each device, when it wants no repetitions.
        var told: [RemoteAddress: UInt64] = [:]

        /// Takes a discovery if it wants it.
        mutating func take(_ discovery: Discovery) {
            let (device, version) = (discovery.sighting.device, discovery.advertisement.version)
            guard options.includesRepetitions || told[device] != version, options.wants(discovery) else { return }
            if !options.includesRepetitions {
                if told.count >= Scan.capacity { told = [:] }
                told[device] = version
            }
            continuation.yield(.success(discovery))
        }
    }

    var consumers: [UInt64: Consumer] = [:]
    var lastConsumer: UInt64 = 0
    /// What the radio does.
    var settings: ScanParameters?
    /// Which of its scans it is.
    var generation: UInt64 = 0

    /// What the radio should do.
    var wanted: ScanParameters? {
        consumers.isEmpty ? nil : ScanParameters(isActive: consumers.values.contains(where: \.options.isActive))
    }
}

extension Central {
    /// Listens: a sequence of what is heard, which begins with its first element.
    public nonisolated func scan(_ options: ScanOptions = ScanOptions()) -> Scan {
        Scan(by: self, options)
    }

    /// The first device that is heard and wanted.
    /// - Parameters:
    ///   - options: which devices are wanted.
    ///   - timeout: how long to listen.
    /// - Throws: `CentralError` `.timedOut` when there is none.
    public func find(
        _ options: ScanOptions = ScanOptions(), timeout: Duration = defaultTimeout
    ) async throws(CentralError) -> Peripheral {
        let operation = "find a device"
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

    /// Adds a consumer, and sees to it that the radio scans as is wanted.
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

    /// Has the radio do what is wanted, in turn.
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
        for number in scanning.consumers.keys { scanning.consumers[number]?.take(discovery) }
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
        for consumer in scanning.consumers.values {
            consumer.continuation.yield(.failure(error))
            consumer.continuation.finish()
        }
    }
}
