// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// Reads the settings of a `device: gatt`.
enum GATTParser {
    /// The settings; the services are read first, since what is advertised depends on them.
    static let settings = [services] + others

    private static let services = Setting<GATTPeripheral.Configuration>(
        "services", "a list of uuid and characteristics", .structure, standard: "none: not connectable",
        read: { reader, configuration in
            guard reader.has("services") else {
                _ = reader.node("services")
                return true
            }
            let read = reader.parts("services", of: "service", service)
            let services = (read ?? []).compactMap(\.self)
            guard let read, services.count == read.count else { return false }
            configuration.services = services
            configuration.content.services = services.map(\.uuid)
            return true
        },
        write: { configuration, writer in
            guard !configuration.services.isEmpty else { return }
            writer.write("services", lines: AttributeWriter.lines(of: configuration.services))
        })

    private static let others: [Setting<GATTPeripheral.Configuration>] =
        [
            Setting(
                "centrals",
                "the number of centrals that may be connected at once, 1 to 8; it advertises while another one may connect",
                .integer(1...8), \.centrals,
                parse: { text throws(ValueFault) in try ValueText.integer(text, in: 1...8) },
                print: { "\($0)" }
            ),
            .name(\.content.name),
            Setting(
                "appearance", "the Appearance, a number assigned by the Bluetooth SIG, such as 0x0341",
                .word, \.content.appearance,
                parse: { text throws(ValueFault) in UInt16(try ValueText.integer(text, in: 0...65535)) },
                print: { $0.map { "\($0)" } }),
            .flags(\.content.flags),
        ] + Setting.advertising() + [
            .pdu(\.content.pdu, standard: "ADV_IND; without services ADV_NONCONN_IND"),
            Setting(
                "advertise", "further advertised data, see below", .structure, standard: "its services",
                read: { reader, configuration in
                    AdvertisedContentParser.readParts(&configuration.content, &reader, of: configuration.services)
                    return true
                }, write: { $1.write("advertise", AttributeWriter.text(advertised: $0.content)) }),
        ]

    /// The peripheral; `nil`, with faults, when something is wrong.
    static func configuration(_ reader: inout ProfileReader) -> GATTPeripheral.Configuration? {
        var configuration = GATTPeripheral.template
        let hasServices = reader.read([services], into: &configuration)
        _ = reader.read(others, into: &configuration)
        AdvertisedContentParser.checkPDU(of: &configuration, &reader)
        guard hasServices else { return nil }
        checkNames(of: configuration, &reader)
        guard reader.faults.isEmpty else { return nil }
        if let problem = AdvertisedContentParser.problem(of: configuration) {
            let key = reader.has("advertise") ? "advertise" : nil
            reader.add(problem, field: key, at: key.flatMap { reader.place(of: $0) } ?? reader.place)
        }
        return configuration
    }

    private static func service(_ part: inout ProfileReader) -> DeclaredService? {
        let uuid = part.required("uuid") { text throws(ValueFault) in
            let uuid = try ValueText.bluetoothUUID(text)
            guard ![.genericAccess, .genericAttribute].contains(uuid) else {
                throw ValueFault(
                    "every device has the service \(uuid); leave it out, and write name and appearance of the beacon")
            }
            return uuid
        }
        guard part.has("characteristics") else {
            _ = part.required("characteristics", ValueText.name)
            return nil
        }
        let characteristics = part.parts("characteristics", of: "characteristic", CharacteristicParser.characteristic)
        guard let uuid, let characteristics else { return nil }
        return DeclaredService(uuid: uuid, characteristics: characteristics.compactMap(\.self))
    }

    // MARK: - Names

    /// Checks that names are unique, and that names which are referred to exist.
    private static func checkNames(of configuration: GATTPeripheral.Configuration, _ reader: inout ProfileReader) {
        var seen: [String: DeclaredCharacteristic] = [:]
        var owners: [String: String] = [:]
        for (path, node, declared) in places(of: configuration, reader) {
            if let owner = owners[declared.name] {
                reader.add(
                    "\(owner) has the name \"\(declared.name)\" already; give every characteristic its own name",
                    field: node?["name"] == nil ? path : "\(path).name", at: (node?["name"] ?? node?["uuid"])?.place)
            }
            owners[declared.name] = owners[declared.name] ?? path
            seen[declared.name] = declared
        }
        let settings = Set(seen.values.flatMap { each in each.fields.map { each.settingName(of: $0) } }).union(
            seen.keys)
        for (path, node, declared) in places(of: configuration, reader) {
            if let name = declared.echo, let fault = fault(ofEcho: name, seen) {
                reader.add(fault, field: "\(path).echo", at: node?["echo"]?.place)
            }
            for (index, name) in declared.restarts.enumerated() where !settings.contains(name) {
                reader.add(
                    unknown(name, seen), field: "\(path).restarts[\(index)]",
                    at: node?["restarts"]?.sequence?[index].place)
            }
        }
        for name in configuration.content.advertisedCharacteristics.sorted() where seen[name] == nil {
            reader.add(unknown(name, seen), field: "advertise", at: reader.place(of: "advertise"))
        }
    }

    private static func fault(ofEcho name: String, _ seen: [String: DeclaredCharacteristic]) -> String? {
        guard let target = seen[name] else { return unknown(name, seen) }
        guard target.properties.isDisjoint(with: [.notify, .indicate]) else { return nil }
        return "\"\(name)\" cannot notify what is written; give it the property notify or indicate"
    }

    private static func unknown(_ name: String, _ seen: [String: DeclaredCharacteristic]) -> String {
        guard !seen.isEmpty else { return "there is no characteristic \"\(name)\", and no other" }
        return Spelling.unknown(
            "there is no characteristic \"\(name)\"", name, "characteristics", things: seen.keys.sorted())
    }

    /// Each characteristic with its path and its node.
    private static func places(
        of configuration: GATTPeripheral.Configuration, _ reader: ProfileReader
    ) -> [(String, ProfileNode.Mapping?, DeclaredCharacteristic)] {
        let list = reader.present("services")?.sequence
        return configuration.services.enumerated().flatMap { number, service in
            let nodes = list?[number].mapping?["characteristics"]?.sequence
            return service.characteristics.enumerated().map { index, declared in
                ("services[\(number)].characteristics[\(index)]", nodes?[index].mapping, declared)
            }
        }
    }
}
