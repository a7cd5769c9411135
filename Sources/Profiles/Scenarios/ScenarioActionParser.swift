// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Space

/// Parses the words of a change, which are the same as in `beaconry ctl`.
struct ScenarioActionParser {
    private static let names = [
        "move", "set", "enable", "disable", "on", "off", "mute", "unmute", "battery", "link", "disconnect", "radio",
        "connect", "pair", "read", "write", "subscribe",
    ]

    /// The ids of the beacons.
    let beacons: [String]
    /// The ids of the receivers.
    let receivers: [String]

    /// Parses a change, such as `move phone 3 0`.
    func action(_ text: String) throws(ValueFault) -> ScenarioAction {
        let words = text.split(separator: " ").map(String.init)
        guard let name = words.first else { throw ValueFault("a change is expected here, such as off lobby") }
        let rest = Array(words.dropFirst())
        switch name {
        case "move": return try move(rest)
        case "set": return try set(rest)
        case "enable", "on": return .enable(try onlyBeacon(rest, name))
        case "disable", "off": return .disable(try onlyBeacon(rest, name))
        case "mute": return try mute(rest)
        case "unmute": return .unmute(try onlyBeacon(rest, name))
        case "battery":
            guard rest.count == 2 else { throw ValueFault("battery needs a beacon, and flat or full") }
            return .battery(try beacon(rest[0]), try ValueText.choice(rest[1], of: BatteryState.self))
        case "link": return try link(rest)
        case "disconnect": return try disconnect(rest)
        case "radio":
            guard rest.count == 1 else { throw ValueFault("radio needs off or on") }
            return .radio(try ValueText.choice(rest[0], of: RadioPower.self))
        case "connect": return try onConnection(.connect, name, rest, arguments: 0)
        case "pair": return try onConnection(.pair, name, rest, arguments: 0)
        case "read", "subscribe":
            let uuid = try rest.dropFirst(2).first.map(ValueText.bluetoothUUID) ?? .bit16(0)
            return try onConnection(name == "read" ? .read(uuid) : .subscribe(uuid), name, rest, arguments: 1)
        case "write":
            let uuid = try rest.dropFirst(2).first.map(ValueText.bluetoothUUID) ?? .bit16(0)
            let value = try rest.dropFirst(3).first.map(ScenarioValue.bytes) ?? []
            return try onConnection(.write(uuid, value), name, rest, arguments: 2)
        default: throw ValueFault(Spelling.unknown("there is no change \"\(name)\"", name, "changes", Self.names))
        }
    }

    private func move(_ words: [String]) throws(ValueFault) -> ScenarioAction {
        guard 3...4 ~= words.count else {
            throw ValueFault("move needs a name and two or three numbers of metres, such as move phone 3 0")
        }
        var metres: [Double] = []
        for word in words.dropFirst() { metres.append(try ValueText.metres(word)) }
        let position = Position(x: metres[0], y: metres[1], z: metres.count == 3 ? metres[2] : 0)
        return .move(try name(words[0], among: beacons + receivers, "beacon or receiver"), position)
    }

    private func set(_ words: [String]) throws(ValueFault) -> ScenarioAction {
        guard words.count >= 2 else { throw ValueFault("set needs a beacon and settings, such as set lobby minor=7") }
        var values: [String: String] = [:]
        for word in words.dropFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw ValueFault("\"\(word)\" is not a setting; write KEY=VALUE, such as major=7")
            }
            guard values.updateValue(parts[1], forKey: parts[0]) == nil else {
                throw ValueFault("\(parts[0]) is given twice; leave one out")
            }
        }
        return .set(try beacon(words[0]), values)
    }

    private func mute(_ words: [String]) throws(ValueFault) -> ScenarioAction {
        let (arguments, options) = try Self.split(words, options: ["for"])
        let time = try options["for"].map { text throws(ValueFault) in try ValueText.duration(text) }
        return .mute(try onlyBeacon(arguments, "mute"), for: time)
    }

    private func link(_ words: [String]) throws(ValueFault) -> ScenarioAction {
        let (arguments, options) = try Self.split(
            words, options: ["rssi", "loss", "packet-loss", "for"], flags: ["blocked", "reset"])
        guard arguments.count == 2 else {
            throw ValueFault("link needs a beacon and a receiver, such as link door phone --loss 10")
        }
        var values = options
        let isReset = values.removeValue(forKey: "reset") != nil
        guard values.isEmpty == isReset else {
            throw ValueFault(
                isReset
                    ? "--reset removes the override; leave the other options out"
                    : "give --rssi, --loss, --packet-loss or --blocked, or --reset to remove the override")
        }
        let pairs = values.compactMap { option, text in LinkOverride.Key(rawValue: option).map { ($0, text) } }
        return .link(
            try beacon(arguments[0]), receiver: try name(arguments[1], among: receivers, "receiver"),
            try LinkOverride(Dictionary(uniqueKeysWithValues: pairs)))
    }

    private func disconnect(_ words: [String]) throws(ValueFault) -> ScenarioAction {
        let (arguments, options) = try Self.split(words, options: ["reason"])
        guard 1...2 ~= arguments.count else { throw ValueFault("disconnect needs a beacon or a receiver") }
        return .disconnect(
            try name(arguments[0], among: beacons + receivers, "beacon or receiver"),
            peer: arguments.count == 2 ? arguments[1] : nil,
            reason: try options["reason"].map { text throws(ValueFault) in
                try ValueText.choice(text, of: DisconnectionReason.self)
            } ?? .remoteUser)
    }

    private func onConnection(
        _ action: ScenarioAction.OnConnection, _ verb: String, _ words: [String], arguments: Int
    ) throws(ValueFault) -> ScenarioAction {
        guard words.count == 2 + arguments else {
            let (more, example) = [
                ("", "phone lock"), (" and a characteristic", "phone lock 2A19"),
                (", a characteristic and a value in hexadecimal", "phone lock 2A06 01"),
            ][arguments]
            throw ValueFault(
                "\(verb) needs a receiver\(arguments == 0 ? " and" : ",") a beacon\(more), such as \(verb) \(example)")
        }
        return .onConnection(
            action, receiver: try name(words[0], among: receivers, "receiver"), beacon: try beacon(words[1]))
    }

    // MARK: - Names and options

    private func onlyBeacon(_ words: [String], _ verb: String) throws(ValueFault) -> String {
        guard words.count == 1 else { throw ValueFault("\(verb) needs the id of one beacon, such as \(verb) lobby") }
        return try beacon(words[0])
    }

    private func beacon(_ id: String) throws(ValueFault) -> String { try name(id, among: beacons, "beacon") }

    private func name(_ id: String, among names: [String], _ kind: String) throws(ValueFault) -> String {
        guard !names.contains(id) else { return id }
        throw ValueFault(ScenarioNames.unknown(id, kind, names))
    }

    private static func split(
        _ words: [String], options: [String], flags: [String] = []
    ) throws(ValueFault) -> (arguments: [String], options: [String: String]) {
        var arguments: [String] = []
        var found: [String: String] = [:]
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--") else {
                arguments.append(word)
                continue
            }
            let option = String(word.dropFirst(2))
            var value = "true"
            if options.contains(option) {
                guard let next = rest.popFirst() else { throw ValueFault("--\(option) needs a value") }
                value = next
            } else if !flags.contains(option) {
                throw ValueFault(
                    Spelling.unknown(
                        "there is no option \"\(word)\"", word, "options", (options + flags).map { "--" + $0 }))
            }
            guard found.updateValue(value, forKey: option) == nil else {
                throw ValueFault("--\(option) is given twice; leave one out")
            }
        }
        return (arguments, found)
    }
}

/// Attribute values in a scenario.
enum ScenarioValue {
    /// The longest value of an attribute (Core 5.4, Vol 3, Part F, 3.2.9).
    private static let maximumLength = 512

    /// Up to 512 bytes in hexadecimal.
    static func bytes(_ text: String) throws(ValueFault) -> [UInt8] {
        guard let bytes = try? Hexadecimal.bytes(text), bytes.count <= maximumLength else {
            throw ValueFault("\"\(text)\" is not a value; write up to 512 bytes in hexadecimal digits, such as 01FF")
        }
        return bytes
    }
}

/// Messages about names in a scenario.
enum ScenarioNames {
    /// `there is no beacon "lobyb"; did you mean "lobby"? beacons are door, lobby`
    static func unknown(_ id: String, _ kind: String, _ names: [String]) -> String {
        guard !names.isEmpty else { return "there is no \(kind) \"\(id)\", because the scenario has none" }
        return Spelling.unknown("there is no \(kind) \"\(id)\"", id, "names", things: names)
    }
}
