// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
package import Bluetooth
package import Devices
import Space

extension Profile {
    /// The limit of a profile's size, in bytes; a larger file is rejected unread. No installation needs more.
    package static let maximumSize = YAMLText.maximumSize

    /// Reads a profile.
    /// - Parameters:
    ///   - text: the YAML.
    ///   - file: its path, for messages.
    ///   - sources: the files and environment variables that the profile may refer to; by default none.
    ///   - overrides: values that replace values of the file; by default none.
    /// - Throws: `ProfileFaults` with all faults, each with line and column.
    package init(
        parsing text: String, file: String, sources: ProfileSources = ProfileSources(),
        overrides: NodeOverrides? = nil
    ) throws(ProfileFaults) {
        let files = ReadFiles(text)
        let sources = files.noting(sources)
        let contents = ReadContents()
        let expanded = try ProfileExpansion.root(
            of: YAMLText(text, file: file), in: file, sources, kind: .profile,
            example: "profiles/iot-design-shop.yaml", noting: contents)
        let root = overrides?.applied(to: expanded, of: file, as: .profile) ?? expanded
        var reader = ProfileReader(root, file: file, path: "", files: sources.files, contents: contents)
        guard root.mapping != nil else { throw ProfileFaults(reader.faults) }
        let name = reader.required("profile", example: "shop, a name for all of its beacons", ValueText.name)
        let parts = Self.parts(from: &reader, needsBeacons: true, sources.pictures)
        let faults = reader.finish()
        guard faults.isEmpty, let name else { throw ProfileFaults(Self.distinct(faults)) }
        self.init(
            name: name, beacons: parts.beacons, receivers: parts.receivers, surroundings: parts.surroundings,
            files: files.hash)
        cutTexts = contents.cutTexts
    }

    /// The faults without repetitions: copies of an entry have the same faults at the same place.
    static func distinct(_ faults: [ProfileFault]) -> [ProfileFault] {
        var known: Set<ProfileFault> = []
        return faults.filter {
            let withoutField = ProfileFault(
                file: $0.file, line: $0.line, column: $0.column, field: "", message: $0.message)
            return $0.line == 0 || known.insert(withoutField).inserted
        }
    }

    /// The keys that a scenario has, too.
    struct Parts {
        /// The beacons without faults.
        let beacons: [BeaconDefinition]
        /// The receivers without faults.
        let receivers: [ReceiverDefinition]
        /// What is around them.
        let surroundings: Surroundings
    }

    /// Reads beacons, receivers, physics, walls, floors, rooms and the floor plan. Faults are added to the reader.
    /// - Parameter base: the floors and the rooms of the profile of a scenario; `nil` if it could not be read.
    static func parts(
        from reader: inout ProfileReader, needsBeacons: Bool, _ pictures: PictureReader,
        over base: Building? = Building()
    ) -> Parts {
        // An empty list is an air without beacons; a reload may add some.
        let isEmpty = needsBeacons && reader.node("beacons")?.sequence?.isEmpty == true
        let beacons =
            needsBeacons && !isEmpty
            ? reader.requiredParts("beacons", of: "beacon", BeaconDefinition.init(from:)) : []
        addUnusedDefaults(to: &reader, of: beacons.count)
        reader.addDuplicates(in: "beacons", beacons, key: "id", name: \.id) { earlier, id in
            "\(earlier) has the id \"\(id)\" already; give every beacon its own id"
        }
        let receivers = reader.parts("receivers", of: "receiver", ReceiverDefinition.init(from:)) ?? []
        reader.addDuplicates(in: "receivers", receivers, key: "id", name: \.id) { earlier, id in
            "\(earlier) has the id \"\(id)\" already; give every receiver its own id"
        }
        addSharedIDs(of: receivers, with: beacons, to: &reader)
        return Parts(
            beacons: complete(beacons), receivers: receivers.compactMap(\.self),
            surroundings: PhysicsParser.surroundings(from: &reader, pictures, over: base))
    }

    /// A default that no beacon has a key for is a fault.
    private static func addUnusedDefaults(to reader: inout ProfileReader, of beacons: Int) {
        let faults = Dictionary(grouping: reader.unusedDefaults) { "\($0.file):\($0.line):\($0.column)" }.values
        reader.add(
            faults.compactMap { faults in
                guard faults.count == beacons, let first = faults.first else { return nil }
                return ProfileFault(
                    file: first.file, line: first.line, column: first.column, field: "defaults", message: first.message)
            })
    }

    /// Beacons and receivers have names on the same air.
    private static func addSharedIDs(
        of receivers: [ReceiverDefinition?], with beacons: [BeaconDefinition?], to reader: inout ProfileReader
    ) {
        guard !receivers.isEmpty else { return }
        let numbers = Dictionary(
            beacons.enumerated().compactMap { number, beacon in beacon.map { ($0.id, number) } },
            uniquingKeysWith: { first, _ in first })
        for (number, receiver) in receivers.enumerated() {
            guard let receiver, let beacon = numbers[receiver.id] else { continue }
            let node = reader.present("receivers")?.sequence?[number].mapping?["id"]
            reader.add(
                "beacons[\(beacon)] has the id \"\(receiver.id)\" already; give every receiver its own id",
                field: "receivers[\(number)].id", at: node?.place)
        }
    }

    /// The beacons without faults. Not `compactMap`, whose result has room for up to twice as many.
    private static func complete(_ beacons: [BeaconDefinition?]) -> [BeaconDefinition] {
        var complete: [BeaconDefinition] = []
        complete.reserveCapacity(beacons.count)
        for beacon in beacons {
            if let beacon { complete.append(beacon) }
        }
        return complete
    }
}

extension BeaconDefinition {
    /// Reads one entry of `beacons`; `nil` when it does not make a beacon. Faults are added to the reader.
    init?(from reader: inout ProfileReader) {
        let id = reader.required("id", example: "entrance", ValueText.name)
        let kind = reader.required("device", example: reader.has("device") ? nil : Self.missingDevice(in: reader)) {
            text throws(ValueFault) in
            guard let kind = DeviceRegistry.kind(named: text) else {
                throw ValueFault(
                    Spelling.unknown("there is no device \"\(text)\"", text, "devices", DeviceRegistry.names))
            }
            return kind
        }
        guard let id, let kind else {
            reader.acceptAllKeys()
            return nil
        }
        let device: (any ProfiledDevice)? = kind.init(from: &reader)
        let label = reader.value("label", ValueText.label)
        let movement = Movement.read(from: &reader, of: id)
        let pairing = Self.pairing(of: device, from: &reader)
        let schedule = Schedule.read(from: &reader, device: device, pairing: pairing)
        guard let device else { return nil }
        self.init(
            id: id, device: device, label: label, movement: movement, pairing: pairing, schedule: schedule)
    }

    /// What to write for a missing `device`: the kind that another key names, if there is one.
    private static func missingDevice(in reader: ProfileReader) -> String {
        for key in ["type", "kind", "class", "format"] {
            guard let text = reader.present(key)?.text else { continue }
            if DeviceRegistry.kind(named: text) != nil { return "\(text) instead of \(key): \(text)" }
            if BeaconFormats.names.contains(text) { return "beacon, with format: \(text)" }
        }
        return "ibeacon; devices are \(DeviceRegistry.names.joined(separator: ", "))"
    }

    /// `pairing: { io: display, passkey: 123456 }`
    private static func pairing(
        of device: (any ProfiledDevice)?, from reader: inout ProfileReader
    ) -> PairingSettings? {
        guard let node = reader.node("pairing") else { return device?.defaultPairing }
        if let pdu = device?.pdu, !pdu.isConnectable {
            reader.add(
                "nothing connects to a beacon that sends \(pdu.rawValue), so nothing pairs with it; write pdu: "
                    + "ADV_IND, or leave pairing out", field: "pairing", at: node.place)
        }
        return reader.part("pairing", PairingSettings.init(from:))
    }
}

extension ValueShape {
    /// The address of a server for hosts (`ServerAddress`).
    package static let server = ValueShape.pattern("(tcp|netsim):\(place)|unix:.+|vhci")
    /// The text `HOST:PORT` (`HostAndPort`).
    package static let hostAndPort = ValueShape.pattern(place)

    private static let place = ".+:[0-9]{1,5}"
}

extension ReceiverDefinition {
    /// Reads one entry of `receivers`; `nil` when it does not make a receiver. Faults are added to the reader.
    init?(from reader: inout ProfileReader) {
        let id = reader.required("id", example: "phone", ValueText.name)
        guard let id else {
            reader.acceptAllKeys()
            return nil
        }
        let label = reader.value("label", ValueText.label)
        let movement = Movement.read(from: &reader, of: id)
        let isUnserved = reader.present("hci-server")?.text == "none"
        var server: ServerAddress?
        if isUnserved {
            _ = reader.node("hci-server")
        } else {
            server = reader.value("hci-server") { text throws(ValueFault) -> ServerAddress in
                guard let address = ServerAddress(text) else {
                    throw ValueFault("\"\(text)\" is not \(ServerAddress.forms) or none, such as tcp:127.0.0.1:6403")
                }
                return address
            }
        }
        let proxy = reader.value("esphome") { text throws(ValueFault) -> String in
            guard HostAndPort(text) != nil else {
                throw ValueFault("\"\(text)\" is not HOST:PORT, such as 127.0.0.1:6053")
            }
            return text
        }
        let traits = ReceiverTraits.read(from: &reader)
        // Without a server it can only be a receiver of the run.
        let listener = ListenerSettings.read(from: &reader) ?? (isUnserved ? ListenerSettings() : nil)
        if listener != nil, let key = ["hci-server", "esphome"].first(where: reader.has),
            key == "esphome" || !isUnserved
        {
            reader.add(
                "a receiver that scans within the run has no hosts; leave it out, or "
                    + ListenerSettings.keys.joined(separator: ", "), field: key, at: reader.place(of: key))
        }
        self.init(
            id: id, label: label, movement: movement, server: server, proxy: proxy, listener: listener, traits: traits)
    }
}
