// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import BluetoothCore
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
        let beacons = reader.requiredParts("beacons", of: "beacon", BeaconDefinition.init(from:))
        reader.addDuplicates(in: "beacons", beacons, key: "id", name: \.id) { earlier, id in
            "\(earlier) has the id \"\(id)\" already; give every beacon its own id"
        }
        let physics = PhysicsParser.physics(from: &reader)
        let walls = PhysicsParser.walls(from: &reader)
        let faults = reader.finish()
        guard faults.isEmpty, let name else { throw ProfileFaults(faults) }
        self.init(name: name, beacons: beacons.compactMap(\.self), physics: physics, walls: walls)
    }
}

extension BeaconDefinition {
    /// Reads one entry of `beacons`; `nil` when it does not make a beacon. Faults are added to the reader.
    init?(from reader: inout ProfileReader) {
        let id = reader.required("id", ValueText.name)
        let kind = reader.required("device") { text throws(ValueFault) in
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
        let position = Self.position(from: &reader)
        let pairing = Self.pairing(of: device, from: &reader)
        guard let device else { return nil }
        self.init(id: id, device: device, position: position, pairing: pairing)
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

    /// `position: [x, y]` or `[x, y, z]`.
    private static func position(from reader: inout ProfileReader) -> Position? {
        guard let metres = reader.values("position", example: "[2, 0]", ValueText.metres) else { return nil }
        guard 2...3 ~= metres.count else {
            reader.add(
                "a position is two or three numbers of metres, such as [2.5, 4]", field: "position",
                at: reader.place(of: "position"))
            return nil
        }
        return Position(x: metres[0], y: metres[1], z: metres.count == 3 ? metres[2] : 0)
    }
}
