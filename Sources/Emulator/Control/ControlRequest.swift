// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices

/// A request of a client of the control socket: one JSON object on a line.
///
/// `command` names the case, and the other keys are its values. A new command is a case here, its parsing and encoding
/// below, and its handler in `ControlSession`.
package enum ControlRequest: Hashable, Sendable {
    /// All beacons, or those of a profile.
    case list(profile: String? = nil)
    /// One beacon.
    case show(String)
    /// Changes settings of a beacon, all or none. Keys and values are those of a profile.
    case set(String, [String: String])
    /// Switches a beacon on.
    case enable(String)
    /// Switches a beacon off.
    case disable(String)
    /// Performs a command of a beacon's device. In JSON, `act` with the command's `name`, which is `act` by default, and its
    /// arguments as `values`.
    case perform(String, DeviceCommand)
    /// Moves a beacon or a host on the virtual air; in metres, the height may be left out.
    case move(String, [Double])
    /// The hosts on the virtual air, with their positions.
    case receivers
    /// Moves a beacon, a host or a receiver on the virtual air through positions in metres, over a duration such as `20s`.
    case walk(String, [[Double]], over: String)
    /// The servers of receivers, with or without hosts. In JSON, `receiver` with the `action` `list`.
    case listReceivers
    /// Adds a receiver with a server of its own to the virtual air, at a position in metres or 1 m from every beacon. In
    /// JSON, `receiver` with the `action` `add`.
    case addReceiver(String, [Double]? = nil)
    /// Removes a receiver that was added. In JSON, `receiver` with the `action` `remove`.
    case removeReceiver(String)
    /// The paths from everything that advertises to everything that scans on the virtual air.
    case links
    /// Overrides the path between a beacon and a host on the virtual air; without values, removes the override. The keys
    /// are those of `LinkOverride.Key`.
    case link(String, receiver: String, [String: String])
    /// Ends connections of a beacon or of a host, all or those with one peer, with a reason of `DisconnectionReason`.
    case disconnect(String, peer: String? = nil, reason: String? = nil)
    /// Mutes a beacon, for a duration such as `10s` or until `unmute`.
    case mute(String, for: String? = nil)
    /// Ends the muting of a beacon.
    case unmute(String)
    /// Makes the battery of a beacon `flat` or `full`.
    case battery(String, String)
    /// Switches the radio `off` or `on`.
    case radio(String)
    /// The clock of the run, after a change: the keys of the values are `advance`, a duration such as `30s`, and `rate`,
    /// `max`, `manual` or a number.
    case clock([String: String] = [:])
    /// Reads the profiles again.
    case reload
    /// Reads the profiles again, and starts all over.
    case reset
    /// The text and the tag of a profile, the first one by default.
    case profile(String? = nil)
    /// Replaces a profile by a text, if the profiles have a tag. In JSON, `profile` with a `text`.
    case replaceProfile(String? = nil, text: String, tag: String? = nil)
    /// Adds a beacon, or replaces one: the text is its entry in a profile.
    case put(String, text: String)
    /// Removes a beacon.
    case remove(String)
    /// The scenario of the run. In JSON, `scenario` with the `action` `show`, which is the default.
    case scenario
    /// Performs the timeline of a scenario, in YAML or JSON; `file` is its path, for messages. In JSON, `scenario` with the
    /// `action` `start`.
    case startScenario(text: String, file: String? = nil)
    /// Ends the scenario. In JSON, `scenario` with the `action` `stop`.
    case stopScenario
    /// The bonds of a beacon, or of all beacons.
    case bonds(String? = nil)
    /// Removes a beacon's bond with the peer of this address, or all bonds of the beacon.
    case forget(String, peer: String? = nil)
    /// Answers a pairing with `accept`, `reject`, `cancel` or six digits. Without an answer it asks the connected centrals
    /// to pair.
    case pair(String, answer: String? = nil)
    /// The captures in memory. In JSON, `capture` with the `action` `list`, which is the default.
    case captures
    /// Begins a capture with a limit of its size in bytes, 16 MiB by default. In JSON, `capture` with the `action` `start`.
    case startCapture(limit: Int? = nil)
    /// Ends a capture. In JSON, `capture` with the `action` `stop`.
    case stopCapture(Int)
    /// The records of a capture. In JSON, `capture` with the `action` `get`.
    case getCapture(Int)
    /// Ends and removes a capture. In JSON, `capture` with the `action` `remove`.
    case removeCapture(Int)
    /// Events of the journal: those that are selected, since the event with a number or for a duration such as `30s`; then,
    /// if wanted, all are removed.
    case journal(EventSelection = EventSelection(), since: String? = nil, clear: Bool = false)
    /// Compares the journal with expectations, until all are met or a duration such as `5s` is over. `since` is as for
    /// `journal`. In JSON the expectations are `conditions`.
    case wait([JournalExpectation.Fields], within: String? = nil, since: String? = nil)
    /// All events from now on, one on a line: JSON, or sentences.
    case events(EventFormat = .json)
    /// Ends the run. The connection is closed when the run has ended.
    case stop

    /// The format of streamed events.
    package enum EventFormat: String, Codable, Hashable, Sendable {
        /// JSON objects, the default.
        case json
        /// Sentences.
        case text
    }

    /// The longest accepted line, in bytes.
    package static let maximumLength = 65536
    /// The version of the protocol.
    private static let version = 1

    /// The device's command that `act` performs by default.
    private static let defaultCommand = "act"

    /// What `receiver` does.
    private enum ReceiverAction: String, CaseIterable {
        case list, add, remove
    }

    /// What `scenario` does.
    private enum ScenarioAction: String, CaseIterable {
        case show, start, stop
    }

    /// What `capture` does.
    private enum CaptureAction: String, CaseIterable {
        case list, start, stop, get, remove
    }

    /// The names of the requests.
    fileprivate enum Command: String, Encodable, CaseIterable {
        case list, show, set, enable, disable, act, move, walk, receiver, receivers, links, link, disconnect, mute
        case unmute, battery, radio, clock, reload, reset, profile, put, remove, scenario, bonds, forget, pair, capture
        case journal, wait, events, stop

        /// The further keys of its requests.
        var keys: [String] {
            switch self {
            case .receivers, .links, .reload, .reset, .stop: []
            case .list: ["profile"]
            case .show, .enable, .disable, .unmute, .remove, .bonds: ["device"]
            case .set: ["device", "values"]
            case .act: ["device", "name", "values"]
            case .move: ["device", "position"]
            case .walk: ["device", "path", "over"]
            case .receiver: ["action", "name", "position"]
            case .link: ["device", "receiver", "values"]
            case .disconnect: ["device", "peer", "reason"]
            case .mute: ["device", "for"]
            case .battery: ["device", "state"]
            case .radio: ["state"]
            case .clock: ["values"]
            case .profile: ["profile", "text", "tag"]
            case .put: ["device", "text"]
            case .scenario: ["action", "text", "file"]
            case .forget: ["device", "peer"]
            case .pair: ["device", "answer"]
            case .capture: ["action", "id", "limit"]
            case .journal: ["types", "device", "since", "clear"]
            case .wait: ["conditions", "within", "since"]
            case .events: ["format"]
            }
        }
    }

    /// The JSON object.
    fileprivate struct Fields: Encodable {
        var v = version
        var command: Command
        var device: String?
        var profile: String?
        var values: [String: String]?
        var name: String?
        var peer: String?
        var answer: String?
        var format: EventFormat?
        var position: [Double]?
        var path: [[Double]]?
        var over: String?
        var action: String?
        var receiver: String?
        var reason: String?
        var `for`: String?
        var state: String?
        var types: [String]?
        var since: String?
        var clear: Bool?
        var conditions: [JournalExpectation.Fields]?
        var within: String?
        var text: String?
        var file: String?
        var tag: String?
        var id: Int?
        var limit: Int?
    }

    /// Parses a line without its line end.
    /// - Throws: `EmulatorError` `.badProfile`.
    package init(parsing line: [UInt8]) throws(EmulatorError) {
        guard line.count <= Self.maximumLength else {
            throw EmulatorError(.badProfile, "a request has at most \(Self.maximumLength) bytes")
        }
        let fields = try Self.fields(of: line)
        func device() throws(EmulatorError) -> String {
            if let device = fields.device { return device }
            throw EmulatorError(
                .badProfile, "\(fields.command.rawValue) needs a beacon", hint: "name one, see list")
        }
        switch fields.command {
        case .list: self = .list(profile: fields.profile)
        case .show: self = .show(try device())
        case .set: self = .set(try device(), fields.values ?? [:])
        case .enable: self = .enable(try device())
        case .disable: self = .disable(try device())
        case .act:
            self = .perform(try device(), DeviceCommand(fields.name ?? Self.defaultCommand, fields.values ?? [:]))
        case .move: self = .move(try device(), fields.position ?? [])
        case .receivers: self = .receivers
        case .walk: self = .walk(try device(), fields.path ?? [], over: fields.over ?? "")
        case .receiver: self = try Self.receiverRequest(fields)
        case .links: self = .links
        case .link:
            guard let receiver = fields.receiver else {
                throw EmulatorError(
                    .badProfile, "link needs a receiver", hint: "give the name of a host as receiver, see links")
            }
            self = .link(try device(), receiver: receiver, fields.values ?? [:])
        case .disconnect: self = .disconnect(try device(), peer: fields.peer, reason: fields.reason)
        case .mute: self = .mute(try device(), for: fields.for)
        case .unmute: self = .unmute(try device())
        case .battery: self = .battery(try device(), fields.state ?? "")
        case .radio: self = .radio(fields.state ?? "")
        case .clock: self = .clock(fields.values ?? [:])
        case .reload: self = .reload
        case .reset: self = .reset
        case .profile:
            self =
                if let text = fields.text {
                    .replaceProfile(fields.profile, text: text, tag: fields.tag)
                } else {
                    .profile(fields.profile)
                }
        case .put: self = .put(try device(), text: fields.text ?? "")
        case .remove: self = .remove(try device())
        case .scenario: self = try Self.scenarioRequest(fields)
        case .bonds: self = .bonds(fields.device)
        case .forget: self = .forget(try device(), peer: fields.peer)
        case .pair: self = .pair(try device(), answer: fields.answer)
        case .capture: self = try Self.captureRequest(fields)
        case .journal:
            self = .journal(
                EventSelection(types: fields.types.map(Set.init), device: fields.device), since: fields.since,
                clear: fields.clear ?? false)
        case .wait: self = .wait(fields.conditions ?? [], within: fields.within, since: fields.since)
        case .events: self = .events(fields.format ?? .json)
        case .stop: self = .stop
        }
    }

    /// The values of a request, each of which has a key of its command and the right type.
    private static func fields(of line: [UInt8]) throws(EmulatorError) -> Fields {
        let form = "send {\"v\":1,\"command\":\"list\"}, see docs/control.md"
        let document: JSONValue
        do throws(JSONFault) {
            document = try JSONValue(parsing: line)
        } catch {
            throw EmulatorError(.badProfile, "this is not a request: \(error.message)", hint: form)
        }
        guard let members = document.members else {
            throw EmulatorError(.badProfile, "this is not a request: it is not an object", hint: form)
        }
        guard let version = members["v"] else {
            throw EmulatorError(.badProfile, "this is not a request: it has no \"v\"", hint: form)
        }
        guard version == .number(Double(Self.version)) else {
            throw EmulatorError(
                .badProfile, "version \(version.setting ?? "") of the protocol is not known", hint: "send \"v\":1")
        }
        guard let name = members["command"]?.string else {
            throw EmulatorError(.badProfile, "this is not a request: it has no \"command\"", hint: form)
        }
        guard let command = Command(rawValue: name) else {
            let names = Command.allCases.map(\.rawValue)
            throw EmulatorError(
                .badProfile, "there is no command \"\(name)\"", hint: Spelling.hint(name, "commands", names))
        }
        if let unknown = members.keys.sorted().first(where: { !(["v", "command"] + command.keys).contains($0) }) {
            let problem = "\(name) has no key \"\(unknown)\""
            throw EmulatorError(
                .badProfile,
                command.keys.isEmpty
                    ? "\(problem), and no other" : Spelling.unknown(problem, unknown, "keys", command.keys))
        }
        return try Fields(command, JSONMembers(members.filter { $0.value != .null }))
    }

    /// The `action` of a command that has several.
    private static func action<Action: RawRepresentable & CaseIterable>(
        of fields: Fields, default standard: Action
    ) throws(EmulatorError) -> Action where Action.RawValue == String {
        guard let text = fields.action else { return standard }
        if let action = Action(rawValue: text) { return action }
        let names = Action.allCases.map(\.rawValue).joined(separator: ", ")
        throw EmulatorError(
            .badProfile, "\(fields.command.rawValue) has no action \"\(text)\"", hint: "choose one of \(names)")
    }

    private static func scenarioRequest(_ fields: Fields) throws(EmulatorError) -> ControlRequest {
        switch try action(of: fields, default: ScenarioAction.show) {
        case .show: .scenario
        case .start: .startScenario(text: fields.text ?? "", file: fields.file)
        case .stop: .stopScenario
        }
    }

    private static func captureRequest(_ fields: Fields) throws(EmulatorError) -> ControlRequest {
        let action = try action(of: fields, default: CaptureAction.list)
        if action == .list { return .captures }
        if action == .start { return .startCapture(limit: fields.limit) }
        guard let id = fields.id else {
            throw EmulatorError(.badProfile, "\(action.rawValue) needs a capture", hint: "give its id, see the list")
        }
        switch action {
        case .stop: return .stopCapture(id)
        case .get: return .getCapture(id)
        case .remove, .list, .start: return .removeCapture(id)
        }
    }

    private static func receiverRequest(_ fields: Fields) throws(EmulatorError) -> ControlRequest {
        let action = try action(of: fields, default: ReceiverAction.list)
        if action == .list { return .listReceivers }
        guard let name = fields.name else {
            throw EmulatorError(.badProfile, "receiver needs a name", hint: "give a name, such as phone")
        }
        return action == .add ? .addReceiver(name, fields.position) : .removeReceiver(name)
    }

    private var fields: Fields {
        switch self {
        case .list(let profile): Fields(command: .list, profile: profile)
        case .show(let device): Fields(command: .show, device: device)
        case .set(let device, let values): Fields(command: .set, device: device, values: values)
        case .enable(let device): Fields(command: .enable, device: device)
        case .disable(let device): Fields(command: .disable, device: device)
        case .perform(let device, let command):
            Fields(
                command: .act, device: device, values: command.arguments,
                name: command.name == Self.defaultCommand ? nil : command.name)
        case .move(let name, let position): Fields(command: .move, device: name, position: position)
        case .receivers: Fields(command: .receivers)
        case .walk(let name, let path, let duration): Fields(command: .walk, device: name, path: path, over: duration)
        case .listReceivers: Fields(command: .receiver, action: ReceiverAction.list.rawValue)
        case .addReceiver(let name, let position):
            Fields(command: .receiver, name: name, position: position, action: ReceiverAction.add.rawValue)
        case .removeReceiver(let name):
            Fields(command: .receiver, name: name, action: ReceiverAction.remove.rawValue)
        case .links: Fields(command: .links)
        case .link(let device, let receiver, let values):
            Fields(command: .link, device: device, values: values, receiver: receiver)
        case .disconnect(let name, let peer, let reason):
            Fields(command: .disconnect, device: name, peer: peer, reason: reason)
        case .mute(let device, let duration): Fields(command: .mute, device: device, for: duration)
        case .unmute(let device): Fields(command: .unmute, device: device)
        case .battery(let device, let state): Fields(command: .battery, device: device, state: state)
        case .radio(let state): Fields(command: .radio, state: state)
        case .clock(let values): Fields(command: .clock, values: values.isEmpty ? nil : values)
        case .reload: Fields(command: .reload)
        case .reset: Fields(command: .reset)
        case .profile(let name): Fields(command: .profile, profile: name)
        case .replaceProfile(let name, let text, let tag):
            Fields(command: .profile, profile: name, text: text, tag: tag)
        case .put(let device, let text): Fields(command: .put, device: device, text: text)
        case .remove(let device): Fields(command: .remove, device: device)
        case .scenario: Fields(command: .scenario)
        case .startScenario(let text, let file):
            Fields(command: .scenario, action: ScenarioAction.start.rawValue, text: text, file: file)
        case .stopScenario: Fields(command: .scenario, action: ScenarioAction.stop.rawValue)
        case .bonds(let device): Fields(command: .bonds, device: device)
        case .forget(let device, let peer): Fields(command: .forget, device: device, peer: peer)
        case .pair(let device, let answer): Fields(command: .pair, device: device, answer: answer)
        case .captures: Fields(command: .capture)
        case .startCapture(let limit):
            Fields(command: .capture, action: CaptureAction.start.rawValue, limit: limit)
        case .stopCapture(let id): Fields(command: .capture, action: CaptureAction.stop.rawValue, id: id)
        case .getCapture(let id): Fields(command: .capture, action: CaptureAction.get.rawValue, id: id)
        case .removeCapture(let id): Fields(command: .capture, action: CaptureAction.remove.rawValue, id: id)
        case .journal(let selection, let since, let clear):
            Fields(
                command: .journal, device: selection.device, types: selection.types?.sorted(), since: since,
                clear: clear ? true : nil)
        case .wait(let conditions, let time, let since):
            Fields(command: .wait, since: since, conditions: conditions, within: time)
        case .events(.json): Fields(command: .events)
        case .events(.text): Fields(command: .events, format: .text)
        case .stop: Fields(command: .stop)
        }
    }

    /// Whether the client reads until the connection is closed, instead of one line.
    var isAnsweredUntilTheEnd: Bool {
        switch self {
        case .events, .stop: true
        default: false
        }
    }
}

extension ControlRequest.Fields {
    /// - Throws: `EmulatorError` `.badProfile` for a value of a wrong type.
    fileprivate init(_ command: ControlRequest.Command, _ members: JSONMembers) throws(EmulatorError) {
        self.init(command: command)
        device = try members.text("device")
        profile = try members.text("profile")
        values = try members.texts(by: "values")
        name = try members.text("name")
        peer = try members.text("peer")
        answer = try members.text("answer")
        position = try members.numbers("position")
        path = try members.list("path", "an array of positions") { JSONMembers.numbers($0) }
        over = try members.text("over")
        action = try members.text("action")
        receiver = try members.text("receiver")
        reason = try members.text("reason")
        self.for = try members.text("for")
        state = try members.text("state")
        types = try members.list("types", "an array of names") { $0.string }
        since = try members.text("since")
        clear = try members.boolean("clear")
        within = try members.text("within")
        text = try members.text("text")
        file = try members.text("file")
        tag = try members.text("tag")
        id = try members.integer("id")
        limit = try members.integer("limit")
        if let name = try members.text("format") {
            guard let known = ControlRequest.EventFormat(rawValue: name) else {
                throw EmulatorError(.badProfile, "\"\(name)\" is not a format", hint: "choose json or text")
            }
            format = known
        }
        if let objects = try members.list("conditions", "an array of objects", { $0.members }) {
            var conditions: [JournalExpectation.Fields] = []
            for object in objects { conditions.append(try JournalExpectation.Fields(object)) }
            self.conditions = conditions
        }
    }
}

extension ControlRequest: Encodable {
    package func encode(to encoder: any Encoder) throws { try fields.encode(to: encoder) }
}
