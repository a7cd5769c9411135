// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

/// The text of the connections of a receiver, and of the attributes of its devices.
package enum AttributeText {
    package static func list(_ connections: [ConnectionRecord]) -> [String] {
        if connections.isEmpty { return ["no connections"] }
        let rows = connections.map { [$0.address, $0.addressType, $0.device ?? "", "\($0.mtu)", $0.since] }
        return TextTable(rows: [["ADDRESS", "TYPE", "BEACON", "MTU", "SINCE"]] + rows).lines
    }

    package static func list(_ services: [ServiceRecord]) -> [String] {
        if services.isEmpty { return ["no services"] }
        let rows = services.flatMap { service in
            [["\(service.handle)", service.uuid, "service", ""]] + service.characteristics.flatMap { self.rows($0) }
        }
        return TextTable(rows: [["HANDLE", "UUID", "NAME", "PROPERTIES"]] + rows).lines
    }

    private static func rows(_ characteristic: CharacteristicRecord) -> [[String]] {
        let properties = characteristic.properties.joined(separator: ", ")
        let row = ["\(characteristic.handle)", "  " + characteristic.uuid, characteristic.name ?? "", properties]
        return [row] + characteristic.descriptors.map { ["\($0.handle)", "    " + $0.uuid, "", ""] }
    }
}
