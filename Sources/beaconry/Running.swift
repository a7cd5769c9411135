// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import Logging
import Profiles
import ServiceLifecycle
import UnixSignals

/// Runs an emulator with everything around it: events told, control socket served, signals obeyed.
struct Running {
    let options: RunOptions
    let configuration: Emulator.Configuration
    let controlPaths: [String]

    /// Runs until told to stop.
    func run() async throws {
        let ledger = try RunLedger(folder: Folders.runtime)
        defer { ledger.close() }
        let emulator = Emulator(configuration, radio: try options.radio.make(ledger: ledger))
        let telling = tell(emulator.events.listen())
        let reloading = Task {
            for await _ in await UnixSignalsSequence(trapping: .sighup) { _ = try? await emulator.reload() }
        }
        defer { reloading.cancel() }
        var logger = Logger(label: "beaconry") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .error
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    // Shut down in reverse order: whoever listens to events hears the last of them.
                    .init(
                        service: ControlServer(emulator, paths: controlPaths),
                        successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .gracefullyShutdownGroup),
                    .init(
                        service: emulator, successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .gracefullyShutdownGroup),
                ],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        do {
            try await group.run()
        } catch {
            await telling.value
            throw error
        }
        await telling.value
    }

    private func tell(_ events: AsyncStream<EventRecord>) -> Task<Void, Never> {
        let json = options.json || Environment.flag("BEACONRY_JSON")
        return Task {
            for await record in events {
                if json { Output.line(JSONLine.encode(record)) }
                let isForPeople = !json || record.event == "warning"
                if isForPeople { json ? Output.note(EventText.line(record)) : Output.line(EventText.line(record)) }
            }
        }
    }
}
