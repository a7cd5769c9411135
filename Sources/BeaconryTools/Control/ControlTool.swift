// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
package import Emulator
import FoundationEssentials
import Glibc
import Persistence

/// `ctl`: sends requests to a running `beaconry run` and prints the answers.
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
    ///   - profile: a profile of the run; required only if there are several runs.
    package init(
        socket: String?, url: String? = nil, tokenFile: String? = nil, profile: String?, format: OutputFormat
    ) {
        self.socket = socket
        self.url = url
        self.tokenFile = tokenFile
        self.profile = profile
        self.format = format
    }

    /// Sends a request and prints the answer.
    /// - Parameter lines: the text of the beacons in the answer.
    package func send(
        _ request: ControlRequest, lines: @escaping ([BeaconRecord]) -> [String] = { $0.map(BeaconText.headline) }
    ) async throws {
        try await answers(to: request) { report($0, lines: lines) }
        if case .stop = request { Output.report(StoppedReport(), as: format) }
    }

    /// Sends a request for each beacon that a name or a pattern stands for, in the order of the list, and prints the
    /// answers.
    /// - Parameter name: an id, or a pattern with `*`, `?` or `[…]` of the ids, with or without PROFILE/ before it.
    /// - Throws: as `send`; `EmulatorError` if a pattern matches nothing. The beacons before the one that refused are changed.
    package func send(
        to name: String, lines: @escaping ([BeaconRecord]) -> [String] = { $0.map(BeaconText.headline) },
        _ request: (String) -> ControlRequest
    ) async throws {
        guard name.contains(where: { "*?[".contains($0) }) else { return try await send(request(name), lines: lines) }
        for device in try await devices(matching: name) { try await send(request(device), lines: lines) }
    }

    private func devices(matching pattern: String) async throws -> [String] {
        var devices: [String] = []
        try await answers(to: .list(profile: profile)) { answer in
            for beacon in answer.beacons ?? [] {
                let name = beacon.state.device
                let identifier = name.split(separator: "/").last.map { String($0) } ?? name
                let text = pattern.contains("/") ? "\(beacon.state.profile)/\(identifier)" : identifier
                if fnmatch(pattern, text, 0) == 0 { devices.append(name) }
            }
        }
        guard !devices.isEmpty else {
            throw EmulatorError(
                .unknownBeacon, "no beacon matches \"\(pattern)\"",
                hint: "beaconry ctl list shows all; quote the pattern")
        }
        return devices
    }

    /// Adds or replaces a beacon, and prints it. Faults of the entry have the name of its file.
    /// - Parameter entry: the text of the entry, the path of a file, or `-` for standard input.
    package func put(_ device: String, entry: String) async throws {
        let (text, file) = try Self.entry(entry)
        do {
            try await send(.put(device, text: text))
        } catch var failure as Failure {
            if let file { failure.rename("beacon", to: file) }
            throw failure
        }
    }

    /// The text of an entry, and the name of its file; `nil` if it is not of a file.
    private static func entry(_ argument: String) throws -> (text: String, file: String?) {
        let limit = ControlRequest.maximumLength
        if argument == "-" {
            guard let text = try InputFile.text(of: "/dev/stdin", limit: limit) else {
                throw Failure.badData("standard input has more than \(limit) bytes")
            }
            return (text, "standard input")
        }
        // An entry is a mapping: it has a colon, unless it is empty.
        if argument.contains(where: { ":{".contains($0) }), access(argument, F_OK) != 0 { return (argument, nil) }
        return (try ProfileFiles.text(argument, examples: "profiles/"), argument)
    }

    /// Prints events until the run ends.
    package func printEvents() async throws {
        Output.watchReader()
        let request = ControlRequest.events(format == .json ? .json : .text)
        try await client().send(request) { Output.line($0) }
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
        let verdicts = try await verdicts(on: expectations, within: within, since: since)
        for (condition, verdict) in zip(conditions, verdicts) {
            Output.report(ConditionReport(condition, verdict, within: within), as: format)
        }
        if !verdicts.allSatisfy(\.ok) { throw Failure.unmetExpectation }
    }

    /// Waits until the journal has the events of all expectations.
    /// - Parameters:
    ///   - within: The time limit as text.
    ///   - since: The number of an event, or a duration, from which on events count.
    /// - Returns: A verdict for each expectation.
    /// - Throws: `Failure` if the run ends before.
    func verdicts(
        on expectations: [JournalExpectation], within: String, since: String?
    ) async throws -> [JournalExpectation.Verdict] {
        var verdicts: [JournalExpectation.Verdict]?
        try await answers(to: .wait(expectations.map(\.fields), within: within, since: since)) {
            verdicts = $0.verdicts
        }
        guard let verdicts, verdicts.count == expectations.count else {
            throw Failure(exitCode: 1, message: "the run ended before the conditions were met")
        }
        return verdicts
    }

    /// What is on the air of the run, from its list.
    /// - Throws: `Failure` if there is no such run, or several.
    func airSummary() async throws -> AirSummary {
        var summary = AirSummary()
        try await answers(to: .list(profile: profile)) { answer in
            summary = AirSummary(
                of: (answer.beacons ?? []).map { AirSummary.MissingBeacon(device: $0.device, state: $0.state.state) })
        }
        return summary
    }

    /// Sends a request, and takes its answers.
    /// - Throws: `Failure` for an answer with an error.
    private func answers(to request: ControlRequest, _ take: (ControlAnswer) -> Void) async throws {
        try await client().send(request) { line in
            let answer = try ControlAnswer(parsing: line)
            if let error = answer.error { throw Failure(answer, message: error) }
            take(answer)
        }
    }

    /// Prints records: an object each, or a text of all.
    private func report<Record: Encodable>(_ records: [Record], _ lines: ([Record]) -> [String]) {
        switch format {
        case .json: for record in records { Output.line(JSONLine.encode(record)) }
        case .text: for line in lines(records) { Output.line(line) }
        }
    }

    private func report(_ answer: ControlAnswer, lines: ([BeaconRecord]) -> [String]) {
        if let beacons = answer.beacons { report(beacons, lines) }
        for bond in answer.bonds ?? [] { Output.report(RecordReport(bond, lines: [BondText.line(bond)]), as: format) }
        if let forgotten = answer.forgotten { Output.report(ForgottenReport(forgotten: forgotten), as: format) }
        if let moved = answer.moved { Output.report(RecordReport(moved, lines: [LinkText.line(moved)]), as: format) }
        if let walk = answer.walk { Output.report(RecordReport(walk, lines: [LinkText.line(walk)]), as: format) }
        if let servers = answer.servers { report(servers, LinkText.list) }
        if let link = answer.link { Output.report(RecordReport(link, lines: [LinkText.line(link)]), as: format) }
        if let receivers = answer.receivers { report(receivers, LinkText.list) }
        if let links = answer.links { report(links, LinkText.list) }
        if let disconnected = answer.disconnected {
            Output.report(RecordReport(disconnected, lines: [FaultText.line(disconnected)]), as: format)
        }
        if let clock = answer.clock { Output.report(RecordReport(clock, lines: [ClockText.line(clock)]), as: format) }
        if let events = answer.journal {
            for event in events { Output.report(RecordReport(event, lines: [JournalText.line(event)]), as: format) }
        }
        if let captures = answer.captures { report(captures, CaptureText.list) }
        if let power = answer.radio { Output.report(RadioReport(radio: power), as: format) }
        if let scenario = answer.scenario {
            Output.report(RecordReport(scenario, lines: ScenarioText.lines(scenario)), as: format)
        }
        if let profile = answer.profile {
            let lines = profile.text.split(separator: "\n").map { String($0) }
            Output.report(RecordReport(profile, lines: lines), as: format)
        }
        if let reload = answer.reload {
            Output.report(RecordReport(reload, lines: [Self.text(reload)]), as: format)
        }
    }

    /// Saves a capture as a btsnoop file.
    package func saveCapture(_ id: Int, to file: String) async throws {
        var packets: [UInt8]?
        try await answers(to: .getCapture(id)) {
            packets = $0.packets.flatMap { Data(base64Encoded: $0) }.map(Array.init)
        }
        guard let packets else { throw Failure(exitCode: 1, message: "the run ended before capture \(id) was read") }
        try LocalFileSystem().replace(file, with: packets)
        Output.report(SavedCaptureReport(file: file, bytes: packets.count), as: format)
    }

    private func client() throws -> any ControlClient {
        if let socket {
            guard url == nil else { throw Failure.usage("--control and --url exclude each other; leave one out") }
            return SocketControlClient(path: socket)
        }
        if let url = url ?? EnvironmentVariable.url.value {
            let file = tokenFile ?? EnvironmentVariable.httpTokenFile.value
            return try HTTPControlClient(url: url, token: try file.map(TokenFile.token))
        }
        return SocketControlClient(path: try EnvironmentVariable.control.value ?? ControlSockets.path(profile: profile))
    }

    private static func text(_ reload: Emulator.ReloadResult) -> String {
        func part(_ name: String, _ devices: [String], isShort: Bool = false) -> String? {
            if devices.isEmpty { return nil }
            return "\(name) \(isShort ? Spelling.few(devices) : devices.joined(separator: ", "))"
        }
        let parts = [
            part("added", reload.added), part("changed", reload.changed), part("removed", reload.removed),
            part("unchanged", reload.kept, isShort: true),
        ]
        return "reloaded: " + parts.compactMap(\.self).joined(separator: "; ")
    }
}

/// The control sockets in the runtime folder.
enum ControlSockets {
    /// The path of a run's control socket.
    /// - Parameter profile: a profile of the run; `nil` if there is only one run.
    /// - Throws: Without a profile: `EmulatorError` if there is no socket, `Failure` if several runs have one.
    static func path(profile: String?, in folders: [String] = Folders.control) throws -> String {
        // A run that was killed has left its socket.
        let all = folders.map { folder in
            (
                folder,
                Folder.names(in: folder).filter {
                    $0.hasSuffix(".sock") && !SocketFile.isAbandoned("\(folder)/\($0)")
                }
            )
        }
        // Runs of the user come before services of the system.
        let (folder, sockets) = all.first { !$0.1.isEmpty } ?? all[0]
        if let profile {
            // The socket of `beaconry advertise` is `advertise-PID.sock`.
            let numbered = sockets.filter {
                profile == "advertise" && $0.hasPrefix("\(profile)-")
                    && Int($0.dropFirst(profile.count + 1).dropLast(".sock".count)) != nil
            }
            guard !sockets.contains("\(profile).sock"), numbered.count == 1 else { return "\(folder)/\(profile).sock" }
            return "\(folder)/\(numbered[0])"
        }
        // The profiles of one run have hard links to the same socket.
        var runs: [ino_t: [String]] = [:]
        for socket in sockets {
            var status = stat()
            guard stat("\(folder)/\(socket)", &status) == 0 else { continue }
            runs[status.st_ino, default: []].append(socket)
        }
        guard let only = runs.first?.value.first else {
            throw EmulatorError(
                .inputOutput, "no running beaconry was found (no socket in \(folder))",
                hint: "start one (beaconry run PROFILE), or name its socket (--control PATH)")
        }
        guard runs.count == 1 else {
            let names = sockets.map { $0.dropLast(".sock".count) }.joined(separator: ", ")
            throw Failure.usage("several profiles run (\(names)); name one with --profile")
        }
        return "\(folder)/\(only)"
    }
}

/// The text of positions and paths on the virtual air.
enum LinkText {
    static func line(_ moved: MoveRecord) -> String { "\(moved.name) is at \(place(moved.position)) (m)" }

    static func line(_ walk: WalkRecord) -> String {
        "\(walk.name) walks for \(ValueText.text(walk.seconds)) s: \(walk.path.map(place).joined(separator: "; ")) (m)"
    }

    private static func place(_ position: [Double]) -> String { Formatting.position(position) }

    static func list(_ servers: [ServerRecord]) -> [String] {
        if servers.isEmpty { return ["no receivers"] }
        let rows = servers.map { server in
            [
                server.name, server.server, server.position.map { "\(place($0)) (m)" } ?? "1 m from every beacon",
                server.hosts.isEmpty ? "none" : server.hosts.joined(separator: ", "),
            ]
        }
        return TextTable(rows: [["RECEIVER", "SERVER", "POSITION", "HOSTS"]] + rows).lines
    }

    static func list(_ receivers: [ReceiverRecord]) -> [String] {
        if receivers.isEmpty { return ["no host is on the air"] }
        let rows = receivers.map { receiver in
            [
                receiver.name, receiver.scan ?? "no",
                receiver.position.map(place) ?? "",
                receiver.path == nil ? "" : "yes",
            ]
        }
        return TextTable(rows: [["HOST", "SCAN", "POSITION (m)", "MOVES"]] + rows).lines
    }

    static func list(_ links: [LinkRecord]) -> [String] {
        if links.isEmpty { return ["no host scans"] }
        let heading = ["FROM", "TO", "DISTANCE", "MEAN RSSI", "LAST RSSI", "LOST"]
        let hasOverrides = links.contains { $0.override != nil }
        let rows = links.map { link in
            let row = [
                link.from, link.to, link.distance.map { "\(Formatting.hundredths($0)) m" } ?? "1 m (no position)",
                "\(Int(link.meanRSSI.rounded())) dBm", link.lastRSSI.map { "\($0) dBm" } ?? "",
                link.loss.map(percent) ?? "",
            ]
            return hasOverrides ? row + [link.override.map(text) ?? ""] : row
        }
        return TextTable(rows: [hasOverrides ? heading + ["OVERRIDE"] : heading] + rows).lines
    }

    static func line(_ link: LinkChangeRecord) -> String {
        "\(link.from) to \(link.to): \(link.override.map(text) ?? "no override")"
    }

    private static func text(_ override: OverrideRecord) -> String {
        var parts: [String] = []
        if let rssi = override.rssi { parts.append("\(rssi) dBm") }
        if let loss = override.pathLoss { parts.append("\(ValueText.text(loss)) dB more loss") }
        if let loss = override.packetLoss { parts.append(loss >= 1 ? "blocked" : "\(percent(loss)) of packets lost") }
        if let seconds = override.seconds { parts.append("for \(ValueText.text((seconds * 10).rounded() / 10)) s") }
        return parts.joined(separator: ", ")
    }

    private static func percent(_ fraction: Double) -> String { "\(Int((fraction * 100).rounded())) %" }
}

/// The text of captures.
private enum CaptureText {
    static func list(_ captures: [CaptureRecord]) -> [String] {
        if captures.isEmpty { return ["no captures"] }
        let rows = captures.map { ["\($0.id)", $0.state.rawValue, "\($0.records)", "\($0.bytes)", "\($0.limit)"] }
        return TextTable(rows: [["CAPTURE", "STATE", "RECORDS", "BYTES", "LIMIT"]] + rows).lines
    }
}

/// The output of `ctl capture save`.
private struct SavedCaptureReport: Encodable, Report {
    let file: String
    let bytes: Int
    var lines: [String] { ["saved \(file) (\(Formatting.count(bytes, "byte")))"] }
}

/// The verdict on a condition of `ctl wait`.
private struct ConditionReport: Encodable, Report {
    let condition: String
    let ok: Bool
    let count: Int
    let events: [JSONValue]
    let near: [JSONValue]
    let lines: [String]

    private enum CodingKeys: CodingKey {
        case condition, ok, count, events, near
    }

    init(_ condition: String, _ verdict: JournalExpectation.Verdict, within time: String) {
        self.condition = condition
        ok = verdict.ok
        count = verdict.count
        events = verdict.events
        near = verdict.near
        let found = Formatting.count(verdict.count, "event")
        lines =
            verdict.ok
            ? ["met: \(condition) (\(found))"]
            : ["not met within \(time): \(condition) (\(found))"]
                + (verdict.near.isEmpty
                    ? ["  no event is near"] : verdict.near.map { "  near: \(JournalText.line($0))" })
    }
}

/// The text of the journal's events: what follows the time can be a condition of `ctl wait`.
enum JournalText {
    static func line(_ event: JSONValue) -> String {
        let members = event.members ?? [:]
        return Formatting.row([members["sequence"]?.setting, members["time"]?.string, condition(event)])
    }

    /// An event as a condition that it meets.
    static func condition(_ event: JSONValue) -> String {
        SafeText.line(event.condition(without: ["v", "time", "sequence", "requested"]))
    }
}

/// The output of `ctl stop`.
private struct StoppedReport: Encodable, Report {
    let stopped = true
    var lines: [String] { ["stopped"] }
}

/// The output of `ctl forget`.
private struct ForgottenReport: Encodable, Report {
    let forgotten: Int
    var lines: [String] { ["\(Formatting.count(forgotten, "bond")) forgotten"] }
}

/// The text of bonds.
enum BondText {
    static func line(_ bond: BondRecord) -> String {
        Formatting.row([
            bond.device, "\(bond.peer) (\(bond.peerType))",
            bond.authenticated.map { $0 ? "authenticated" : "just works" },
            bond.secureConnections.map { $0 ? "secure connections" : "legacy pairing" },
            bond.keySize.map { "\(Int($0) * 8)-bit key" },
        ])
    }
}

/// The answer to `ctl radio`.
private struct RadioReport: Encodable, Report {
    let radio: RadioPower
    var lines: [String] { ["the radio is \(radio.rawValue)"] }
}

/// The text of a scenario's progress.
private enum ScenarioText {
    /// The progress, and a line for each change that was refused.
    static func lines(_ scenario: ScenarioRecord) -> [String] {
        [scenario.sentence] + scenario.refused.map { "refused at \($0.at) s: \($0.change): \($0.message ?? "")" }
    }
}

/// The text of a clock.
enum ClockText {
    static func line(_ clock: ClockRecord) -> String {
        let seconds = (clock.elapsed * 1000).rounded() / 1000
        switch clock.rate {
        case "max": return "\(seconds) s, as fast as possible"
        case "manual": return "\(seconds) s, paused"
        case "1": return "\(seconds) s, real time"
        case let rate: return "\(seconds) s, \(rate) times real time"
        }
    }
}

/// The text of connections that were ended.
enum FaultText {
    static func line(_ disconnected: DisconnectionRecord) -> String {
        let peers = disconnected.peers.joined(separator: ", ")
        return "\(disconnected.name) disconnected from \(peers) (\(disconnected.reason))"
    }
}
