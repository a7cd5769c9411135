// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// Reads the descriptors of a characteristic: `description`, `presentation`, and any others in `descriptors`.
enum DescriptorParser {
    /// The descriptors in their order.
    static func descriptors(_ reader: inout ProfileReader) -> [GATTDescriptor] {
        var descriptors: [GATTDescriptor] = []
        if let text = reader.value("description", ValueText.label) { descriptors.append(.userDescription(text)) }
        if let format = reader.part("presentation", presentation) { descriptors.append(.presentationFormat(format)) }
        let others = reader.parts("descriptors", of: "descriptor", descriptor) ?? []
        return descriptors + others.compactMap(\.self)
    }

    /// `{ format: 0x04, exponent: -2, unit: 0x272F }` (Core 5.4, Vol 3, Part G, 3.3.3.5).
    private static func presentation(_ part: inout ProfileReader) -> PresentationFormat? {
        func octet(_ text: String) throws(ValueFault) -> UInt8 { UInt8(try ValueText.integer(text, in: 0...255)) }
        func word(_ text: String) throws(ValueFault) -> UInt16 { UInt16(try ValueText.integer(text, in: 0...65535)) }
        let format = part.required("format", octet)
        let exponent = part.value("exponent") { text throws(ValueFault) in
            Int8(try ValueText.integer(text, in: -128...127))
        }
        let unit = part.required("unit", word)
        let namespace = part.value("namespace", octet)
        let description = part.value("description", word)
        guard let format, let unit else { return nil }
        return PresentationFormat(
            format: format, exponent: exponent ?? 0, unit: unit, namespace: namespace ?? 1,
            fieldDescription: description ?? 0)
    }

    private static func descriptor(_ part: inout ProfileReader) -> GATTDescriptor? {
        let uuid = part.required("uuid") { text throws(ValueFault) in
            let uuid = try ValueText.bluetoothUUID(text)
            let own: [BluetoothUUID] = [
                .characteristicExtendedProperties, .clientCharacteristicConfiguration,
                .serverCharacteristicConfiguration,
            ]
            guard !own.contains(uuid) else {
                throw ValueFault("\(uuid) is added where the properties need it; leave it out")
            }
            return uuid
        }
        let format = part.value("type", FormatText.format) ?? .octets
        let value = part.required("value") { text throws(ValueFault) in try ValueText.value(text, as: format) }
        let security = part.value("permissions", FormatText.security) ?? []
        guard let uuid, let value else { return nil }
        return GATTDescriptor(uuid: uuid, value: value, read: security)
    }
}
