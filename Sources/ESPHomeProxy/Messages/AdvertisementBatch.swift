// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import Protobuf
import Radio

/// Advertisements on their way to the clients, at most 16 in a message.
package struct AdvertisementBatch {
    /// One advertisement.
    package struct Entry: Hashable, Sendable {
        private let address: UInt64
        private let rssi: Int8
        private let isRandom: Bool
        private let data: [UInt8]

        /// A sighting; `nil` for extended advertising, which the protocol does not carry: its data has 31 bytes at most.
        package init?(_ sighting: Sighting) {
            guard sighting.data.count <= Self.capacity else { return nil }
            switch sighting.pdu {
            case .extended, .extendedScanResponse: return nil
            case .connectableScannable, .directed, .scannable, .nonConnectable, .scanResponse, nil: break
            }
            address = sighting.device.address.number
            // 127 is "not available" (Core 5.4, Vol 4, Part E, 7.7.65.2).
            rssi = sighting.rssi?.decibelMilliwatts ?? 127
            isRandom = sighting.device.isRandom
            data = sighting.data
        }

        /// The data of an advertisement and its scan response (esphome 2025.8, api.proto: 62 bytes).
        private static let capacity = 62

        /// The advertisement in a message.
        /// - Throws: `WireError` for an address of more than 48 bits, and an RSSI of more than 8.
        init(parsing bytes: ArraySlice<UInt8>) throws(WireError) {
            let fields = try ProtobufFields(parsing: bytes)
            address = fields.uint64(1)
            guard address >> 48 == 0 else { throw WireError(.badValue(field: "address"), offset: 0) }
            guard let rssi = Int8(exactly: fields.sint32(2)) else {
                throw WireError(.badValue(field: "RSSI"), offset: 0)
            }
            self.rssi = rssi
            // 2 and 3 are public and random addresses that were resolved (esp_bt_defs.h).
            isRandom = fields.uint32(3) & 1 == 1
            data = fields.bytes(4)
        }

        func write(to writer: inout ProtobufWriter) {
            writer.uint64(1, address)
            writer.sint32(2, Int32(rssi))
            writer.bool(3, isRandom)
            writer.bytes(4, data)
        }

        /// The sighting, whose PDU type is unknown.
        var sighting: Sighting {
            Sighting(
                device: RemoteAddress(BluetoothAddress(number: address) ?? .zero, isRandom: isRandom), pdu: nil,
                data: data, rssi: RSSI(rssi))
        }
    }

    /// The advertisements in a message.
    /// - Throws: `WireError`.
    static func entries(parsing bytes: ArraySlice<UInt8>) throws(WireError) -> [Entry] {
        var entries: [Entry] = []
        var reader = ProtobufReader(bytes)
        while let (number, value) = try reader.next() {
            if number == 1, case .bytes(let bytes) = value { entries.append(try Entry(parsing: bytes)) }
        }
        return entries
    }

    /// The most advertisements in a message.
    package static let capacity = 16

    private var entries: [Entry] = []

    /// No advertisements.
    package init() {}

    /// Whether there are none.
    package var isEmpty: Bool { entries.isEmpty }

    /// Adds an advertisement.
    /// - Returns: whether the batch is full, and must be taken.
    package mutating func append(_ entry: Entry) -> Bool {
        entries.append(entry)
        return entries.count >= Self.capacity
    }

    /// Removes and returns the advertisements, oldest first.
    package mutating func take() -> [Entry] {
        defer { entries.removeAll(keepingCapacity: true) }
        return entries
    }
}

extension BluetoothAddress {
    /// The address as a number: the first byte is the most significant of six.
    package var number: UInt64 { octets.reduce(0) { $0 << 8 | UInt64($1) } }

    /// An address as a number; `nil` if it has more than 48 bits.
    package init?(number: UInt64) {
        guard number >> 48 == 0 else { return nil }
        self.init(octets: (0..<6).map { UInt8(truncatingIfNeeded: number >> (40 - 8 * UInt64($0))) })
    }
}
