// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth

/// The advertised content of a peripheral: parts that are placed where they fit.
package struct AdvertisedContent: Hashable, Sendable {
    /// The bytes of service or manufacturer data.
    package enum Octets: Hashable, Sendable {
        /// These bytes.
        case fixed([UInt8])
        /// The present value of the characteristic of this name.
        case value(of: String)
    }

    /// Data of one service.
    package struct ServiceData: Hashable, Sendable {
        /// The service.
        package var service: BluetoothUUID
        /// Its data.
        package var octets: Octets

        /// Data of a service.
        package init(service: BluetoothUUID, octets: Octets) {
            self.service = service
            self.octets = octets
        }
    }

    /// Data of a manufacturer.
    package struct ManufacturerData: Hashable, Sendable {
        /// The manufacturer.
        package var company: CompanyIdentifier
        /// Its data.
        package var octets: Octets

        /// Data of a manufacturer.
        package init(company: CompanyIdentifier, octets: Octets) {
            self.company = company
            self.octets = octets
        }
    }

    /// The PDU type.
    package var pdu = AdvertisingPDU.connectableScannable
    /// The flags; `nil` leaves them out.
    package var flags: AdvertisingFlags? = .beacon
    /// The advertised services, in order.
    package var services: [BluetoothUUID] = []
    /// The solicited services, in order.
    package var solicitedServices: [BluetoothUUID] = []
    /// Data of services.
    package var serviceData: [ServiceData] = []
    /// Data of a manufacturer.
    package var manufacturerData: ManufacturerData?
    /// The Appearance (Assigned Numbers, 2.6).
    package var appearance: UInt16?
    /// Whether the power is advertised; it is not when the radio chooses the power.
    package var includesTransmitPower = false
    /// The name.
    package var name: String?
    /// Interval, power and address.
    package var advertising = AdvertisingSettings()

    /// Content with only flags.
    package init() {}

    /// The names of the characteristics whose values are advertised.
    package var advertisedCharacteristics: Set<String> {
        let octets = serviceData.map(\.octets) + [manufacturerData?.octets].compactMap(\.self)
        return Set(octets.compactMap { if case .value(let name) = $0 { name } else { nil } })
    }

    /// The advertisement, with the present values of characteristics.
    ///
    /// Each part goes into the advertising data if it fits there, else into the scan response. A name that fits into
    /// neither is shortened; any other part that does not fit is a problem of the advertisement.
    package func advertisement(values: (String) -> [UInt8]?) -> Advertisement {
        var advertisingData: AdvertisingData = []
        var scanResponse: AdvertisingData = []
        for structure in structures(values: values) {
            let fitsLater = pdu.isScannable && scanResponse.size + structure.size <= AdvertisingPDU.capacity
            if advertisingData.size + structure.size > AdvertisingPDU.capacity, fitsLater {
                scanResponse.append(structure)
            } else {
                advertisingData.append(structure)
            }
        }
        if let name {
            let rooms = [advertisingData.size, pdu.isScannable ? scanResponse.size : AdvertisingPDU.capacity]
                .map { AdvertisingPDU.capacity - $0 }
            let goesFirst = name.utf8.count + 2 <= rooms[0] || rooms[0] >= rooms[1]
            if let structure = AdvertisingStructure.localName(name, fitting: goesFirst ? rooms[0] : rooms[1]) {
                if goesFirst {
                    advertisingData.append(structure)
                } else {
                    scanResponse.append(structure)
                }
            }
        }
        return Advertisement(
            pdu: pdu, advertisingData: advertisingData, scanResponse: scanResponse, settings: advertising)
    }

    /// All parts except for the name, in their order.
    private func structures(values: (String) -> [UInt8]?) -> [AdvertisingStructure] {
        func octets(_ octets: Octets) -> [UInt8] {
            switch octets {
            case .fixed(let octets): octets
            case .value(let name): values(name) ?? []
            }
        }
        var structures: [AdvertisingStructure] = []
        if let flags { structures.append(.flags(flags)) }
        structures += Self.lists(of: services, types: (0x03, 0x05, 0x07))
        structures += serviceData.map { data in
            let type: UInt8 =
                switch data.service {
                case .bit16: 0x16
                case .bit32: 0x20
                case .bit128: 0x21
                }
            return AdvertisingStructure(type: type, data: Self.octets(of: data.service) + octets(data.octets))
        }
        if let data = manufacturerData {
            structures.append(.manufacturerSpecific(data.company, octets(data.octets)))
        }
        if let appearance {
            structures.append(.unknown(type: 0x19, data: [UInt8(appearance & 0xFF), UInt8(appearance >> 8)]))
        }
        if includesTransmitPower, let transmitPower = advertising.transmitPower {
            structures.append(.transmitPower(transmitPower))
        }
        return structures + Self.lists(of: solicitedServices, types: (0x14, 0x1F, 0x15))
    }

    /// One list for each size of UUIDs that is used.
    private static func lists(
        of services: [BluetoothUUID], types: (bit16: UInt8, bit32: UInt8, bit128: UInt8)
    ) -> [AdvertisingStructure] {
        var lists: [UInt8: [UInt8]] = [:]
        for service in services {
            switch service {
            case .bit16: lists[types.bit16, default: []] += octets(of: service)
            case .bit32: lists[types.bit32, default: []] += octets(of: service)
            case .bit128: lists[types.bit128, default: []] += octets(of: service)
            }
        }
        return [types.bit16, types.bit32, types.bit128].compactMap { type in
            lists[type].map { AdvertisingStructure(type: type, data: $0) }
        }
    }

    private static func octets(of uuid: BluetoothUUID) -> [UInt8] {
        var writer = ByteWriter()
        switch uuid {
        case .bit16(let value): writer.writeLittleEndian(value)
        case .bit32(let value): writer.writeLittleEndian(value)
        case .bit128(let value): value.serialize(into: &writer)
        }
        return writer.bytes
    }
}
