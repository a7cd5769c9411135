// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore

/// Reads the keys of a `device: gatt`.
enum GATTParser {
    /// The peripheral; `nil`, with faults, when something is wrong.
    static func configuration(_ reader: inout ProfileReader) -> GATTPeripheral.Configuration? {
        var services: [DeclaredService] = []
        if reader.has("services") {
            let read = reader.parts("services", of: "service", service)
            services = (read ?? []).compactMap(\.self)
            if read == nil || services.count < read?.count ?? 0 {
                _ = skipContent(&reader)
                return nil
            }
        } else {
            _ = reader.node("services")
        }
        let centrals = reader.value("centrals") { text throws(ValueFault) in try ValueText.integer(text, in: 1...8) }
        let content = AdvertisedContentParser.content(&reader, of: services)
        let configuration = GATTPeripheral.Configuration(services: services, content: content, centrals: centrals ?? 1)
        checkNames(of: configuration, &reader)
        guard reader.faults.isEmpty else { return nil }
        if let problem = AdvertisedContentParser.problem(of: configuration) {
            let key = reader.has("advertise") ? "advertise" : nil
            reader.add(problem, field: key, at: key.flatMap { reader.place(of: $0) } ?? reader.place)
        }
        return configuration
    }

    /// Takes the other keys, so that they are not told of as unknown when the services are wrong.
    private static func skipContent(_ reader: inout ProfileReader) -> AdvertisedContent {
        _ = reader.value("centrals") { text throws(ValueFault) in try ValueText.integer(text, in: 1...8) }
        return AdvertisedContentParser.content(&reader, of: [])
    }

    private static func service(_ part: inout ProfileReader) -> DeclaredService? {
        let uuid = part.required("uuid") { text throws(ValueFault) in
            let uuid = try ValueText.bluetoothUUID(text)
            guard ![.genericAccess, .genericAttribute].contains(uuid) else {
                throw ValueFault(
                    "every device has \(uuid) by itself; leave it out, and write name and appearance of the beacon")
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

    /// Every name is one characteristic's, and every name that is referred to is one.
    private static func checkNames(of configuration: GATTPeripheral.Configuration, _ reader: inout ProfileReader) {
        var seen: [String: DeclaredCharacteristic] = [:]
        var owners: [String: String] = [:]
        for (path, node, declared) in places(of: configuration, reader) {
            if let owner = owners[declared.name] {
                reader.add(
                    "the name \"\(declared.name)\" is \(owner)'s already; give every characteristic a name of its own",
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
        return "\"\(name)\" cannot tell what is written; give it the property notify or indicate"
    }

    private static func unknown(_ name: String, _ seen: [String: DeclaredCharacteristic]) -> String {
        guard !seen.isEmpty else { return "there is no characteristic \"\(name)\", and no other" }
        return Spelling.unknown(
            "there is no characteristic \"\(name)\"", name, "characteristics", seen.keys.sorted())
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
