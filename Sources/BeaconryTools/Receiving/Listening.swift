// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Concurrency
import Dispatch
import Emulator
import Glibc
package import Profiles
package import Radio
package import Space
import Synchronization
import UnixSignals

/// One use of a radio as a receiver: opens it, reports its limits, does the work and closes it, however the work ends.
///
/// With an `AirRun`, it uses the radio of the run's beacons, which are on the air meanwhile.
///
/// SIGINT, SIGTERM, the end of the duration, the loss of the radio and a failure to write results cancel the work.
package struct Listening: Sendable {
    /// The work with the radio.
    package typealias Work = @Sendable (any CentralRadio, ReceivingCapabilities) async throws -> Void

    /// How the work ended.
    package enum Ending: Hashable, Sendable {
        /// The work was completed.
        case done
        /// The time was up.
        case timeUp
        /// SIGINT or SIGTERM came.
        case interrupted
        /// The radio became unusable.
        case lost(RadioError)
        /// Results cannot be written.
        case unwritable(Output.Trouble)

        /// Throws if the radio was lost or results cannot be written.
        package func check() throws {
            switch self {
            case .done, .timeUp, .interrupted: return
            case .lost(let error): throw error
            case .unwritable(let trouble): throw trouble
            }
        }
    }

    private final class Progress: Sendable {
        let isOpen = Atomic(false)
    }

    private var radio: any CentralRadio
    /// The name and the settings of the receiver whose scan it has; `nil` for the scans of the work.
    package private(set) var receiver: (name: String, settings: ListenerSettings)?
    private let waits: Bool
    private let format: OutputFormat
    private let duration: Duration?
    private let limits: Set<ReceivingCapabilities.Limit.Subject>
    private let scansActively: Bool
    private let position: Position?
    private var prepare: @Sendable (any CentralRadio) async -> Void = { _ in }
    private let air: AirRun?

    /// - Parameters:
    ///   - waits: whether to wait for the radio until it is usable.
    ///   - format: the form of the notices.
    ///   - duration: the time from the opening of the radio to the end; `nil` for no limit.
    ///   - limits: the limits of a radio that affect the work; they are reported as warnings.
    ///   - scansActively: whether the work scans with scan requests, for which some limits do not hold, or others.
    ///   - position: where it is on a virtual air; `nil` leaves that to the air.
    package init(
        _ radio: any CentralRadio, waits: Bool, format: OutputFormat, duration: Duration? = nil,
        limits: Set<ReceivingCapabilities.Limit.Subject> = [], scansActively: Bool = true, position: Position? = nil
    ) {
        self.radio = radio
        self.waits = waits
        self.format = format
        self.duration = duration
        self.limits = limits
        self.scansActively = scansActively
        self.position = position
        air = nil
    }

    /// A use of the virtual air of a run, during which its beacons are there.
    /// - Parameters:
    ///   - duration: the time from the opening of the radio, when the beacons are on the air, to the end; `nil` for no limit.
    ///   - receiver: the name and the settings of the receiver whose scan it has; `nil` for the scans of the work.
    package init(
        _ air: AirRun, format: OutputFormat, duration: Duration? = nil,
        as receiver: (name: String, settings: ListenerSettings)? = nil
    ) {
        radio = receiver.map { PhoneCentral(air.radio, as: $0.name, $0.settings) } ?? air.radio
        waits = false
        self.format = format
        self.duration = duration
        limits = []
        scansActively = true
        position = nil
        self.air = air
        self.receiver = receiver
    }

    /// The same with the scans of the work, for work that is a phone itself.
    package var withoutPhone: Listening {
        guard let air else { return self }
        var listening = self
        listening.radio = air.radio
        listening.receiver = nil
        return listening
    }

    /// Where this receiver and the beacon that sent something really are; `nil` if the air is elsewhere.
    func truth(of sighting: Sighting) -> TruthRecord? {
        guard let air else { return nil }
        let beacon = air.emulator.listeners.owner(of: sighting.device.address)
        return air.emulator.truth.record(receiver: air.central, beacon: beacon)
    }

    /// The run of the beacons on the air of this use; `nil` if they are elsewhere.
    var emulator: Emulator? { air?.emulator }

    /// The same use of a radio that is configured before it is opened.
    package func preparing(_ prepare: @escaping @Sendable (any CentralRadio) async -> Void) -> Listening {
        var listening = self
        listening.prepare = prepare
        return listening
    }

    /// Does work that has a result.
    /// - Returns: how it ended, and the result; `nil` if the end came before it.
    package func result<Value: Sendable>(
        _ work: @escaping @Sendable (any CentralRadio, ReceivingCapabilities) async throws -> Value
    ) async throws -> (ending: Ending, value: Value?) {
        let (values, value) = AsyncStream.makeStream(of: Value.self)
        let ending = try await run { radio, capabilities in value.yield(try await work(radio, capabilities)) }
        value.finish()
        for await found in values { return (ending, found) }
        return (ending, nil)
    }

    /// Does the work; when it is cancelled, waits for its end.
    /// - Throws: the errors of the work, or `RadioError` when the radio cannot be opened.
    package func run(_ work: @escaping Work) async throws -> Ending {
        // Before anything is opened that must be released, and before virtual time begins.
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        guard let air else { return try await listen(signals, work) }
        let events = air.emulator.events.listen()
        let reporting = Task { for await posted in events { report(posted.event) } }
        // In a task of its own: the task of the command may have begun outside of the simulation.
        let listening = Task.detached { try await air.run { try await listen(signals, work) } }
        let ending = await listening.result
        await reporting.value
        return try ending.get()
    }

    /// Reports the warnings of the beacons, and the end of a replay.
    private func report(_ event: EmulatorEvent) {
        switch event {
        case .warning(let warning): Output.report(Notice(warning), as: format)
        case .beacon(let beacon, .warning(let warning)): Output.report(Notice(warning, of: beacon.name), as: format)
        case .replayEnded(let count): Output.report(ReplayEndNotice(packets: count), as: format)
        default: break
        }
    }

    private func listen(_ signals: UnixSignalsSequence, _ work: @escaping Work) async throws -> Ending {
        let progress = Progress()
        let stallGuards = Output.endIfStalled(on: [SIGINT, SIGTERM])
        let troubles = Output.troubles()
        defer {
            Output.ignoreTroubles()
            for stallGuard in stallGuards { stallGuard.cancel() }
        }
        let ending = try await withThrowingTaskGroup(of: Ending.self) { group in
            group.addTask {
                for await _ in signals { break }
                // Unblocks `openCentral(waits:)`.
                if !Task.isCancelled, !progress.isOpen.load(ordering: .relaxed) { await radio.close() }
                return .interrupted
            }
            group.addTask {
                for await trouble in troubles {
                    if !progress.isOpen.load(ordering: .relaxed) { await radio.close() }
                    return .unwritable(trouble)
                }
                return .done
            }
            group.addTask { try await use(work, progress) }
            let ending: Ending
            do {
                ending = try await group.next() ?? .done
            } catch {
                group.cancelAll()
                throw error
            }
            group.cancelAll()
            do {
                while try await group.next() != nil {}
            } catch {
                // Errors of cancelled work do not count.
                switch ending {
                case .interrupted, .unwritable: break
                default: throw error
                }
            }
            return ending
        }
        return Output.trouble.map { .unwritable($0) } ?? ending
    }

    private func use(_ work: @escaping Work, _ progress: Progress) async throws -> Ending {
        await prepare(radio)
        let placeable = radio as? any PlaceableCentralRadio
        if let position { await placeable?.place(at: position) }
        let capabilities = try await radio.openCentral(waits: waits)
        progress.isOpen.store(true, ordering: .relaxed)
        for limit in capabilities.limits(scanningActively: scansActively)
        where limits.contains(limit.subject) || limit.subject == .exclusive {
            Output.report(Notice(limit), as: format)
        }
        if position != nil, await placeable?.isPlaced != true {
            Output.report(Self.notPlaced(capabilities), as: format)
        }
        Output.report(ListeningNotice(capabilities), as: format)
        do {
            let ending = try await race(work, capabilities)
            await radio.close()
            return ending
        } catch {
            await radio.close()
            throw error
        }
    }

    private static func notPlaced(_ capabilities: ReceivingCapabilities) -> Notice {
        Notice(
            code: "position-ignored",
            message: "\(capabilities.name) has no positions, so --position has no effect",
            hint: "join the virtual air of beaconry run (--radio virtual, or tcp-client:HOST:PORT)")
    }

    private func race(_ work: @escaping Work, _ capabilities: ReceivingCapabilities) async throws -> Ending {
        try await withThrowingTaskGroup(of: Ending?.self) { group in
            group.addTask {
                try await work(radio, capabilities)
                // The receptions end with the radio, perhaps before its state is reported.
                for await state in await radio.states() {
                    if case .unavailable(let error) = state { return .lost(error) }
                    break
                }
                return .done
            }
            if let duration {
                group.addTask {
                    try? await Simulation.clock.sleep(for: duration)
                    return .timeUp
                }
            }
            group.addTask {
                for await case .unavailable(let error) in await radio.states() { return .lost(error) }
                return nil
            }
            // The events of a radio with beacons have another consumer.
            if air == nil, let events = (radio as? any PeripheralRadio)?.events {
                group.addTask {
                    for await case .warning(nil, let warning) in events { Output.report(Notice(warning), as: format) }
                    return nil
                }
            }
            if let warnings = (radio as? any WarningCentralRadio)?.scanWarnings {
                group.addTask {
                    for await warning in warnings { Output.report(Notice(warning), as: format) }
                    return nil
                }
            }
            var ending: Ending?
            while ending == nil, let next = try await group.next() { ending = next }
            group.cancelAll()
            while try await group.next() != nil {}
            return ending ?? .done
        }
    }
}
