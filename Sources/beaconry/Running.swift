// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import Logging
import Persistence
import Profiles
import ServiceLifecycle
import UnixSignals

/// Runs an emulator with everything around it: events told, control socket served, signals obeyed.
struct Running {
    let options: RunOptions
    let configuration: Emulator.Configuration
    let controlPaths: [String]
    /// Whether the control sockets have the names of the profiles, and follow them when they are read again.
    var namesSockets = false

    /// Runs until told to stop.
    func run() async throws {
        // First: a signal that comes while the run starts waits for it.
        let hangups = Hangup.effect == .none ? nil : await UnixSignalsSequence(trapping: .sighup)
        DescriptorLimit.raise()
        Output.goOn()
        let ledger = try RunLedger(folder: Folders.runtime)
        defer { ledger.close() }
        let capture = try options.makeCapture()
        let emulator = Emulator(configuration, radio: try options.makeRadio(ledger: ledger, capture: capture))
        // Before anything is on the air: of two runs of a profile, the second does nothing.
        let pathOfProfile: (@Sendable (String) -> String)? =
            namesSockets ? { @Sendable in Folders.controlSocket(of: $0) } : nil
        let control = try await ControlServer(emulator, claiming: controlPaths, path: pathOfProfile)
        let telling = tell(emulator.events.listen())
        capture?.onIncomplete { [events = emulator.events] in events.warn($0) }
        let writtenRun = WrittenRun(emulator: emulator) {
            do {
                try await Output.finish(telling)
            } catch {
                try? await capture?.finish()
                throw error
            }
            try await capture?.finish()
        }
        let obeying = Task {
            guard let hangups else { return }
            for await _ in hangups { await Self.obey(hangupOf: emulator) }
        }
        defer { obeying.cancel() }
        var logger = Logger(label: "beaconry") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .error
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    // Shut down in reverse order: whoever listens to events hears the last of them.
                    .init(
                        service: control, successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .gracefullyShutdownGroup),
                    .init(
                        service: writtenRun, successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .gracefullyShutdownGroup),
                ],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }

    private static func obey(hangupOf emulator: Emulator) async {
        switch Hangup.effect {
        case .reload: _ = try? await emulator.reload()
        case .stop:
            Hangup.leaveTerminal()
            await emulator.stop()
        case .none: break
        }
    }

    private func tell(_ events: AsyncStream<EventRecord>) -> Task<Void, Never> {
        let json = options.writesJSON
        let executor = OutputExecutor()
        if !json, Terminal.isPossible {
            return Task(executorPreference: executor) {
                await RunDisplay.show(events) { if Self.loading.contains($0.event) { Heap.giveBack() } }
            }
        }
        return Task(executorPreference: executor) {
            for await record in events {
                if Self.loading.contains(record.event) { Heap.giveBack() }
                if json { Output.line(JSONLine.encode(record)) }
                let isForPeople = !json || record.event == "warning"
                if isForPeople { json ? Output.note(EventText.line(record)) : Output.line(EventText.line(record)) }
            }
        }
    }

    /// Events that end the reading of profiles.
    private static let loading: Set = ["ready", "reloaded"]
}

/// An emulator, and the writing of what it has reported: the run is over, for `ctl stop` too, when both have ended.
private struct WrittenRun: Service {
    let emulator: Emulator
    let finish: @Sendable () async throws -> Void

    func run() async throws {
        do {
            try await emulator.run()
        } catch {
            try? await finish()
            throw error
        }
        try await finish()
    }
}
