// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import FoundationEssentials
import Profiles
import Radio

/// An event as its readers get it: its kind, a sentence, and the fields of its JSON object. The last two are made on demand.
struct EventForm {
    /// The kind.
    let kind: EventKind
    /// The beacon or the phone in the sentence; `nil` for an event of the run.
    private var subject: BeaconIdentifier?
    /// What is in front of the subject.
    private let label: String
    private let text: () -> String
    /// Writes the fields beside the common ones and `device`.
    private(set) var write: (inout EventFields) throws -> Void

    init(
        _ kind: EventKind, label: String = "", _ text: @autoclosure @escaping () -> String,
        _ write: @escaping (inout EventFields) throws -> Void = { _ in }
    ) {
        self.kind = kind
        self.label = label
        self.text = text
        self.write = write
    }

    /// One line, without the time.
    var sentence: String { label + (subject.map { "\($0): " } ?? "") + text() }

    /// The same form with fields in front of its own.
    func adding(_ fields: @escaping (inout EventFields) throws -> Void) -> EventForm {
        var form = self
        form.write = { [write] in
            try fields(&$0)
            try write(&$0)
        }
        return form
    }

    /// The same form of a beacon or a phone.
    fileprivate func about(_ subject: BeaconIdentifier) -> EventForm {
        var form = self
        form.subject = subject
        return form
    }
}

extension EmulatorEvent {
    /// One line, without the time.
    package var sentence: String { form.sentence }

    /// The lines for people: the sentence, and with several faults of a profile one for each of them.
    package var lines: [String] {
        guard case .reloadFailed(let error) = self, error.faults.count > 1 else { return [sentence] }
        return ["reload failed: \(error.faults.count) faults; \(error.hint)"] + error.diagnostics
    }

    /// The form of the event, with the beacon or phone in front of its sentence.
    var form: EventForm {
        switch self {
        case .radioReady(let capabilities):
            EventForm(.radioReady, capabilities.sentence) { try capabilities.write(to: &$0) }
        case .radioLost(let error):
            EventForm(.radioLost, "radio lost: \(error.message); \(error.hint)") { try error.write(to: &$0) }
        case .ready(let summary):
            EventForm(.ready, summary.readySentence) {
                try $0.set(.beacons, summary.beacons)
                try $0.set(.onAir, summary.count(.onAir))
            }
        case .degraded(let summary):
            EventForm(.degraded, "degraded: \(summary.sentence)") { try summary.write(to: &$0) }
        case .recovered(let summary):
            EventForm(.recovered, "recovered: \(summary.sentence)") { try summary.write(to: &$0) }
        case .controlServed(let url):
            EventForm(.httpReady, "control over HTTP: \(url)") { try $0.set(.url, url) }
        case .reloaded(let count):
            EventForm(.reloaded, "reloaded: \(count) beacon\(count == 1 ? "" : "s")") { try $0.set(.beacons, count) }
        case .reloadFailed(let error):
            EventForm(.reloadFailed, "reload failed: \(error)") {
                try $0.set(.message, error.message)
                try $0.set(.hint, error.hint)
                try $0.set(.faults, error.faults.isEmpty ? nil : error.faults.map(ErrorRecord.init))
            }
        case .scenario(let scenario):
            EventForm(scenario.kind, scenario.sentence) { try $0.set(.scenario, scenario) }
        case .replayEnded(let count):
            EventForm(.replayEnded, "the replay has ended: \(count) packet\(count == 1 ? "" : "s") sent") {
                try $0.set(.packets, count)
            }
        case .stopping: EventForm(.stopping, "stopping")
        case .host(let event): event.form
        case .receiver(let name, let event): event.form(of: name)
        case .link(let one, let other, let override): Self.link(from: one, to: other, override)
        case .physics(let physics, let walls): Self.physics(physics, walls: walls)
        case .warning(let warning): warning.form
        case .lost(let count): Self.lost(count)
        case .beacon(let beacon, let event): event.form(of: beacon).about(beacon)
        case .phone(let phone, let accessory, let event):
            event.form(with: accessory?.address.description ?? "the accessory").about(phone)
        }
    }

    private static func lost(_ count: Int) -> EventForm {
        let sentence = "\(count) \(count == 1 ? "event was" : "events were") lost, because they were read too slowly"
        return EventForm(.eventsLost, sentence) {
            try $0.set(.count, count)
            try $0.set(.message, sentence)
        }
    }
}

// MARK: - The run and its radio

extension RadioCapabilities {
    fileprivate var sentence: String {
        let way = "\(way) (\(wayReason))"
        // Of a virtual air.
        if let seed {
            let names = Dictionary(receivers.map { ($0.value, $0.key) }, uniquingKeysWith: { min($0, $1) })
            let servers = servers.map { server in
                let notes = [names[server], ServerAddress(server)?.emulatorOption.map { "emulator \($0)" }]
                    .compactMap(\.self)
                return notes.isEmpty ? server : "\(server) (\(notes.joined(separator: ", ")))"
            }
            let place = servers.isEmpty ? "closed to other hosts" : "listening on \(servers.joined(separator: " and "))"
            return "radio \(name) is ready: \(way), \(place), seed \(seed)"
        }
        let kind = hasExtendedAdvertising ? "extended" : "legacy"
        return "radio \(name) \(address?.description ?? "") is ready: \(kind) advertising, "
            + "\(freeInstances) of \(instances) instances free, by \(way)"
    }

    fileprivate func write(to fields: inout EventFields) throws {
        try fields.set(.radio, name)
        try fields.set(.way, way)
        try fields.set(.reason, wayReason)
        try fields.set(.address, address?.description)
        try fields.set(.extended, hasExtendedAdvertising)
        try fields.set(.instances, instances)
        try fields.set(.freeInstances, freeInstances)
        try fields.set(.servers, servers.isEmpty ? nil : servers)
        try fields.set(.receivers, receivers.isEmpty ? nil : receivers)
        try fields.set(.seed, seed)
        try fields.set(.airVersion, seed == nil ? nil : RadioCapabilities.airVersion)
    }
}

extension AirSummary {
    /// How many beacons are on the air, and how many need not be.
    fileprivate var readySentence: String {
        guard count(.onAir) == beacons, !usesLastGood else { return "ready: \(sentence)" }
        return "ready: \(beacons) beacon\(beacons == 1 ? " is" : "s are") on the air"
    }

    fileprivate func write(to fields: inout EventFields) throws {
        try fields.set(.expected, expected)
        try fields.set(.onAir, count(.onAir))
        try fields.set(.missing, missing.isEmpty ? nil : missing)
        try fields.set(.message, sentence)
    }
}

extension ScenarioRecord {
    fileprivate var kind: EventKind {
        switch state {
        case .running: done > 0 ? .scenarioChanged : .scenarioRunning
        case .ended: .scenarioEnded
        case .stopped: .scenarioStopped
        }
    }
}

extension HostEvent {
    fileprivate var form: EventForm {
        let described = kind.map { "\($0) " } ?? ""
        let (host, written) = ("\(described)host \(name) (\(peer) on \(transport))", write)
        return switch action {
        case .joined: EventForm(.hostJoined, "\(host) joined\(address.map { " as controller \($0)" } ?? "")", written)
        case .left: EventForm(.hostLeft, "\(host) left", written)
        case .refused(let reason):
            EventForm(.hostRefused, "\(host) was refused: \(reason)") {
                try $0.set(.reason, reason)
                try written(&$0)
            }
        case .scanStarted(let isActive):
            EventForm(.scanStarted, "\(host) started a scan (\(isActive ? "active" : "passive"))") {
                try $0.set(.scan, isActive ? "active" : "passive")
                try written(&$0)
            }
        case .scanStopped: EventForm(.scanStopped, "\(host) stopped its scan", written)
        }
    }

    private func write(to fields: inout EventFields) throws {
        try fields.set(.host, name)
        try fields.set(.transport, transport)
        try fields.set(.peer, peer)
        try fields.set(.address, address?.description)
        try fields.set(.hostKind, kind)
    }
}

// MARK: - Values of several events

extension Warning {
    var form: EventForm {
        EventForm(.warning, label: "warning: ", "\(message) [\(code)]; \(hint)") {
            try $0.set(.code, code)
            try $0.set(.message, message)
            try $0.set(.hint, hint)
        }
    }
}

extension RadioError {
    func write(to fields: inout EventFields) throws {
        try fields.set(.code, code.rawValue)
        try fields.set(.message, message)
        try fields.set(.hint, hint)
    }
}

extension PairingError {
    func form(with peer: String, hint: String) -> EventForm {
        EventForm(.pairingFailed, "pairing with \(peer) failed: \(message) [\(code.rawValue)]; \(hint)") {
            try $0.set(.code, code.rawValue)
            try $0.set(.message, message)
            try $0.set(.hint, hint)
        }
    }
}

extension LinkProtection {
    func form(with peer: String) -> EventForm {
        EventForm(
            .encrypted, "the link to \(peer) is encrypted" + (isAuthenticated == true ? ", and authenticated" : "")
        ) {
            try $0.set(.authenticated, isAuthenticated)
            try $0.set(.keySize, keySize)
        }
    }
}

extension ATTError {
    /// `0x0D`
    var code: String { "0x" + Hexadecimal.string([rawValue]).uppercased() }
}
