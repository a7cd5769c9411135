// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices
package import Emulator
import Glibc
import JSON
import Persistence
package import RunAPI
import RunClient
import Sockets

/// `ctl`: performs operations on a running `beaconry run` and prints the answers.
package struct ControlTool: Sendable {
    private let socket: String?
    private let url: String?
    private let tokenFile: String?
    private let profile: String?
    private let format: OutputFormat

    /// - Parameters:
    ///   - socket: the path of the control socket; `nil` for `BEACONRY_CONTROL`, else a socket in the runtime folder.
    ///   - url: the URL of the run's HTTP server, which is used instead; `nil` for `BEACONRY_URL`, else the socket.
    ///   - tokenFile: the file with the token of that server; `nil` for `BEACONRY_HTTP_TOKEN_FILE`, else none.
    ///   - profile: a profile of the run, or the name of its control socket; required only if there are several runs.
    package init(
        socket: String?, url: String? = nil, tokenFile: String? = nil, profile: String?, format: OutputFormat
    ) {
        self.socket = socket
        self.url = url
        self.tokenFile = tokenFile
        self.profile = profile
        self.format = format
    }

    /// The run, and the name that the profile has in it; `nil` for all profiles of the run.
    private func target() async throws -> (client: ControlClient, profile: String?) {
        if let socket {
            guard url == nil else { throw Failure.usage("--control and --url exclude each other; leave one out") }
            return (ControlClient(path: socket), profile)
        }
        if let url = url ?? EnvironmentVariable.url.value {
            let file = tokenFile ?? EnvironmentVariable.httpTokenFile.value
            return (try ControlClient(url: url, token: try file.map(TokenFile.token)), profile)
        }
        if let path = EnvironmentVariable.control.value { return (ControlClient(path: path), profile) }
        guard let profile else { return (ControlClient(path: try ControlSockets.path()), nil) }
        return try await ControlSockets.find(profile)
    }

    private func client() async throws -> ControlClient { try await target().client }

    /// The answer to an operation.
    /// - Throws: what `ControlClient.send` throws.
    private func answer<Sent: Operation>(
        to operation: Sent
    ) async throws -> Sent.Reply where Sent.Reply: ReadableAnswer {
        try await client().send(operation)
    }

    /// Performs an operation whose answer is a record, and prints it.
    /// - Parameter lines: the text of the record.
    package func perform<Sent: Operation>(
        _ operation: Sent, lines: (Sent.Reply) -> [String]
    ) async throws where Sent.Reply: ReadableRecord {
        let record = try await answer(to: operation)
        report([record]) { $0.flatMap(lines) }
    }

    /// Performs an operation whose answer is a new record, and prints it.
    package func perform<Sent: Operation, Value: ReadableRecord>(
        _ operation: Sent, lines: (Value) -> [String]
    ) async throws where Sent.Reply == Created<Value> {
        let record = try await answer(to: operation).value
        report([record]) { $0.flatMap(lines) }
    }

    /// Performs an operation whose answer is a record that it creates or replaces, and prints it.
    package func perform<Sent: Operation, Value: ReadableRecord>(
        _ operation: Sent, lines: (Value) -> [String]
    ) async throws where Sent.Reply == Stored<Value> {
        let record = try await answer(to: operation).value
        report([record]) { $0.flatMap(lines) }
    }

    /// Performs an operation whose answer is a list, and prints it.
    /// - Parameter lines: the text of the list.
    package func perform<Sent: Operation, Element: ListedRecord & Decodable>(
        _ operation: Sent, list lines: ([Element]) -> [String]
    ) async throws where Sent.Reply == Listed<Element> {
        report(try await answer(to: operation).elements, lines)
    }

    /// Performs an operation without an answer.
    package func perform<Sent: Operation>(_ operation: Sent) async throws where Sent.Reply == Nothing {
        _ = try await answer(to: operation)
    }

    /// Prints records: an object each, or a text of all.
    private func report<Value: Encodable>(_ records: [Value], _ lines: ([Value]) -> [String]) {
        switch format {
        case .json: for record in records { Output.report(RecordReport(record, lines: []), as: .json) }
        case .text: for line in lines(records) { Output.line(line) }
        }
    }

    // MARK: - Beacons

    /// Prints the beacons of the run, or of the profile.
    package func list() async throws {
        let profile = try await target().profile
        try await perform(ListBeacons { $0.profile = profile }, list: BeaconText.list)
    }

    /// Whether the argument of a command is a pattern of ids, which never have these characters.
    private static func isPattern(_ name: String) -> Bool { name.contains { "*?[".contains($0) } }

    /// Changes a beacon, or all that match a pattern, and prints them.
    /// - Parameter keys: the settings that are printed; `nil` prints a headline.
    package func change(_ name: String, showing keys: Set<String>? = nil, _ change: BeaconChange) async throws {
        func lines(_ beacon: BeaconRecord) -> [String] {
            keys.map { BeaconText.details(beacon, only: $0) } ?? [BeaconText.headline(beacon)]
        }
        guard Self.isPattern(name) else {
            let changing = ChangeBeacon {
                $0.beacon = BeaconName(name)
                $0.change = change
            }
            do {
                return try await perform(changing, lines: lines)
            } catch let error as RefusedRequest where error.code == "unknown-beacon" {
                guard let label = change.settings?["label"], change.settings?.count == 1 else { throw error }
                return try await setLabel(label, ofReceiver: name, unless: error)
            }
        }
        let profile = try await target().profile
        let changing = ChangeBeacons {
            $0.match = BeaconPattern(name)
            $0.profile = profile
            $0.change = change
        }
        try await perform(changing) { $0.flatMap(lines) }
    }

    /// Sets the label of a receiver, and prints it.
    /// - Parameter error: what is wrong if there is no receiver of this name.
    private func setLabel(_ label: String, ofReceiver name: String, unless error: RefusedRequest) async throws {
        let text = try LabelChange(label)
        do {
            let changing = ChangeReceiver {
                $0.receiver = AirName(name)
                $0.change.label = text
            }
            try await perform(changing) { ["\($0.name): " + ($0.label.map { "label \($0)" } ?? "no label")] }
        } catch let other as RefusedRequest where other.code == "unknown-beacon" {
            throw error
        }
    }

    /// Prints a beacon, or all that match a pattern, with their settings.
    package func show(_ name: String) async throws {
        guard Self.isPattern(name) else {
            return try await perform(ShowBeacon { $0.beacon = BeaconName(name) }) { BeaconText.details($0) }
        }
        let profile = try await target().profile
        let listing = ListBeacons {
            $0.match = BeaconPattern(name)
            $0.profile = profile
        }
        try await perform(listing) { $0.flatMap { BeaconText.details($0) } }
    }

    /// Removes a beacon, or all that match a pattern, and prints what has changed.
    package func remove(_ name: String) async throws {
        guard Self.isPattern(name) else { return try await reload(RemoveBeacon { $0.beacon = BeaconName(name) }) }
        let profile = try await target().profile
        let removing = RemoveBeacons {
            $0.match = BeaconPattern(name)
            $0.profile = profile
        }
        try await reload(removing)
    }

    /// Adds or replaces a beacon, and prints it. Faults of the entry have the name of its file.
    /// - Parameter entry: the text of the entry, the path of a file, or `-` for standard input.
    package func put(_ device: String, entry: String) async throws {
        let (text, file) = try Self.entry(entry)
        do {
            let put = try await answer(
                to: PutBeacon {
                    $0.beacon = BeaconName(device)
                    $0.entry = Document(text)
                })
            report([put.value]) { $0.map(BeaconText.headline) }
        } catch let error as RefusedRequest {
            var failure = Failure(error)
            if let file { failure.rename("beacon", to: file) }
            throw failure
        }
    }

    /// The longest entry, in bytes: as long as the longest body of a request.
    private static let longestEntry = 65536

    /// The text of an entry, and the name of its file; `nil` if it is not of a file.
    private static func entry(_ argument: String) throws -> (text: String, file: String?) {
        if argument == "-" {
            guard let text = try InputFile.text(of: "/dev/stdin", limit: longestEntry) else {
                throw Failure.badData("standard input has more than \(longestEntry) bytes")
            }
            return (text, "standard input")
        }
        // An entry is a mapping: it has a colon, unless it is empty.
        if argument.contains(where: { ":{".contains($0) }), access(argument, F_OK) != 0 { return (argument, nil) }
        return (try ProfileFiles.text(argument, examples: "profiles/"), argument)
    }

    // MARK: - The run

    /// Prints the profile in use.
    package func printProfile() async throws {
        let profile = try await target().profile
        let record = try await answer(to: ShowProfile { $0.profile = profile }).record
        report([record]) { $0.flatMap { $0.text.split(separator: "\n").map { String($0) } } }
    }

    /// Performs an operation that changes the beacons of the run, and prints what has changed.
    package func reload<Sent: Operation>(_ operation: Sent) async throws where Sent.Reply == Emulator.ReloadResult {
        try await perform(operation, lines: ReloadText.lines)
    }

    /// Starts all over, and prints the beacons; with a name, only the settings of this beacon, or of all that match a pattern.
    package func reset(_ name: String?) async throws {
        guard let name else { return try await reload(Reset()) }
        guard Self.isPattern(name) else { return try await reload(ResetBeacon { $0.beacon = BeaconName(name) }) }
        let profile = try await target().profile
        let resetting = ResetBeacons {
            $0.match = BeaconPattern(name)
            $0.profile = profile
        }
        try await reload(resetting)
    }

    /// Prints the versions of the program and of the profiles in use.
    package func printVersions() async throws { try await perform(ShowVersion(), lines: VersionText.lines) }

    /// Ends the run, and returns when its outputs are complete.
    package func stop() async throws {
        _ = try await answer(to: Stop())
        Output.report(StoppedReport(), as: format)
    }

    /// Switches the radio on or off, and prints its state.
    package func setRadio(_ power: RadioPower) async throws {
        let state = try await answer(to: SetRadio { $0.power = power })
        Output.report(RadioPowerReport(radio: state.power), as: format)
    }

    /// Deletes bonds, and prints their number.
    package func forget(_ operation: ForgetBonds) async throws {
        Output.report(ForgottenReport(forgotten: try await answer(to: operation).forgotten), as: format)
    }

    /// Saves a capture as a btsnoop file.
    package func saveCapture(_ id: Int, to file: String) async throws {
        let packets = try await answer(to: ReadCapture { $0.capture = CaptureNumber(id) }).bytes
        try OutputFile.write(packets, to: file)
        Output.report(SavedCaptureReport(file: file, bytes: packets.count), as: format)
    }

    // MARK: - The virtual air

    /// Prints the hosts on the air.
    package func listHosts() async throws {
        report(try await answer(to: ListReceivers()).elements.filter(\.joined), LinkText.list)
    }

    /// Prints the servers of receivers.
    package func listServers() async throws {
        report(try await answer(to: ListReceivers()).elements.filter { $0.server != nil }, LinkText.listServers)
    }

    /// Ends an override, and prints that.
    package func resetLink(from: String, to: String) async throws {
        let reset = ResetLink {
            $0.from = AirName(from)
            $0.to = AirName(to)
        }
        _ = try await answer(to: reset)
        report([LinkChangeRecord(from: from, to: to, nil)]) { $0.map(LinkText.line) }
    }

    // MARK: - Events

    /// Prints events until the run ends.
    package func printEvents() async throws {
        Output.watchReader()
        let format = format
        try await client().follow(FollowEvents { $0.hasText = format == .text }) { event in
            switch format {
            case .json: Output.line(event)
            case .text:
                let members = (try? JSONValue(parsing: Array(event.utf8)))?.members
                Output.line(members?["text"]?.string ?? event)
            }
        }
    }

    /// Prints records as JSON until the run ends.
    package func printRecords<Sent: Operation>(_ operation: Sent) async throws where Sent.Reply == RecordStream {
        Output.watchReader()
        try await client().follow(operation) { Output.line($0) }
    }

    /// Prints the events of the journal, and removes them if that is requested.
    package func printJournal(_ operation: ShowJournal, clears: Bool) async throws {
        let journal = try await answer(to: operation)
        if clears { _ = try await answer(to: ClearJournal { $0.through = EventNumber(journal.last) }) }
        for event in journal.events {
            Output.report(RecordReport(event, lines: [JournalText.line(event)]), as: format)
        }
    }

    /// Waits until the journal has the events of all conditions, and prints a verdict for each.
    /// - Parameters:
    ///   - number: The exact or the least number of events of each condition; `nil` for at least one.
    ///   - within: The time limit as text.
    ///   - since: The number of an event, or a duration, from which on events count.
    ///   - mayAppear: Whether beacons and hosts of the conditions need not be there yet.
    /// - Throws: `Failure.unmetExpectation` if a condition is not met.
    package func wait(
        for conditions: [String], count: Int?, atLeast: Int?, within: String, since: String?, mayAppear: Bool
    ) async throws {
        let expectations: [JournalExpectation]
        do throws(EmulatorError) {
            expectations = try conditions.map { text throws(EmulatorError) in
                try JournalExpectation(condition: text, count: count, atLeast: atLeast, mayAppear: mayAppear)
            }
        } catch {
            throw Failure.usage("\(error)")
        }
        let verdicts = try await verdicts(on: expectations, within: try ValueText.duration(within), since: since)
        for (condition, verdict) in zip(conditions, verdicts) {
            Output.report(ConditionReport(condition, verdict, within: within), as: format)
        }
        if !verdicts.allSatisfy(\.ok) { throw Failure.unmetExpectation }
    }

    /// Waits until the journal has the events of all expectations.
    /// - Parameter since: The number of an event, or a duration, from which on events count.
    /// - Returns: A verdict for each expectation.
    /// - Throws: `Failure` if the run ends before.
    func verdicts(
        on expectations: [JournalExpectation], within limit: Duration, since: String?
    ) async throws -> [JournalExpectation.Verdict] {
        let wait = Wait {
            $0.conditions = Conditions(expectations)
            $0.time = limit
            $0.begin = since.map(JournalBegin.init)
        }
        let verdicts = try await answer(to: wait).verdicts
        guard verdicts.count == expectations.count else {
            throw Failure(exitCode: 1, message: "the run ended before the conditions were met")
        }
        return verdicts
    }

    /// What is on the air of the run, from its list.
    /// - Throws: `Failure` if there is no such run, or several.
    func airSummary() async throws -> AirSummary {
        let profile = try await target().profile
        let beacons = try await answer(to: ListBeacons { $0.profile = profile }).elements
        return AirSummary(of: beacons.map { AirSummary.MissingBeacon(device: $0.id, state: $0.state) })
    }
}
