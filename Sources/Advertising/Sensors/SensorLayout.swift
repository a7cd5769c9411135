// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// The frame of a sensor or of a tag that people own: a row of a table, with its fields as rows.
///
/// A further maker is a row in `Makers.swift`, and two lines in `Sensors.swift`. A class, so that a packet that is tried as each of
/// them copies none.
package final class SensorLayout: Sendable {
    /// The AD structure that carries a frame.
    enum Carrier: Hashable, Sendable {
        /// Manufacturer-specific data; bytes count from after the company identifier.
        case manufacturer(UInt16)
        /// Manufacturer-specific data of makers that put values where the company identifier belongs; bytes count from there.
        case values
        /// Data of a 16-bit service; bytes count from after the UUID.
        case service(UInt16)
    }

    /// Where the fields are.
    enum Form: Sendable {
        /// At fixed places.
        case fixed
        /// In items after the fixed part, each with an identifier of two bytes, the least significant one first, a length and a
        /// value. The function has the place of the first item; `nil` for a frame that is not read.
        case list(start: @Sendable ([UInt8]) -> Int?)
        /// One after the other after the fixed part, in the order of the bits of a mask; an item without a value has its bit only.
        case mask(SensorBits, sizes: [Int: Int])
    }

    /// What follows from other bytes.
    enum Check: Hashable, Sendable {
        /// CRC-16/MODBUS of the bytes before this place, the least significant byte first.
        case modbus(Int)
    }

    /// The address of the device in a frame.
    struct Address: Hashable, Sendable {
        let place: Int
        /// The number of its last bytes that the frame has.
        var count = 6
        let order: SensorBits.Order
    }

    let name: String
    /// For the documentation: whose it is.
    let device: String
    let carrier: Carrier
    /// The bytes that recognise it: at a place, with a mask.
    let match: [(place: Int, byte: UInt8, mask: UInt8)]
    /// A frame without values: what all frames have. Of a form with items the part before them.
    let template: [UInt8]
    let form: Form
    let fields: [SensorField]
    let address: Address?
    let check: Check?
    /// The key of a text after the last field; `nil` for none.
    let text: String?
    /// The name that the device advertises beside the frame, with `*` for the last four digits of its address; `nil` for none.
    let localName: String?
    /// The services that the device lists beside the frame.
    let services: [UInt16]
    /// The PDU type.
    let pdu: AdvertisingPDU
    /// Whether the frame is in the scan response.
    let isInScanResponse: Bool
    /// Values of keys for the examples of help and documentation.
    let example: KeyValuePairs<String, String>

    init(
        name: String, device: String, carrier: Carrier, match: [(Int, UInt8, UInt8)], template: [UInt8],
        form: Form = .fixed,
        fields: [SensorField], address: Address? = nil, check: Check? = nil, text: String? = nil,
        localName: String? = nil,
        services: [UInt16] = [], pdu: AdvertisingPDU = .connectableScannable, isInScanResponse: Bool = false,
        example: KeyValuePairs<String, String> = [:]
    ) {
        self.name = name
        self.device = device
        self.carrier = carrier
        self.match = match.map { (place: $0.0, byte: $0.1, mask: $0.2) }
        self.template = template
        self.form = form
        self.fields = fields
        self.address = address
        self.check = check
        self.text = text
        self.localName = localName
        self.services = services
        self.pdu = pdu
        self.isInScanResponse = isInScanResponse
        self.example = example
    }

    /// A structure of its carrier; `nil` for another one.
    func bytes(of structure: AdvertisingStructure) -> [UInt8]? {
        switch (carrier, structure) {
        case (.manufacturer(let own), .manufacturerSpecific(let company, let data)):
            company.rawValue == own ? data : nil
        case (.values, .manufacturerSpecific(let company, let data)):
            [UInt8(company.rawValue & 0xFF), UInt8(company.rawValue >> 8)] + data
        case (.service(let own), .serviceData16(let service, let data)): service == own ? data : nil
        default: nil
        }
    }

    /// The structure of a frame.
    func structure(of bytes: [UInt8]) -> AdvertisingStructure {
        switch carrier {
        case .manufacturer(let company): .manufacturerSpecific(CompanyIdentifier(company), bytes)
        case .values:
            .manufacturerSpecific(
                CompanyIdentifier(UInt16(bytes[0]) | UInt16(bytes[1]) << 8), Array(bytes.dropFirst(2)))
        case .service(let service): .serviceData16(service, bytes)
        }
    }

    /// Whether bytes are a frame, by the bytes that recognise it and by their number.
    func recognises(_ bytes: [UInt8]) -> Bool {
        let hasSize: Bool
        switch form {
        case .fixed: hasSize = text == nil ? bytes.count == template.count : bytes.count > template.count
        case .list: hasSize = start(of: bytes).map { $0 <= bytes.count } ?? false
        case .mask: hasSize = bytes.count >= template.count
        }
        guard hasSize, match.allSatisfy({ $0.place < bytes.count && bytes[$0.place] & $0.mask == $0.byte }) else {
            return false
        }
        if case .modbus(let place)? = check { return Array(bytes[place..<place + 2]) == Self.modbus(bytes[..<place]) }
        return true
    }

    /// The place of the first item of a list; `nil` for a frame without items.
    func start(of bytes: [UInt8]) -> Int? {
        if case .list(let start) = form { start(bytes) } else { nil }
    }

    /// The address in a frame; `nil` for none, for a part of one, and for zeros, the place of an address that is not filled in.
    func address(in bytes: [UInt8]) -> BluetoothAddress? {
        guard let own = address, own.count == 6, own.place + 6 <= start(of: bytes) ?? bytes.count,
            own.place + 6 <= bytes.count
        else { return nil }
        let octets = bytes[own.place..<own.place + 6]
        let ordered = own.order == .big ? Array(octets) : octets.reversed()
        return ordered.allSatisfy { $0 == 0 } ? nil : BluetoothAddress(octets: ordered)
    }

    /// CRC-16/MODBUS, the least significant byte first.
    static func modbus(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var code: UInt16 = 0xFFFF
        for byte in bytes {
            code ^= UInt16(byte)
            for _ in 0..<8 { code = code & 1 == 1 ? code >> 1 ^ 0xA001 : code >> 1 }
        }
        return [UInt8(code & 0xFF), UInt8(code >> 8)]
    }
}

extension SensorLayout {
    /// The bytes of each item of a frame, by its identifier or bit; `nil` for a frame whose items are cut.
    func items(of bytes: [UInt8]) -> [Int: [UInt8]]? {
        var items: [Int: [UInt8]] = [:]
        switch form {
        case .fixed: return items
        case .list(let start):
            guard var place = start(bytes) else { return nil }
            while place + 3 <= bytes.count {
                let end = place + 3 + Int(bytes[place + 2])
                guard end <= bytes.count else { return nil }
                items[Int(bytes[place]) | Int(bytes[place + 1]) << 8] = Array(bytes[(place + 3)..<end])
                place = end
            }
            return place == bytes.count ? items : nil
        case .mask(let mask, let sizes):
            var place = template.count
            let present = mask.number(in: bytes)
            for (bit, size) in sizes.sorted(by: { $0.key < $1.key }) where present >> bit & 1 == 1 {
                guard place + size <= bytes.count else { return nil }
                items[bit] = Array(bytes[place..<place + size])
                place += size
            }
            return items
        }
    }

    /// The bytes of a frame with these numbers, one for each field, and `nil` for a field without a value.
    func bytes(_ numbers: [Int?], text: String, address: BluetoothAddress?) -> [UInt8] {
        var bytes = template
        var items: [Int: [UInt8]] = [:]
        for (field, number) in zip(fields, numbers) {
            if let item = field.item {
                guard let number else { continue }
                let size = max(size(of: item), field.bits.end)
                var own = items[item] ?? [UInt8](repeating: 0, count: size)
                if size > 0 { field.bits.write(number, into: &own) }
                items[item] = own
            } else {
                field.bits.write(number ?? field.standardNumber, into: &bytes)
            }
        }
        if let own = self.address, let address {
            let octets = address.octets.suffix(own.count)
            bytes.replaceSubrange(
                own.place..<own.place + own.count, with: own.order == .big ? Array(octets) : octets.reversed())
        }
        switch form {
        case .fixed: break
        case .list:
            for (identifier, value) in items.sorted(by: { $0.key < $1.key }) {
                bytes += [UInt8(identifier & 0xFF), UInt8(identifier >> 8), UInt8(value.count)] + value
            }
        case .mask(let mask, _):
            let present = items.keys.reduce(mask.number(in: bytes)) { $0 | 1 << $1 }
            mask.write(present, into: &bytes)
            for (_, value) in items.sorted(by: { $0.key < $1.key }) { bytes += value }
        }
        if case .modbus(let place)? = check {
            bytes.replaceSubrange(place..<place + 2, with: Self.modbus(bytes[..<place]))
        }
        return bytes + Array(text.utf8)
    }

    /// The size of an item with all of its fields.
    private func size(of item: Int) -> Int {
        if case .mask(_, let sizes) = form { return sizes[item] ?? 0 }
        return fields.filter { $0.item == item }.map(\.bits.end).max() ?? 0
    }
}
