// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryTools
import Bluetooth
import ESPHomeProxy
import Emulator
import HCIRadio
import JSON
import Logging
import Persistence
import Profiles
import Radio
import RunAPI
import RunServer
import ServiceLifecycle
import Sockets
import UnixSignals

/// Runs an emulator, prints its events, serves its control socket, and handles signals.
struct Running {
    let options: RunOptions
    let configuration: Emulator.Configuration
    let control: ControlPlace
    /// The files of the profiles, if a change of them is a reason to reload.
    var watch: ProfileWatch?
    /// The service for programs that runs beside the beacons.
    var service: BlueZRun?
    /// The walk on the bench; `nil` for none.
    var bench: BenchSettings?
    /// Whether events that are no warnings are not printed, unless they are JSON.
    var printsWarningsOnly = false
    /// Is called with each event.
    var observe: (@Sendable (EmulatorEvent) -> Void)?
    /// The paths of the profiles, beside which scenarios may be.
    var profilePaths: [String] = []

    /// Runs until the end of the duration, a signal or `ctl stop`.
    func run() async throws {
        // First, so that a signal that arrives while the run starts is handled after the start.
        let hangups = Hangup.effect == .none ? nil : await UnixSignalsSequence(trapping: .sighup)
        DescriptorLimit.raise()
        Output.continueAfterErrors()
        let request = try Request(
            options, configuration.profiles ?? [], servesPrograms: service != nil, onBench: bench != nil)
        let place = Folders.ledger(orIn: configuration.state)
        let ledger = place.ledger
        defer { ledger.close() }
        if let problem = place.problem, control == .profiles {
            throw PersistenceError(
                problem.message, hint: "\(problem.hint), or choose another control socket (--control PATH)")
        }
        SocketFile.removeAbandoned(ledger.takeLeftovers(under: Self.ledgerKey))
        let capture = try options.makeCapture()
        var releases: [@Sendable () async -> Void] = []
        do {
            try await run(request, hangups, ledger, place.warning, capture, &releases)
        } catch {
            for release in releases.reversed() { await release() }
            capture?.discard()
            throw error
        }
        for release in releases.reversed() { await release() }
    }

    /// The key of the paths of control sockets in the ledger.
    private static let ledgerKey = "control-sockets"

    /// What the options request, all checked before anything is created.
    private struct Request {
        let driver: any RadioDriver
        let timing: RunTiming
        let http: ControlAPI.Options?
        let metricsDetail: MetricsDetail?
        let metrics: HTTPOptions.Metrics?
        let proxies: [ESPHomeProxies.Definition]
        let controlGroup: UInt32?
        /// The virtual air of the receiver of a bench.
        let benchAir: VirtualAirOptions?

        init(_ options: RunOptions, _ profiles: [Profile], servesPrograms: Bool, onBench: Bool) throws {
            if onBench {
                let radio = try options.benchRadio(for: profiles)
                (driver, timing, benchAir) = (radio.driver, .real, radio.air)
            } else {
                (driver, timing) = try options.driver(for: profiles, servesPrograms: servesPrograms)
                benchAir = nil
            }
            http = try options.http.server()
            metricsDetail = try options.http.detail()
            metrics = try options.http.metrics()
            proxies = onBench ? [] : try options.air.proxies(for: profiles)
            controlGroup = try options.controlGroupNumber
        }
    }

    /// - Parameter releases: gets a function for each thing that was created, which releases it. They are to be called in
    ///   reverse order at the end, after an error as well.
    private func run(
        _ request: Request, _ hangups: UnixSignalsSequence?, _ ledger: RunLedger, _ ledgerWarning: Warning?,
        _ capture: CaptureFile?, _ releases: inout [@Sendable () async -> Void]
    ) async throws {
        let timing = request.timing
        let clock = timing.makeClock()
        let radio = request.driver.makePeripheral(RadioResources(ledger: ledger, capture: capture))
        var configuration = configuration
        if let bench, let air = request.benchAir {
            configuration.bench = Bench(bench, on: VirtualAirRadio(air))
        }
        if !(radio is any CentralRadio), !(radio is any ListeningRadio) {
            configuration.makeCentral = { [driver = request.driver] in
                driver.makeCentral(maximumTransmissionUnit: 517)
            }
        }
        let emulator = Emulator(configuration, radio: radio, clock: clock)
        // Before others learn of the run, so that it ends in order for a signal that they send while it starts.
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        // Before anything is on the air, so that a second run of a profile fails here.
        let context = RunContext(
            emulator, version: Version.number, detail: request.metricsDetail,
            scenarios: { [profilePaths] in ScenarioShelf.files(beside: profilePaths) })
        let socket = try await startControl(of: context, request.controlGroup, ledger)
        if let socket { releases.append { await socket.close() } }
        let events = emulator.events.listen()
        if let observe {
            let observed = emulator.events.listen()
            let observing = Task { for await posted in observed { observe(posted.event) } }
            releases.append { observing.cancel() }
        }
        if let options = request.http {
            let api = try await ControlAPI(context, options)
            releases.append { await api.close() }
        }
        if socket != nil || request.http != nil {
            let following = Task { await context.follow() }
            releases.append {
                following.cancel()
                await emulator.giveUp()
                // A client that gets the answer may start another run at the same paths.
                socket?.withdraw()
                // Requests that wait for the end are answered before their server ends.
                context.end.finish()
            }
        }
        if let proxies = try await startProxies(request.proxies, on: radio, emulator.events) {
            releases.append { await proxies.close() }
        }
        if let options = request.metrics {
            let metrics = try options.begin(of: emulator)
            releases.append { await metrics.close() }
        }
        let printing = print(events, isSimulated: timing.isSimulated)
        if let warning = try Self.receiverWarning(of: options, configuration) {
            emulator.events.post(.warning(warning))
        }
        if let ledgerWarning { emulator.events.post(.warning(ledgerWarning)) }
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
        let managing = ServiceManager().map { manager in
            let changes = emulator.events.listen()
            return Task {
                await manager.follow(changes) {
                    await emulator.airSummary()
                } versions: {
                    await context.versions()
                }
            }
        }
        let watching = Task { await watch?.run { _ = try? await emulator.reload() } }
        defer {
            obeying.cancel()
            watching.cancel()
            managing?.cancel()
        }
        var logger = Logger(label: "beaconry") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .error
        var services: [any Service] = [writtenRun]
        if let service { services.append(ServedRun(service: service, events: emulator.events.listen())) }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map {
                    .init(
                        service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .gracefullyShutdownGroup)
                },
                logger: logger))
        if let service {
            releases.append { await service.stop() }
            // Before the beacons are on the air, so that the adapters are there from the start.
            try await service.start(on: radio, signals: signals)
        }
        let ending = Task {
            guard service?.handlesSignals != true else { return }
            for await _ in signals { await group.triggerGracefulShutdown() }
        }
        defer { ending.cancel() }
        try await group.run()
        // Its events have ended.
        await managing?.value
    }

    /// A warning about receivers of the profiles that have no servers; `nil` without any.
    private static func receiverWarning(
        of options: RunOptions, _ configuration: Emulator.Configuration
    ) throws -> Warning? {
        let profiles = configuration.profiles ?? []
        guard configuration.bench != nil else { return try options.receiverWarning(for: profiles) }
        let names = profiles.flatMap(\.receivers).filter { $0.listener == nil }.map(\.id)
        guard !names.isEmpty else { return nil }
        return Warning(
            code: "receivers-not-served",
            message: "no host can join as \(names.joined(separator: ", ")): the virtual air of a bench has no servers",
            hint: "none needed; run the profile without --bench for these receivers")
    }

    /// Creates the control sockets; `nil` if there are to be none.
    private func startControl(
        of run: RunContext, _ group: UInt32?, _ ledger: RunLedger
    ) async throws -> ControlSocket? {
        let paths = control.paths(of: configuration.profiles ?? [])
        guard !paths.isEmpty else { return nil }
        let pathOfProfile: (@Sendable (String) -> String)? =
            control == .profiles ? { @Sendable in Folders.controlSocket(of: $0) } : nil
        return try await ControlSocket(
            run, claiming: paths, path: pathOfProfile,
            record: { ledger.record($0, under: Self.ledgerKey) }, group: group)
    }

    /// Starts the ESPHome proxies, before the radio is ready, so that it reports them; `nil` without any.
    private func startProxies(
        _ definitions: [ESPHomeProxies.Definition], on radio: any PeripheralRadio, _ events: EventHub
    ) async throws -> ESPHomeProxies? {
        guard !definitions.isEmpty, let radio = radio as? VirtualAirRadio else { return nil }
        return try await ESPHomeProxies(definitions, on: radio) { report in
            switch report {
            case .host(let event): events.post(.host(event))
            case .warning(let warning): events.post(.warning(warning))
            }
        }
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
    /// standard error. Beside a command, whose output standard output is, only warnings are printed; beside a service without
    /// a command, events are printed on standard error.
    ///
    /// In virtual time the events are printed in that time: a printer of its own would be too slow, and lose events.
    private func print(_ events: AsyncStream<PostedEvent>, isSimulated: Bool) -> Task<Void, Never> {
        let json = options.writesJSON
        let executor: (any TaskExecutor)? = isSimulated ? nil : OutputExecutor()
        if service == nil, !json, !printsWarningsOnly, Terminal.isPossible {
            return Task(executorPreference: executor) {
                await RunDisplay.show(events) { Self.trimHeap(after: $0) }
            }
        }
        let form: EventForm =
            switch service {
            case nil: json ? .json : printsWarningsOnly ? .warnings : .text
            case let service?: service.handlesSignals ? .warnings : .notes
            }
        return Task(executorPreference: executor) {
            for await posted in events {
                Self.trimHeap(after: posted.event)
                Self.print(posted, as: form)
            }
        }
    }

    private enum EventForm {
        case text
        case json
        case notes
        case warnings
    }

    private static func print(_ posted: PostedEvent, as form: EventForm) {
        switch form {
        case .text: for line in posted.event.lines { Output.line(line) }
        case .json:
            Output.line(JSONLine.encode(posted))
            if posted.event.isWarning { posted.event.lines.forEach(Output.note) }
        case .notes: posted.event.lines.forEach(Output.note)
        case .warnings: if posted.event.isWarning { posted.event.lines.forEach(Output.note) }
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
            try await withGracefulShutdownHandler {
                try await emulator.run()
            } onGracefulShutdown: {
                Task { await emulator.stop() }
            }
        } catch {
            try? await finish()
            throw error
        }
        try await finish()
    }
}

/// A service for programs beside a run, from the time when all beacons are on the air.
private struct ServedRun: Service {
    let service: BlueZRun
    let events: AsyncStream<PostedEvent>

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            for await posted in events {
                guard case .ready = posted.event else { continue }
                return try await service.run()
            }
            // The run has ended, or could not start: it reports that.
        }
    }
}
