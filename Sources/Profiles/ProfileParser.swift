// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices

extension Profile {
    /// The limit of a profile's size, in bytes; a larger file is rejected unread. No installation needs more.
    package static let maximumSize = YAMLText.maximumSize

    /// Reads a profile.
    /// - Parameters:
    ///   - text: the YAML.
    ///   - file: its path, for messages.
    ///   - files: reads the files that the profile refers to; without it, such a reference is a fault.
    /// - Throws: `ProfileFaults` with all faults, each with line and column.
    package init(
        parsing text: String, file: String, files: ProfileFileReader? = nil
    ) throws(ProfileFaults) {
        let root = try YAMLText(text, file: file).root(of: "a profile", example: "profiles/iot-design-shop.yaml")
        var reader = ProfileReader(root, file: file, path: "", files: files ?? noProfileFiles)
        guard root.mapping != nil else { throw ProfileFaults(reader.faults) }
        if PhoneProfile.isPhone(reader), !reader.has("beacons") {
            reader.add(
                "this is a phone's profile; run it with beaconry phone, or check it with beaconry check", field: nil,
                at: root.place)
            throw ProfileFaults(reader.faults)
        }
        let name = reader.required("profile", ValueText.name)
        var beacons: [BeaconDefinition] = []
        if let list = reader.node("beacons") {
            beacons = Self.beacons(in: list, &reader)
        } else {
            reader.add("\"beacons\" is missing", field: nil, at: root.place)
        }
        let faults = reader.finish()
        guard faults.isEmpty, let name else { throw ProfileFaults(faults) }
        self.init(name: name, beacons: beacons)
    }

    private static func beacons(in list: ProfileNode, _ reader: inout ProfileReader) -> [BeaconDefinition] {
        guard let sequence = list.sequence, !sequence.isEmpty else {
            reader.add("a list of at least one beacon is expected here", field: "beacons", at: list.place)
            return []
        }
        var beacons: [BeaconDefinition] = []
        for (number, node) in sequence.enumerated() {
            var parser = BeaconParser(node, reader.child(node, "beacons[\(number)]"))
            let beacon = parser.parse()
            reader.add(parser.faults)
            guard let beacon else { continue }
            if let index = beacons.firstIndex(where: { $0.id == beacon.id }) {
                reader.add(
                    "beacons[\(index)] has the id \"\(beacon.id)\" already; give every beacon its own id",
                    field: "beacons[\(number)].id", at: node.mapping?["id"]?.place)
            }
            beacons.append(beacon)
        }
        return beacons
    }
}
