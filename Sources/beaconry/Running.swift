// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryTools
import Emulator
import Logging
import Persistence
import Profiles
import Radio
import ServiceLifecycle
import UnixSignals

/// Runs an emulator, prints its events, serves its control socket, and handles signals.
struct Running {
    let options: RunOptions
    let configuration: Emulator.Configuration
    let controlPaths: [String]
    /// Whether the control sockets have the names of the profiles, and follow them on a reload.
    var namesSockets = false

    /// Runs until the end of the duration, a signal or `ctl stop`.
    func run() async throws {
        // First, so that a signal that arrives while the run starts is handled after the start.
        let hangups = Hangup.effect == .none ? nil : await UnixSignalsSequence(trapping: .sighup)
        DescriptorLimit.raise()
        Output.continueAfterErrors()
        let (driver, timing) = try options.driver(for: configuration.profiles ?? [])
        let ledger = try RunLedger(folder: Folders.runtime)
        defer { ledger.close() }
        let capture = try options.makeCapture()
        let clock = timing.makeClock()
        let radio = driver.makePeripheral(RadioResources(ledger: ledger, capture: capture))
        let emulator = Emulator(configuration, radio: radio, clock: clock)
        // Before anything is on the air, so that a second run of a profile fails here.
        let pathOfProfile: (@Sendable (String) -> String)? =
            namesSockets ? { @Sendable in Folders.controlSocket(of: $0) } : nil
        let control = try await ControlServer(
            emulator, claiming: controlPaths, path: pathOfProfile, sentence: { EventText.line($0) })
        let printing = print(emulator.events.listen(), isSimulated: timing.isSimulated)
        capture?.onIncomplete { [events = emulator.events] in events.post(.warning($0)) }
        let writtenRun = WrittenRun(emulator: emulator) {
            do {
                try await Output.finish(printing)
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
                    // Services are shut down in reverse order, so that clients receive the last events.
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

    /// Prints events: as a table on a terminal, else as lines. With `--json` warnings are printed as sentences, too, on
    /// standard error.
    ///
    /// In virtual time the events are printed in that time: a printer of its own would be too slow, and lose events.
    private func print(_ events: AsyncStream<PostedEvent>, isSimulated: Bool) -> Task<Void, Never> {
        let json = options.writesJSON
        let executor: (any TaskExecutor)? = isSimulated ? nil : OutputExecutor()
        if !json, Terminal.isPossible {
            return Task(executorPreference: executor) {
                await RunDisplay.show(events) { Self.trimHeap(after: $0) }
            }
        }
        return Task(executorPreference: executor) {
            for await posted in events {
                Self.trimHeap(after: posted.event)
                if json {
                    Output.line(JSONLine.encode(posted))
                    if posted.event.isWarning { Output.note(EventText.line(posted.event)) }
                } else {
                    Output.line(EventText.line(posted.event))
                }
            }
        }
    }

    /// Releases the memory that reading the profiles has taken.
    private static func trimHeap(after event: EmulatorEvent) {
        switch event {
        case .ready, .reloaded: Heap.giveBack()
        default: break
        }
    }
}

/// An emulator and the output of its events. The run is over, also for `ctl stop`, when both have ended.
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
