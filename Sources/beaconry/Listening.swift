// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Radio
import Synchronization
import UnixSignals

/// One use of a radio as a receiver: opened, its limits told, given back at the end, whatever the end is.
struct Listening: Sendable {
    /// What is done with the radio.
    typealias Work = @Sendable (any CentralRadio, ReceivingCapabilities) async throws -> Void

    /// How it ended.
    enum Ending: Hashable, Sendable {
        /// The work was done.
        case done
        /// The time was up.
        case timeUp
        /// SIGINT or SIGTERM came.
        case interrupted
        /// The radio cannot be used any more.
        case lost(RadioError)
        /// Results cannot be written any more.
        case unwritable(Output.Trouble)

        /// Fails when the radio was lost, or results cannot be written.
        func check() throws {
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

    private let radio: any CentralRadio
    private let waits: Bool
    private let isJSON: Bool
    private let duration: Duration?
    private let limits: Set<ReceivingCapabilities.Limit.Subject>
    private let prepare: @Sendable (any CentralRadio) async -> Void

    /// - Parameters:
    ///   - duration: how long to work, from the moment that the radio is open; `nil` without an end.
    ///   - limits: the limits of a radio that matter to the work.
    ///   - maximumTransmissionUnit: the longest attribute protocol PDU that it takes, where that is for us to say.
    ///   - prepare: tells the radio what it must know before it is opened.
    init(
        _ options: ListeningOptions, duration: Duration? = nil,
        limits: Set<ReceivingCapabilities.Limit.Subject> = [], maximumTransmissionUnit: UInt16 = 517,
        prepare: @escaping @Sendable (any CentralRadio) async -> Void = { _ in }
    ) throws {
        radio = try options.radio.selection(waits: options.waits).makeCentral(
            maximumTransmissionUnit: maximumTransmissionUnit)
        waits = options.waits
        isJSON = options.isJSON
        self.duration = duration
        self.limits = limits
        self.prepare = prepare
    }

    /// Does the work, which is cancelled and waited for when the time is up, a signal comes or the radio is lost.
    /// - Throws: what the work throws, or `RadioError` when the radio cannot be opened.
    func run(_ work: @escaping Work) async throws -> Ending {
        let progress = Progress()
        let stallGuards = Output.endIfStalled(on: [SIGINT, SIGTERM])
        let troubles = Output.troubles()
        defer {
            Output.ignoreTroubles()
            for stallGuard in stallGuards { stallGuard.cancel() }
        }
        let ending = try await withThrowingTaskGroup(of: Ending.self) { group in
            group.addTask {
                for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) { break }
                // Whoever waits for a radio that does not come is released so.
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
                // What a work runs into that is told to stop does not count.
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
        let capabilities = try await radio.openCentral(waits: waits)
        progress.isOpen.store(true, ordering: .relaxed)
        for limit in capabilities.limits where limits.contains(limit.subject) { Notice(limit).tell(asJSON: isJSON) }
        ListeningNotice(capabilities).tell(asJSON: isJSON)
        do {
            let ending = try await race(work, capabilities)
            await radio.close()
            return ending
        } catch {
            await radio.close()
            throw error
        }
    }

    private func race(_ work: @escaping Work, _ capabilities: ReceivingCapabilities) async throws -> Ending {
        try await withThrowingTaskGroup(of: Ending?.self) { group in
            group.addTask {
                try await work(radio, capabilities)
                // What is heard ends with the radio, perhaps before the radio's state is told.
                for await state in await radio.states() {
                    if case .unavailable(let error) = state { return .lost(error) }
                    break
                }
                return .done
            }
            if let duration {
                group.addTask {
                    try? await Task.sleep(for: duration)
                    return .timeUp
                }
            }
            group.addTask {
                for await case .unavailable(let error) in await radio.states() { return .lost(error) }
                return nil
            }
            var ending: Ending?
            while ending == nil, let next = try await group.next() { ending = next }
            group.cancelAll()
            while try await group.next() != nil {}
            return ending ?? .done
        }
    }
}
