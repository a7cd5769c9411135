// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Emulator
import HTTPTypes

/// What the resources do: each is a request of the control socket.
struct APIOperations: Sendable {
    /// The answer of `/v1/version`.
    struct Version: Encodable, Sendable {
        /// The version of the program.
        let version: String
        /// The version of the resources.
        let api = 1
    }

    /// The answer of `/v1/health`.
    struct Health: Encodable, Sendable {
        /// `ok`.
        let status = "ok"
        /// The number of beacons.
        let beacons: Int
        /// The number of those that should be on the air; all of them are.
        let expected: Int
        /// The number of beacons that are on the air.
        let onAir: Int

        init(_ summary: AirSummary) {
            beacons = summary.beacons
            expected = summary.expected
            onAir = summary.count(.onAir)
        }
    }

    private let emulator: Emulator
    private let watch: RunWatch
    private let history: LinkSampler
    let version: Version

    private let report: MetricsReport

    init(_ emulator: Emulator, _ watch: RunWatch, _ history: LinkSampler, version: String, detail: MetricsDetail?) {
        report = MetricsReport(version: version, detail: detail)
        self.emulator = emulator
        self.watch = watch
        self.history = history
        self.version = Version(version: version)
    }

    private func answer(_ request: ControlRequest) async throws(Problem) -> ControlAnswer {
        do throws(EmulatorError) {
            return try await emulator.answer(request)
        } catch {
            throw Problem(error)
        }
    }

    /// Reads members of a body; a wrong type is a `Problem`.
    private static func read<Value>(_ body: () throws(EmulatorError) -> Value) throws(Problem) -> Value {
        do throws(EmulatorError) {
            return try body()
        } catch {
            throw Problem(error)
        }
    }

    /// The answer with a list that may be long.
    private static func list<Element: Encodable & Sendable>(_ name: String, _ elements: [Element]) async -> APIReply {
        let text = await JSONLine.encode([name: elements], records: elements.count)
        return .content(Array(text.utf8), type: "application/json")
    }

    // MARK: - The run

    func health() async throws(Problem) -> APIReply {
        let summary = await emulator.airSummary()
        guard summary.isComplete else {
            let reason =
                !summary.isRunning
                ? "the beacons are not on the radio: the run starts or ends"
                : summary.missingCount > 0
                    ? summary.sentence
                    : summary.isRadioUp
                        ? "not every beacon has been on the air yet: some are silent at present"
                        : "the radio is off or lost"
            throw Problem(
                .serviceUnavailable, code: "not-ready", reason,
                hint: "/v1/beacons has the state of each; /v1/events has the changes")
        }
        return .json(Health(summary))
    }

    func metrics() async -> APIReply {
        .content(Array(await report.text(of: emulator, watch).utf8), type: "text/plain; version=0.0.4; charset=utf-8")
    }

    func reload() async throws(Problem) -> APIReply { .json(try await answer(.reload).reload) }

    func reset() async throws(Problem) -> APIReply { .json(try await answer(.reset).reload) }

    /// Answers a request of the control socket.
    func reply(to request: String) async -> ControlReply { await emulator.reply(to: Array(request.utf8)) }

    func stop() async { await emulator.stop() }

    // MARK: - Profiles

    func profile(_ name: String?) async throws(Problem) -> APIReply {
        guard let record = try await answer(.profile(name)).profile else { return .empty }
        return .content(Array(record.text.utf8), type: "application/yaml", tag: record.tag)
    }

    func replaceProfile(_ request: APIRequest) async throws(Problem) -> APIReply {
        guard let text = request.text else { throw .invalid("a profile is expected", hint: "see docs/profiles.md") }
        // RFC 9110, 13.1.1: `*`, or tags in quotes.
        var tag = request.fields[.ifMatch].map { $0.filter { $0 != "\"" && $0 != " " } }
        if tag == "*" { tag = nil }
        return .json(try await answer(.replaceProfile(request.query["profile"], text: text, tag: tag)).reload)
    }

    // MARK: - The scenario

    func scenario() async throws(Problem) -> APIReply { .json(try await answer(.scenario).scenario) }

    func startScenario(_ request: APIRequest) async throws(Problem) -> APIReply {
        guard let text = request.text else { throw .invalid("a scenario is expected", hint: "see docs/scenarios.md") }
        let start = ControlRequest.startScenario(text: text, file: request.query["file"])
        return .json(try await answer(start).scenario, .created)
    }

    func stopScenario() async throws(Problem) -> APIReply { .json(try await answer(.stopScenario).scenario) }

    // MARK: - The radio

    func setRadio(_ request: APIRequest) async throws(Problem) -> APIReply {
        let members = try request.members(["power"])
        let power = try Self.read { () throws(EmulatorError) in try members.text("power") } ?? ""
        _ = try await answer(.radio(power))
        return .json(["power": power])
    }

    // MARK: - Captures

    func captures() async throws(Problem) -> APIReply {
        .json(["captures": try await answer(.captures).captures ?? []])
    }

    func startCapture(_ request: APIRequest) async throws(Problem) -> APIReply {
        let members = request.body == nil ? JSONMembers([:]) : try request.members(["limit"])
        let bytes = try Self.read { () throws(EmulatorError) in try members.integer("limit") }
        return .json(try await answer(.startCapture(limit: bytes)).captures?.first, .created)
    }

    func capture(_ name: String) async throws(Problem) -> APIReply {
        let id = try Self.captureID(name)
        do throws(EmulatorError) {
            return .json(try await emulator.captureRecord(id))
        } catch {
            throw Problem(error)
        }
    }

    func packets(_ name: String) async throws(Problem) -> APIReply {
        let id = try Self.captureID(name)
        do throws(EmulatorError) {
            return .content(try await emulator.captureBytes(id), type: "application/octet-stream")
        } catch {
            throw Problem(error)
        }
    }

    func stopCapture(_ name: String) async throws(Problem) -> APIReply {
        .json(try await answer(.stopCapture(Self.captureID(name))).captures?.first)
    }

    func removeCapture(_ name: String) async throws(Problem) -> APIReply {
        _ = try await answer(.removeCapture(Self.captureID(name)))
        return .empty
    }

    private static func captureID(_ name: String) throws(Problem) -> Int {
        guard let id = Int(name) else {
            throw Problem(.notFound, code: "unknown-capture", "there is no capture \"\(name)\"")
        }
        return id
    }

    // MARK: - The clock

    func clock(_ values: [String: String]) async throws(Problem) -> APIReply {
        .json(try await answer(.clock(values)).clock)
    }

    private func requireVirtualTime() async throws(Problem) {
        guard try await answer(.clock()).clock?.virtual == true else {
            throw Problem(
                .conflict, code: "real-time", "the clock of this run is that of the machine",
                hint: "start the run with --rate max, --rate manual, or a number, and without --hci-server")
        }
    }

    func setRate(_ request: APIRequest) async throws(Problem) -> APIReply {
        guard let rate = try request.members(["rate"])["rate"]?.setting else { throw .invalid("a clock needs a rate") }
        try await requireVirtualTime()
        return try await clock(["rate": rate])
    }

    func advance(_ request: APIRequest) async throws(Problem) -> APIReply {
        let members = try request.members(["by"])
        guard let time = try Self.read({ () throws(EmulatorError) in try members.text("by") }) else {
            throw .invalid("advance needs a duration", hint: "send {\"by\":\"30s\"}")
        }
        try await requireVirtualTime()
        return try await clock(["advance": time])
    }

    // MARK: - Beacons

    func beacons(_ profile: String?) async throws(Problem) -> APIReply {
        await Self.list("beacons", try await answer(.list(profile: profile)).beacons ?? [])
    }

    func beacon(_ name: String) async throws(Problem) -> APIReply {
        .json(try await answer(.show(name)).beacons?.first)
    }

    /// Settings are changed first, all or none; then what the other members say, in this order.
    func patchBeacon(_ name: String, _ members: [String: JSONValue]) async throws(Problem) -> APIReply {
        let patch = try BeaconPatch(members)
        let present: BeaconStatus
        do throws(EmulatorError) {
            present = try await emulator.show(name)
        } catch {
            throw Problem(error)
        }
        try patch.check(Set(present.settings.map(\.key)))
        var last = BeaconRecord(present)
        for request in patch.requests(for: name) { last = try await answer(request).beacons?.first ?? last }
        // It may have been removed since: the changes are made, and saved.
        return .json((try? await answer(.show(name)).beacons?.first) ?? last)
    }

    /// Adds or replaces a beacon. The members are the keys of its entry in a profile.
    func putBeacon(_ name: String, _ members: [String: JSONValue]) async throws(Problem) -> APIReply {
        let answer = try await answer(.put(name, text: JSONLine.encode(JSONValue.object(members))))
        return .json(answer.beacons?.first, answer.isNew == true ? .created : .ok)
    }

    func removeBeacon(_ name: String) async throws(Problem) -> APIReply {
        _ = try await answer(.remove(name))
        return .empty
    }

    func disconnect(_ name: String, _ request: APIRequest) async throws(Problem) -> APIReply {
        let members = request.body == nil ? JSONMembers([:]) : try request.members(["peer", "reason"])
        let (peer, reason) = try Self.read { () throws(EmulatorError) in
            (try members.text("peer"), try members.text("reason"))
        }
        let answer = try await answer(.disconnect(name, peer: peer, reason: reason))
        return .json(answer.disconnected)
    }

    func bonds(_ name: String?) async throws(Problem) -> APIReply {
        .json(["bonds": try await answer(.bonds(name)).bonds ?? []])
    }

    func forget(_ name: String, peer: String?) async throws(Problem) -> APIReply {
        .json(["forgotten": try await answer(.forget(name, peer: peer)).forgotten ?? 0])
    }

    // MARK: - Receivers and links

    func receivers() async -> APIReply {
        // Radios without positions have no hosts.
        let present = Dictionary(
            ((try? await answer(.receivers).receivers) ?? []).map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        let served = (try? await answer(.listReceivers).servers) ?? []
        let servers = Dictionary(served.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        let receivers = watch.receivers(servers.mapValues(\.server)).map { receiver in
            var receiver = receiver
            receiver.position = present[receiver.name]?.position ?? servers[receiver.name]?.position
            receiver.path = present[receiver.name]?.path
            receiver.scan = present[receiver.name]?.scan
            return receiver
        }
        return .json(["receivers": receivers])
    }

    func moveReceiver(_ name: String, _ request: APIRequest) async throws(Problem) -> APIReply {
        let position = try BeaconPatch.position(try request.members(["position"])["position"])
        return .json(try await answer(.move(name, position)).moved)
    }

    func air() async throws(Problem) -> APIReply {
        do throws(EmulatorError) {
            return .json(try await emulator.airRecord())
        } catch {
            throw Problem(error)
        }
    }

    /// The RSSI of the last time; `after` selects the samples after a time, `name` the paths of a beacon or a host.
    func linkHistory(_ request: APIRequest) async throws(Problem) -> APIReply {
        var start = -Double.infinity
        if let text = request.query["after"] {
            guard let seconds = Double(text), (0...1_000_000_000).contains(seconds) else {
                throw .invalid(
                    "after must be a number of seconds from 0 to 1,000,000,000", hint: "such as 12.5, a time of the run"
                )
            }
            start = seconds
        }
        let elapsed = await emulator.clockRecord.elapsed
        return .json(await history.record(at: elapsed, after: start, of: request.query["name"]))
    }

    func links() async throws(Problem) -> APIReply { .json(["links": try await answer(.links).links ?? []]) }

    /// - Throws: `Problem` 404 for a link from something to itself.
    private func requireLink(_ names: [String]) throws(Problem) {
        guard names[0] != names[1] else {
            throw Problem(.notFound, code: "unknown-link", "there is no link from \(names[0]) to itself")
        }
    }

    func setLink(_ names: [String], _ request: APIRequest) async throws(Problem) -> APIReply {
        try requireLink(names)
        var values: [String: String] = [:]
        for (key, value) in try request.members() {
            guard let text = value.setting else { throw .invalid("\(key) must be a number, a string, true or false") }
            values[key] = text
        }
        guard !values.isEmpty else { throw .invalid("a link needs rssi, loss, packet-loss or blocked") }
        return .json(try await answer(.link(names[0], receiver: names[1], values)).link)
    }

    func removeLink(_ names: [String]) async throws(Problem) -> APIReply {
        try requireLink(names)
        _ = try await answer(.link(names[0], receiver: names[1], [:]))
        return .empty
    }

    // MARK: - The journal

    func journal(_ request: APIRequest) async throws(Problem) -> APIReply {
        let sequence = try request.query["after"].map(APIRequest.sequence)
        let answer = try await answer(.journal(EventSelection(request.query), since: sequence.map { "\($0)" }))
        return await Self.list("events", answer.journal ?? [])
    }

    /// The events that a client follows.
    func events(_ request: APIRequest) async throws(Problem) -> APIReply {
        let last = try (request.fields[.lastEventID] ?? request.query["after"]).map(APIRequest.sequence)
        let selection = EventSelection(request.query)
        let text = request.query["text"] ?? "false"
        guard ["true", "false"].contains(text) else { throw .invalid("text must be true or false") }
        do throws(EmulatorError) {
            try await emulator.check(selection)
        } catch {
            throw Problem(error)
        }
        return .events(selection, after: last, withText: text == "true")
    }

    func clearJournal() -> APIReply {
        emulator.events.clearJournal()
        return .empty
    }

    /// Compares the journal with an expectation, until it is met or its time is over.
    func verify(_ request: APIRequest) async throws(Problem) -> APIReply {
        var members = try request.members()
        let within = try Self.read { () throws(EmulatorError) in try JSONMembers(members).text("within") }
        _ = members.removeValue(forKey: "within")
        let fields = try Self.read { () throws(EmulatorError) in try JournalExpectation.Fields(members) }
        return .json(try await answer(.wait([fields], within: within)).verdicts?.first)
    }
}
