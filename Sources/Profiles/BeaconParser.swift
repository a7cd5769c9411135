// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import BluetoothCore
import Devices

/// Reads one entry of a profile's `beacons`.
struct BeaconParser {
    private var reader: ProfileReader
    private let node: ProfileNode
    private(set) var faults: [ProfileFault] = []

    init(_ node: ProfileNode, _ reader: ProfileReader) {
        self.node = node
        self.reader = reader
    }

    /// The beacon; `nil` if there are faults.
    mutating func parse() -> BeaconDefinition? {
        guard node.mapping != nil else {
            faults = reader.faults
            return nil
        }
        let id = reader.required("id", ValueText.name)
        let kind = reader.required("device") { text throws(ValueFault) in
            guard let kind = DeviceRegistry.kind(named: text) else {
                throw ValueFault(
                    Spelling.unknown("there is no device \"\(text)\"", text, "devices", DeviceRegistry.names))
            }
            return kind
        }
        guard let id, let kind else {
            // The keys of an unknown kind of device are unknown too, so they are not checked.
            faults = reader.faults
            return nil
        }
        let device: (any ProfiledDevice)? = kind.init(from: &reader)
        let position = position()
        let pairing = pairing(of: device)
        faults = reader.finish()
        guard faults.isEmpty, let device else { return nil }
        return BeaconDefinition(id: id, device: device, position: position, pairing: pairing)
    }

    /// `pairing: { io: display, passkey: 123456 }`
    private mutating func pairing(of device: (any ProfiledDevice)?) -> PairingSettings? {
        guard let part = reader.node("pairing") else { return device?.defaultPairing }
        var parser = PairingParser(part, file: reader.file, path: "\(reader.path).pairing")
        let settings = parser.parse()
        reader.add(parser.faults)
        if let pdu = device?.pdu, !pdu.isConnectable {
            reader.add(
                "nothing connects to a beacon that sends \(pdu.rawValue), so nothing pairs with it; write pdu: "
                    + "ADV_IND, or leave pairing out", field: "pairing", at: part.place)
        }
        return settings
    }

    /// `position: [x, y]` or `[x, y, z]`.
    private mutating func position() -> Position? {
        guard let metres = reader.values("position", example: "[2, 0]", ValueText.metres) else { return nil }
        guard 2...3 ~= metres.count else {
            reader.add(
                "a position is two or three numbers of metres, such as [2.5, 4]", field: "position",
                at: node.mapping?["position"]?.place)
            return nil
        }
        return Position(x: metres[0], y: metres[1], z: metres.count == 3 ? metres[2] : 0)
    }
}
