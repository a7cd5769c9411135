// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
package import Emulator
import JSON
import Profiles
import Receiving
package import RunAPI

/// The text of a change of the beacons.
enum ReloadText {
    static func line(_ reload: Emulator.ReloadResult) -> String {
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

    /// The line of the change, and one for each beacon whose changed settings stay in force.
    static func lines(_ reload: Emulator.ReloadResult) -> [String] {
        [line(reload)]
            + reload.keptSettings.map { "\($0.sentence); \($0.command) restores the settings of the profile" }
    }
}

/// The text of what runs.
package enum VersionText {
    /// The program, and a line for each profile with its hashes.
    package static func lines(_ versions: RunVersions) -> [String] {
        let rows = versions.profiles.map { [$0.profile, $0.files ?? "none", $0.effective] }
        return ["beaconry \(versions.version)"]
            + TextTable(rows: [["PROFILE", "FILES", "IN EFFECT"]] + rows).lines
    }

    /// `beaconry 0.9.0; museum: files 3f2a9c1b00d4e5f6, in effect 91ab44c0d7e81f02`
    static func line(_ versions: RunVersions) -> String {
        let profiles = versions.profiles.map { profile in
            "\(profile.profile): " + (profile.files.map { "files \($0), " } ?? "") + "in effect \(profile.effective)"
        }
        return (["beaconry \(versions.version)"] + profiles).joined(separator: "; ")
    }
}

/// The text of a walk on the bench.
package enum BenchText {
    package static func lines(_ bench: BenchRecord) -> [String] {
        let head =
            "receiver \(bench.receiver) on the virtual air; RSSI on the bench \(bench.rssi) dBm; app \(bench.app)"
        let rows = bench.beacons.map { beacon in
            [
                beacon.beacon, state(beacon.state), beacon.rssi.map { Formatting.hundredths($0) } ?? "",
                beacon.measuredPower.map { "\($0)" } ?? "none",
                (beacon.benchPower.map { "\($0)" } ?? "") + (beacon.isClamped ? " (nearest)" : ""),
            ]
        }
        return [head] + TextTable(rows: [["BEACON", "STATE", "RSSI", "MEASURED POWER", "ON THE RADIO"]] + rows).lines
    }

    private static func state(_ state: BenchState) -> String {
        switch state {
        case .waiting: "waiting"
        case .inRange: "in range"
        case .outOfRange: "out of range"
        }
    }
}

/// The text of positions and paths on the virtual air.
package enum LinkText {
    package static func line(_ moved: MoveRecord) -> String { "\(moved.name) is at \(place(moved.position)) (m)" }

    package static func line(_ walk: WalkRecord) -> String {
        "\(walk.name) walks for \(seconds(walk.over)): \(walk.path.map(place).joined(separator: "; ")) (m)"
    }

    private static func place(_ position: [Double]) -> String { Formatting.position(position) }

    package static func listServers(_ servers: [ReceiverRecord]) -> [String] {
        if servers.isEmpty { return ["no receivers"] }
        let rows = servers.map { server in
            [
                server.name, server.server ?? "", server.position.map { "\(place($0)) (m)" } ?? "1 m from every beacon",
                server.hosts.flatMap { $0.isEmpty ? nil : $0.joined(separator: ", ") } ?? "none",
            ] + room(of: server, among: servers) + hardware(of: server, among: servers)
        }
        let heading =
            ["RECEIVER", "SERVER", "POSITION", "HOSTS"] + roomHeading(servers)
            + (hasHardware(servers) ? ["HARDWARE"] : [])
        return TextTable(rows: [heading] + rows).lines
    }

    package static func listListeners(_ listeners: [ReceiverRecord]) -> [String] {
        let rows = listeners.map { listener in
            [
                listener.name, listener.phone?.text ?? "", scanText(of: listener),
                listener.position.map { "\(place($0)) (m)" } ?? "1 m from every beacon",
            ] + room(of: listener, among: listeners) + estimate(of: listener, among: listeners)
                + hardware(of: listener, among: listeners)
        }
        let heading =
            ["RECEIVER", "PHONE", "SCAN", "POSITION"] + roomHeading(listeners) + estimateHeading(listeners)
            + (hasHardware(listeners) ? ["HARDWARE"] : [])
        return TextTable(rows: [heading] + rows).lines
    }

    private static func scanText(of listener: ReceiverRecord) -> String {
        if listener.permission == PhonePermission.denied.rawValue { return "permission denied" }
        if listener.bluetooth == PhoneBluetooth.off.rawValue { return "Bluetooth off" }
        if listener.listening == false { return "off" }
        return listener.scan.map(text) ?? listener.problem ?? "paused"
    }

    private static func hasHardware(_ receivers: [ReceiverRecord]) -> Bool {
        receivers.contains { $0.traits != ReceiverTraits() }
    }

    /// The true room, in a column that a list has only if it is needed.
    private static func room(of receiver: ReceiverRecord, among others: [ReceiverRecord]) -> [String] {
        roomHeading(others).isEmpty ? [] : [receiver.room ?? ""]
    }

    /// The estimated room, beside the true one.
    private static func estimate(of receiver: ReceiverRecord, among others: [ReceiverRecord]) -> [String] {
        estimateHeading(others).isEmpty ? [] : [receiver.estimate.map { $0.room ?? "none" } ?? ""]
    }

    private static func estimateHeading(_ receivers: [ReceiverRecord]) -> [String] {
        receivers.contains { $0.estimate != nil } ? ["ESTIMATED"] : []
    }

    private static func roomHeading(_ receivers: [ReceiverRecord]) -> [String] {
        receivers.contains { $0.room != nil } ? ["ROOM"] : []
    }

    /// `rssi-offset: -7dB, carried: pocket`, in a column that a list has only if it is needed.
    private static func hardware(of receiver: ReceiverRecord, among others: [ReceiverRecord]) -> [String] {
        guard hasHardware(others) else { return [] }
        let texts = ReceiverKey.all.compactMap { key in key.text(of: receiver.traits).map { "\(key.name): \($0)" } }
        return [texts.joined(separator: ", ")]
    }

    private static func text(_ scan: ReceiverScan) -> String {
        let times = scan.window.flatMap { window in scan.interval.map { " \(window)/\($0)" } } ?? ""
        return (scan.active ? "active" : "passive") + times
    }

    package static func list(_ report: RangingRecord) -> [String] {
        if report.beacons.isEmpty { return ["no beacon is in range"] }
        let hasTruth = report.beacons.contains { $0.truth?.distance != nil }
        let rows = report.beacons.map { beacon -> [String] in
            let rssi = beacon.rssi == 0 ? "" : "\(beacon.rssi) dBm"
            let distance = beacon.accuracy < 0 ? "" : "\(Formatting.hundredths(beacon.accuracy)) m"
            let columns = beacon.identifiers.columns() + [rssi, "\(beacon.packets)", beacon.proximity, distance]
            guard hasTruth else { return columns }
            return columns + [beacon.truth?.distance.map { "\(Formatting.hundredths($0)) m" } ?? ""]
        }
        let heading = ["UUID", "MAJOR", "MINOR", "RSSI", "PACKETS", "PROXIMITY", "DISTANCE"]
        return TextTable(rows: [heading + (hasTruth ? ["TRUE DISTANCE"] : [])] + rows).lines
    }

    package static func list(_ regions: [MonitoredRegion]) -> [String] {
        if regions.isEmpty { return ["no regions"] }
        let rows = regions.map { region in
            [region.identifier, region.state] + region.identifiers.columns(without: "any")
        }
        return TextTable(rows: [["REGION", "STATE", "UUID", "MAJOR", "MINOR"]] + rows).lines
    }

    package static func list(_ receivers: [ReceiverRecord]) -> [String] {
        if receivers.isEmpty { return ["no host is on the air"] }
        let hasKind = receivers.contains { $0.kind != nil }
        let rows = receivers.map { receiver in
            [
                receiver.name, receiver.scan.map { $0.active ? "active" : "passive" } ?? "no",
                receiver.position.map(place) ?? "",
                receiver.path == nil ? "" : "yes",
            ] + (hasKind ? [receiver.kind ?? ""] : []) + room(of: receiver, among: receivers)
                + estimate(of: receiver, among: receivers)
        }
        let heading =
            ["HOST", "SCAN", "POSITION (m)", "MOVES"] + (hasKind ? ["KIND"] : []) + roomHeading(receivers)
            + estimateHeading(receivers)
        return TextTable(rows: [heading] + rows).lines
    }

    package static func list(_ links: [LinkRecord]) -> [String] {
        if links.isEmpty { return ["no host scans"] }
        let heading = ["FROM", "TO", "DISTANCE", "MEAN RSSI", "LAST RSSI", "LOST"]
        let hasOverrides = links.contains { $0.override != nil }
        let rows = links.map { link in
            let row = [
                link.from, link.to, link.distance.map { "\(Formatting.hundredths($0)) m" } ?? "1 m (no position)",
                "\(Int(link.meanRSSI.rounded())) dBm", link.lastRSSI.map { "\($0) dBm" } ?? "",
                link.lost.map(percent) ?? "",
            ]
            return hasOverrides ? row + [link.override.map(text) ?? ""] : row
        }
        return TextTable(rows: [hasOverrides ? heading + ["OVERRIDE"] : heading] + rows).lines
    }

    package static func line(_ link: LinkChangeRecord) -> String {
        "\(link.from) to \(link.to): \(link.override.map(text) ?? "no override")"
    }

    private static func text(_ override: OverrideRecord) -> String {
        var parts: [String] = []
        if let rssi = override.rssi { parts.append("\(rssi) dBm") }
        if let loss = override.loss { parts.append("\(ValueText.text(loss)) dB more loss") }
        if let loss = override.packetLoss {
            parts.append(loss >= 100 ? "blocked" : "\(percent(loss / 100)) of packets lost")
        }
        if let left = override.time { parts.append("for \(seconds(left, to: 10))") }
        return parts.joined(separator: ", ")
    }

    /// A duration of a record, in seconds.
    private static func seconds(_ text: String, to digits: Double = 1000) -> String {
        guard let duration = try? ValueText.duration(text) else { return text }
        return "\(ValueText.text((duration / .seconds(1) * digits).rounded() / digits)) s"
    }

    private static func percent(_ fraction: Double) -> String { "\(Int((fraction * 100).rounded())) %" }
}

/// The text of the virtual air.
package enum AirText {
    /// The physics, with a line for each key, and the number of walls.
    package static func lines(_ air: AirRecord) -> [String] {
        let values = PhysicsKey.all.map { key in
            switch air.physics.values[key.name] {
            case .object(let numbers)?:
                (key.name, key.numbers.map { "\($0.name) \(numbers[$0.name]?.setting ?? "")" }.joined(separator: ", "))
            case let value?: (key.name, value.setting ?? "")
            case nil: (key.name, "off")
            }
        }
        return TextTable(
            rows: [["physics", air.physics.preset ?? "of its own"]] + values.map { [$0.0, $0.1] } + [
                ["walls", "\(air.walls.count)"]
            ] + (air.rooms.isEmpty ? [] : [["rooms", "\(air.rooms.count)"]])
        )
        .lines
    }
}

/// The text of captures.
package enum CaptureText {
    package static func list(_ captures: [CaptureRecord]) -> [String] {
        if captures.isEmpty { return ["no captures"] }
        let rows = captures.map { ["\($0.id)", $0.state.rawValue, "\($0.records)", "\($0.bytes)", "\($0.limit)"] }
        return TextTable(rows: [["CAPTURE", "STATE", "RECORDS", "BYTES", "LIMIT"]] + rows).lines
    }
}

/// The output of `ctl capture save`.
struct SavedCaptureReport: Encodable, Report {
    let file: String
    let bytes: Int
    var lines: [String] { ["saved \(file) (\(Formatting.count(bytes, "byte")))"] }
}

/// The verdict on a condition of `ctl wait`.
struct ConditionReport: Encodable, Report {
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
struct StoppedReport: Encodable, Report {
    let stopped = true
    var lines: [String] { ["stopped"] }
}

/// The output of `ctl forget`.
struct ForgottenReport: Encodable, Report {
    let forgotten: Int
    var lines: [String] { ["\(Formatting.count(forgotten, "bond")) forgotten"] }
}

/// The text of bonds.
package enum BondText {
    package static func line(_ bond: BondRecord) -> String {
        Formatting.row([
            bond.beacon, "\(bond.peer) (\(bond.peerType))",
            bond.authenticated.map { $0 ? "authenticated" : "just works" },
            bond.secureConnections.map { $0 ? "secure connections" : "legacy pairing" },
            bond.keySize.map { "\(Int($0) * 8)-bit key" },
        ])
    }
}

/// The answer to `ctl radio`.
struct RadioPowerReport: Encodable, Report {
    let radio: RadioPower
    var lines: [String] { ["the radio is \(radio.rawValue)"] }
}

/// The text of a scenario's progress.
package enum ScenarioText {
    /// The progress, and a line for each change that was refused.
    package static func lines(_ scenario: ScenarioRecord) -> [String] {
        [scenario.sentence] + scenario.refused.map { "refused at \($0.at) s: \($0.change): \($0.message ?? "")" }
    }
}

/// The text of a clock.
package enum ClockText {
    package static func line(_ clock: ClockRecord) -> String {
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
package enum FaultText {
    package static func line(_ disconnected: DisconnectionRecord) -> String {
        let peers = disconnected.peers.joined(separator: ", ")
        return "\(disconnected.name) disconnected from \(peers) (\(disconnected.reason))"
    }

    package static func line(_ fault: ConnectionFaultRecord) -> String {
        switch fault.count {
        case 0: "\(fault.beacon): no connection will fail"
        case 1: "\(fault.beacon): the next connection will fail"
        default: "\(fault.beacon): the next \(fault.count) connections will fail"
        }
    }
}

extension IdentifierRecord {
    /// Cells below UUID, MAJOR and MINOR: a format without numbers has a namespace and an instance there, or its identity.
    /// - Parameter missing: in place of a number that a region does not have.
    func columns(without missing: String = "") -> [String] {
        if let uuid { return [uuid, major.map { "\($0)" } ?? missing, minor.map { "\($0)" } ?? missing] }
        return [namespace ?? identity ?? "", instance ?? (namespace == nil ? "" : missing), ""]
    }
}
