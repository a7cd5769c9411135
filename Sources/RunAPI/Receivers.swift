// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
package import Emulator
package import JSON
package import Profiles
package import Radio
import Receiving
package import Space

package struct ListReceivers: Operation {
    package static let name = "listReceivers"
    package static let method = OperationMethod.get
    package static let path = "/v1/receivers"
    package static let sentence =
        "The receivers: those that scan within the run, the hosts that have joined the virtual air, and the servers with a "
        + "name that hosts may join."

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Listed<ReceiverRecord> {
        Listed(await run.receivers())
    }
}

extension RunContext {
    /// All receivers, in the order of their names.
    /// - Parameter name: the name of the only receiver that is needed; `nil` for all.
    func receivers(named name: String? = nil) async -> [ReceiverRecord] {
        let labels = emulator.events.labels
        var listeners: [String: ListenerRecord] = [:]
        for listener in emulator.listeners.all where name ?? listener.name == listener.name {
            listeners[listener.name] = await listener.record
        }
        guard let present = try? await emulator.air.hosts() else {
            // Radios without positions do not list their hosts: there, the events of hosts count.
            let others = watch.receivers().filter { listeners[$0.name] == nil }
            return (others + listeners.map { ReceiverRecord($0, listener: $1) }).sorted { $0.name < $1.name }.map {
                $0.labelled(labels[$0.name])
            }
        }
        let served = (try? await emulator.air.receivers()) ?? []
        let servers = Dictionary(served.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        let hosts = Dictionary(present.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        return Set(servers.keys).union(hosts.keys).union(listeners.keys).sorted().map {
            ReceiverRecord($0, server: servers[$0], host: hosts[$0], listener: listeners[$0]).labelled(labels[$0])
                .placed(in: emulator.truth)
        }
    }

    /// The receiver of this name.
    /// - Throws: `EmulatorError` `.unknownBeacon` if there is none.
    func receiver(_ name: String) async throws(EmulatorError) -> ReceiverRecord {
        if let receiver = await receivers(named: name).first(where: { $0.name == name }) { return receiver }
        throw EmulatorError(
            .unknownBeacon, "there is no receiver \"\(name)\"", hint: "beaconry ctl receivers shows the receivers")
    }
}

package struct AddReceiver: Operation {
    package static let name = "addReceiver"
    package static let method = OperationMethod.post
    package static let path = "/v1/receivers"
    package static let sentence = "Adds a receiver with a server of its own to the virtual air."
    package static let fields: [Field<AddReceiver>] =
        [
            .required("name", .member, \.receiver, "its name on the air"),
            .optional(
                "position", .member, \.position, "metres: x, y and, if not 0, the height; without it, 1 m from all"),
            .optional("label", .member, \.label, "its name for people"),
        ] + ReceiverTraits.fields.map { $0.lifted(to: \.traits) }
    package static let failures: [EmulatorError.Code] = [.conflict, .tooMany, .unsupported, .cannotCreate]

    package var receiver = NewName()
    package var position: Position?
    package var label: LabelChange?
    package var traits = ReceiverTraits()

    package var patience: Duration? { Patience.ofRadio }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Created<ReceiverRecord> {
        let added = try await run.emulator.addReceiver(receiver.text, at: position, label: label, traits)
        return Created(
            ReceiverRecord(added.name, server: added).labelled(label?.label).placed(in: run.emulator.truth))
    }
}

package struct ShowReceiver: Operation {
    package static let name = "showReceiver"
    package static let method = OperationMethod.get
    package static let path = "/v1/receivers/{receiver}"
    package static let sentence = "One receiver."
    package static let fields: [Field<ShowReceiver>] = [
        .required("receiver", .path, \.receiver, "its name on the air")
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon]

    package var receiver = AirName()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> ReceiverRecord {
        try await run.receiver(receiver.text)
    }
}

package struct PutReceiver: Operation {
    package static let name = "putReceiver"
    package static let method = OperationMethod.put
    package static let path = "/v1/receivers/{receiver}"
    package static let sentence =
        "Adds a receiver that scans within the run, or gives one these settings; its regions stay."
    package static let fields: [Field<PutReceiver>] =
        [
            .required("receiver", .path, \.receiver, "its name on the air"),
            .optional("if-none-match", .header("If-None-Match"), \.unless, "*: only if there is none of this name"),
        ] + ListenerChange.fields.map { $0.lifted(to: \.change) }
    package static let failures: [EmulatorError.Code] = [
        .badProfile, .exists, .conflict, .tooMany, .unsupported, .radio,
    ]

    package var receiver = NewName()
    package var change = ListenerChange()
    package var unless: Tag?

    package var patience: Duration? { Patience.ofRadio }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Stored<ReceiverRecord> {
        if let unless, unless.text != nil {
            throw EmulatorError(.badProfile, "If-None-Match takes * only", hint: "receivers have no tags")
        }
        let put = try await run.emulator.putListener(receiver.text, change, isNew: unless != nil)
        return Stored(try await run.receiver(put.listener.name), isNew: put.isNew)
    }
}

package struct ChangeReceiver: Operation {
    package static let name = "changeReceiver"
    package static let method = OperationMethod.patch
    package static let path = "/v1/receivers/{receiver}"
    package static let sentence =
        "Changes a receiver that scans within the run, or the label and the hardware of another one."
    package static let fields: [Field<ChangeReceiver>] =
        [.required("receiver", .path, \.receiver, "its name on the air")]
        + ListenerChange.fields.map { $0.lifted(to: \.change) }
    package static let failures: [EmulatorError.Code] = [.badProfile, .unknownBeacon, .conflict, .unsupported]

    package var receiver = AirName()
    package var change = ListenerChange()

    package var patience: Duration? { Patience.ofRadio }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> ReceiverRecord {
        try await run.emulator.changeListener(receiver.text, change)
        return try await run.receiver(receiver.text)
    }
}

package struct RemoveReceiver: Operation {
    package static let name = "removeReceiver"
    package static let method = OperationMethod.delete
    package static let path = "/v1/receivers/{receiver}"
    package static let sentence = "Removes a receiver that was added, and its hosts; returns it as it was before."
    package static let fields: [Field<RemoveReceiver>] = [
        .required("receiver", .path, \.receiver, "its name on the air")
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon, .conflict, .unsupported]

    package var receiver = AirName()

    package var patience: Duration? { Patience.ofRadio }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> ReceiverRecord {
        if run.emulator.listeners[receiver.text] != nil, !run.emulator.listeners.isBesideHosts(receiver.text) {
            let record = try await run.receiver(receiver.text)
            try await run.emulator.removeListener(receiver.text)
            return record
        }
        let label = run.emulator.events.labels[receiver.text]
        let removed = try await run.emulator.removeReceiver(receiver.text)
        return ReceiverRecord(removed.name, server: removed).labelled(label).placed(in: run.emulator.truth)
    }
}

/// A receiver as JSON: a host on the air, or the server of a receiver that hosts may join.
package struct ReceiverRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    /// The name on the air; for a server, the name of its first host.
    package let name: String
    /// Its name for people; absent if it has none.
    package private(set) var label: String?
    /// Where hosts get controllers, as in `radio-ready`: `tcp:127.0.0.1:6402`; absent for a host without a server of its
    /// own.
    package let server: String?
    /// The port of a TCP server; absent for others.
    package let port: Int?
    /// The names of the hosts that are connected to the server; absent without one.
    package let hosts: [String]?
    /// Whether a host of this name is on the air.
    package let joined: Bool
    /// What this host is, if it says so: `emulator`, `bumble`.
    package let kind: String?
    /// The present position x, y, z in metres, or the position of hosts that will join; absent for 1 m from every
    /// beacon.
    package let position: [Double]?
    /// The line on which it moves: positions in metres, straight lines between them; absent at rest.
    package let path: [[Double]]?
    /// The name of the room that it is in; absent outside of all rooms.
    package private(set) var room: String?
    /// Its scan at present; absent while it does not scan.
    package let scan: ReceiverScan?
    /// Whether its app scans; absent for a host of another process, as the following ones.
    package let listening: Bool?
    /// The phone that it receives like.
    package let phone: PhoneRecord?
    /// The state of its screen: `on` or `off`.
    package let screen: String?
    /// Whether its Bluetooth is on: `on` or `off`.
    package let bluetooth: String?
    /// Whether its user permits the app to find beacons: `granted` or `denied`.
    package let permission: String?
    /// Its hardware: absent for that of an ideal receiver.
    package let rssiOffset, sensitivity, fast: Double?
    package let antenna, carried: String?
    package let heading: Double?
    /// Why it cannot listen; absent if it can.
    package let problem: String?
    /// Where its estimator has it; absent without one.
    package let estimate: EstimateRecord?

    /// A receiver with what is known of its server and of its first host, or of its app.
    package init(
        _ name: String, server: AirReceiver? = nil, host: AirMember? = nil, listener: ListenerRecord? = nil
    ) {
        self.name = name
        self.server = server?.server
        port = server.flatMap { ServerAddress($0.server)?.port }
        hosts = server?.hosts
        joined = host != nil || server?.hosts.contains(name) == true
        kind = host?.kind
        position = (host?.position ?? server?.position).map { [$0.x, $0.y, $0.z] }
        let outline = host?.motion?.outline ?? []
        path = outline.isEmpty ? nil : outline.map { [$0.x, $0.y, $0.z] }
        scan = listener.map(\.scan) ?? host?.isScanActive.map { ReceiverScan(active: $0) }
        listening = listener?.isListening
        phone = listener.map { PhoneRecord($0.phone) }
        screen = listener?.screen
        bluetooth = listener?.bluetooth
        permission = listener?.permission
        problem = listener?.problem
        estimate = listener?.estimate
        let hardware = listener?.hardware ?? server?.hardware ?? ReceiverHardware()
        let traits = ReceiverTraits(of: hardware)
        (rssiOffset, sensitivity, fast) = (traits.rssiOffset, traits.sensitivity, traits.fast)
        (antenna, carried) = (traits.antenna?.rawValue, traits.carried?.rawValue)
        heading = traits.heading
    }

    /// Its hardware, and how a person carries it.
    package var traits: ReceiverTraits {
        var traits = ReceiverTraits()
        (traits.rssiOffset, traits.sensitivity, traits.fast) = (rssiOffset, sensitivity, fast)
        traits.antenna = antenna.flatMap { ReceiverHardware.Antenna(rawValue: $0) }
        traits.carried = carried.flatMap { ReceiverTraits.Carried(rawValue: $0) }
        traits.heading = heading
        return traits
    }

    /// The same with the room that it is in.
    func placed(in truth: AirTruth) -> ReceiverRecord {
        var record = self
        record.room = truth.room(at: position)
        return record
    }

    /// The same with a label; `nil` for none.
    func labelled(_ label: String?) -> ReceiverRecord {
        var record = self
        record.label = label
        return record
    }

    /// A receiver of a radio that reports no more than the address of a server and the events of hosts.
    package init(_ name: String, server: String?, joined: Bool) {
        self.name = name
        self.server = server
        self.joined = joined
        (port, hosts, kind, position, path, scan) = (nil, nil, nil, nil, nil, nil)
        (listening, phone, screen, problem) = (nil, nil, nil, nil)
        (bluetooth, permission, rssiOffset, sensitivity, fast) = (nil, nil, nil, nil, nil)
        (antenna, carried, heading, estimate) = (nil, nil, nil, nil)
    }
}

extension ReceiverRecord: ListedRecord, ReadableRecord {
    package static let plural = "receivers"
    package static let schema = Schema.record(
        "Receiver",
        [
            .version, .required("name", .text, "the name on the air; further hosts of a server get a number after it"),
            .optional("label", .text, "its name for people; absent if it has none"),
            .optional(
                "server", .text,
                "tcp:127.0.0.1:PORT, unix:PATH, netsim:127.0.0.1:PORT or vhci:hciN; absent for a host without a server of its own"
            ),
            .optional("port", .integer(1...65535), "the port of a server over TCP"),
            .optional("hosts", .texts, "the names of the hosts that are connected to the server"),
            .required("joined", .boolean, "whether a host of this name is on the air"),
            .optional(
                "kind", .text, "what this host is, if it says so over netsim: `emulator`, `cuttlefish`, `bumble`"),
            .optional(
                "position", .metres,
                "x, y, z in metres, at the moment; absent if it has none: then it is 1 m from every beacon"),
            .optional("path", .array(.metres), "the positions of the line on which it moves; absent at rest"),
            .optional("room", .text, "the id of the room that it is in, at the moment; absent outside of all rooms"),
            .optional("scan", ReceiverScan.schema, "its scan at present; absent while it does not scan"),
            .optional(
                "listening", .boolean, "whether its app scans; absent, as the following, for a host of another process"),
            .optional("phone", PhoneModel.schema, "the phone that it receives like"),
            .optional("screen", .choice(["on", "off"]), "the state of its screen"),
            .optional("bluetooth", .choice(["on", "off"]), "whether its Bluetooth is on"),
            .optional(
                "permission", .choice(["granted", "denied"]), "whether its user permits the app to find beacons"),
            .optional("problem", .text, "why it cannot listen; absent if it can"),
            .optional(
                "estimate",
                .record(
                    "Estimate",
                    [
                        .required("estimator", .text, "the name of the estimator"),
                        .optional("room", .text, "the id of the estimated room; absent for none"),
                        .optional("position", .metres, "x, y, z in metres; absent if no place is estimated"),
                    ]), "where its estimator has it; absent without one"),
        ]
            + ReceiverKey.all.map { key in
                .optional(key.member, key.schema, "\(key.meaning); absent for that of an ideal receiver")
            })
}

/// The phone of a receiver as JSON: the name of a preset, or an object with the handset, too.
package struct PhoneRecord: Codable, Hashable, Sendable {
    /// The preset.
    package let preset: String
    /// The handset; absent for any.
    package let handset: String?

    /// `android-9-low-power (pixel-4)`
    package var text: String { preset + (handset.map { " (\($0))" } ?? "") }

    init(_ phone: PhoneModel) { (preset, handset) = (phone.name, phone.handset?.name) }

    private enum CodingKeys: CodingKey {
        case preset, handset
    }

    package init(from decoder: any Decoder) throws {
        if let name = try? decoder.singleValueContainer().decode(String.self) {
            (preset, handset) = (name, nil)
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        preset = try container.decode(String.self, forKey: .preset)
        handset = try container.decodeIfPresent(String.self, forKey: .handset)
    }

    package func encode(to encoder: any Encoder) throws {
        guard let handset else {
            var container = encoder.singleValueContainer()
            return try container.encode(preset)
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(preset, forKey: .preset)
        try container.encode(handset, forKey: .handset)
    }
}

extension ReceiverScan {
    private static let interval = Schema.text(
        pattern: "[0-9]{1,9}([.][0-9]{1,6})?(ms|s)|[0-9]{1,6}ticks", example: "30ms")

    static let schema = Schema.record(
        "Scan",
        [
            .optional("active", .boolean, "whether it sends scan requests"),
            .optional("window", interval, "the receiving time in each interval, such as 30ms"),
            .optional("interval", interval, "the time from one window to the next, such as 40ms"),
        ])
}
