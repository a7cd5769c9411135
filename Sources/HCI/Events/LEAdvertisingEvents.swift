// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

extension HCIEvents {
    /// LE meta events about advertising and scanning (Core 5.4, Vol 4, Part E, 7.7.65).
    static let advertising: [any HCIEvent.Type] = [
        LEAdvertisingReport.self, LEDirectedAdvertisingReport.self, LEExtendedAdvertisingReport.self,
        LEScanTimeout.self, LEAdvertisingSetTerminated.self, LEScanRequestReceived.self,
    ]
}

/// HCI_LE_Advertising_Report (Core 5.4, Vol 4, Part E, 7.7.65.2): received legacy advertisements.
package struct LEAdvertisingReport: LEMetaEvent {
    package static let subeventCode: UInt8 = 0x02

    /// One received advertisement.
    package struct Report: WireCodable, Equatable {
        /// The PDU type.
        package var eventType: AdvertisingReportType
        /// Address type of the advertiser.
        package var addressType: AddressType
        /// The advertiser.
        package var address: BluetoothAddress
        /// Advertising data or scan response: 0 to 31 bytes.
        package var data: [UInt8]
        /// RSSI: -127 to 20 dBm; 127 if unknown.
        package var rssi: RSSI

        package init(
            eventType: AdvertisingReportType, addressType: AddressType, address: BluetoothAddress, data: [UInt8],
            rssi: RSSI
        ) {
            self.eventType = eventType
            self.addressType = addressType
            self.address = address
            self.data = data
            self.rssi = rssi
        }

        /// The report of an event with these parameters that has one report, as most have; `nil` for other events.
        ///
        /// It is what `LEAdvertisingReport` reads, without its list, for hosts that get many.
        package init?(only parameters: [UInt8]) {
            guard parameters.count >= 12, parameters[0] == LEAdvertisingReport.subeventCode, parameters[1] == 1 else {
                return nil
            }
            let end = 11 + Int(parameters[10])
            guard end < parameters.count else { return nil }
            self.init(
                eventType: AdvertisingReportType(rawValue: parameters[2]),
                addressType: AddressType(rawValue: parameters[3]),
                address: BluetoothAddress(littleEndian: parameters[4..<10]), data: Array(parameters[11..<end]),
                rssi: RSSI(Int8(bitPattern: parameters[end])))
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            eventType = try AdvertisingReportType(parsing: &reader)
            addressType = try AddressType(parsing: &reader)
            address = try BluetoothAddress(parsing: &reader)
            let length = Int(try reader.readUInt8())
            data = Array(try reader.read(count: length))
            rssi = RSSI(try reader.readInt8())
        }

        package func serialize(into writer: inout ByteWriter) {
            eventType.serialize(into: &writer)
            addressType.serialize(into: &writer)
            address.serialize(into: &writer)
            writer.writeCountedOctets(data)
            writer.write(rssi.decibelMilliwatts)
        }
    }

    /// 1 to 25 reports, field by field on the wire.
    package let reports: [Report]

    package init(reports: [Report]) {
        self.reports = reports
    }

    package init(parsingFields reader: inout ByteReader) throws(WireError) { reports = try reader.readCountedList() }
    package func serializeFields(into writer: inout ByteWriter) { writer.writeCountedList(reports) }
}

/// HCI_LE_Directed_Advertising_Report (Core 5.4, Vol 4, Part E, 7.7.65.11): received advertisements
/// directed to a resolvable private address.
package struct LEDirectedAdvertisingReport: LEMetaEvent {
    package static let subeventCode: UInt8 = 0x0B

    /// One received advertisement.
    package struct Report: WireCodable, Equatable {
        /// The PDU type: only ADV_DIRECT_IND.
        package var eventType: AdvertisingReportType
        /// Address type of the advertiser.
        package var addressType: AddressType
        /// The advertiser.
        package var address: BluetoothAddress
        /// Type of the address that the advertisement is directed to: random.
        package var directAddressType: AddressType
        /// The address that the advertisement is directed to.
        package var directAddress: BluetoothAddress
        /// RSSI: -127 to 20 dBm; 127 if unknown.
        package var rssi: RSSI

        package init(
            eventType: AdvertisingReportType = .connectableDirected, addressType: AddressType,
            address: BluetoothAddress, directAddressType: AddressType, directAddress: BluetoothAddress, rssi: RSSI
        ) {
            self.eventType = eventType
            self.addressType = addressType
            self.address = address
            self.directAddressType = directAddressType
            self.directAddress = directAddress
            self.rssi = rssi
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            eventType = try AdvertisingReportType(parsing: &reader)
            addressType = try AddressType(parsing: &reader)
            address = try BluetoothAddress(parsing: &reader)
            directAddressType = try AddressType(parsing: &reader)
            directAddress = try BluetoothAddress(parsing: &reader)
            rssi = RSSI(try reader.readInt8())
        }

        package func serialize(into writer: inout ByteWriter) {
            eventType.serialize(into: &writer)
            addressType.serialize(into: &writer)
            address.serialize(into: &writer)
            directAddressType.serialize(into: &writer)
            directAddress.serialize(into: &writer)
            writer.write(rssi.decibelMilliwatts)
        }
    }

    /// 1 to 15 reports, field by field on the wire.
    package let reports: [Report]

    package init(reports: [Report]) {
        self.reports = reports
    }

    package init(parsingFields reader: inout ByteReader) throws(WireError) { reports = try reader.readCountedList() }
    package func serializeFields(into writer: inout ByteWriter) { writer.writeCountedList(reports) }
}

/// HCI_LE_Extended_Advertising_Report (Core 5.4, Vol 4, Part E, 7.7.65.13): received advertisements.
package struct LEExtendedAdvertisingReport: LEMetaEvent {
    package static let subeventCode: UInt8 = 0x0D

    /// One received advertisement.
    package struct Report: WireCodable, Equatable {
        /// The PDU type, and whether the data is complete.
        package var eventType: ExtendedAdvertisingEventType
        /// Address type of the advertiser; `.anonymous` without an address.
        package var addressType: AddressType
        /// The advertiser.
        package var address: BluetoothAddress
        /// LE 1M or LE Coded.
        package var primaryPHY: PHY
        /// PHY of the secondary channel, if any.
        package var secondaryPHY: PHY
        /// The Advertising_SID: 0x00 to 0x0F; 0xFF without one.
        package var advertisingSetIdentifier: UInt8
        /// The power that the advertiser reports: -127 to 20 dBm; 127 if it reports none.
        package var transmitPower: TransmitPower
        /// RSSI: -127 to 20 dBm; 127 if unknown.
        package var rssi: RSSI
        /// Interval of periodic advertising; 0 without it.
        package var periodicAdvertisingInterval: PeriodicAdvertisingInterval
        /// Type of the address that the advertisement is directed to, if any.
        package var directAddressType: AddressType
        /// The address that the advertisement is directed to, if any.
        package var directAddress: BluetoothAddress
        /// Advertising data or scan response, or a part of it: 0 to 229 bytes.
        package var data: [UInt8]

        package init(
            eventType: ExtendedAdvertisingEventType, addressType: AddressType, address: BluetoothAddress,
            primaryPHY: PHY = .oneMegabit, secondaryPHY: PHY = .none, advertisingSetIdentifier: UInt8 = 0xFF,
            transmitPower: TransmitPower = .unspecified, rssi: RSSI,
            periodicAdvertisingInterval: PeriodicAdvertisingInterval = PeriodicAdvertisingInterval(0),
            directAddressType: AddressType = .public, directAddress: BluetoothAddress = .zero, data: [UInt8]
        ) {
            self.eventType = eventType
            self.addressType = addressType
            self.address = address
            self.primaryPHY = primaryPHY
            self.secondaryPHY = secondaryPHY
            self.advertisingSetIdentifier = advertisingSetIdentifier
            self.transmitPower = transmitPower
            self.rssi = rssi
            self.periodicAdvertisingInterval = periodicAdvertisingInterval
            self.directAddressType = directAddressType
            self.directAddress = directAddress
            self.data = data
        }

        /// The report of an event with these parameters that has one report, as most have; `nil` for other events.
        ///
        /// It is what `LEExtendedAdvertisingReport` reads, without its list, for hosts that get many.
        package init?(only parameters: [UInt8]) {
            guard parameters.count >= 26, parameters[0] == LEExtendedAdvertisingReport.subeventCode, parameters[1] == 1
            else { return nil }
            let end = 26 + Int(parameters[25])
            guard end <= parameters.count else { return nil }
            self.init(
                eventType: ExtendedAdvertisingEventType(rawValue: UInt16(parameters[3]) << 8 | UInt16(parameters[2])),
                addressType: AddressType(rawValue: parameters[4]),
                address: BluetoothAddress(littleEndian: parameters[5..<11]),
                primaryPHY: PHY(rawValue: parameters[11]), secondaryPHY: PHY(rawValue: parameters[12]),
                advertisingSetIdentifier: parameters[13],
                transmitPower: TransmitPower(Int8(bitPattern: parameters[14])),
                rssi: RSSI(Int8(bitPattern: parameters[15])),
                periodicAdvertisingInterval: PeriodicAdvertisingInterval(
                    UInt32(parameters[17]) << 8 | UInt32(parameters[16])),
                directAddressType: AddressType(rawValue: parameters[18]),
                directAddress: BluetoothAddress(littleEndian: parameters[19..<25]),
                data: Array(parameters[26..<end]))
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            eventType = try ExtendedAdvertisingEventType(parsing: &reader)
            addressType = try AddressType(parsing: &reader)
            address = try BluetoothAddress(parsing: &reader)
            primaryPHY = try PHY(parsing: &reader)
            secondaryPHY = try PHY(parsing: &reader)
            advertisingSetIdentifier = try reader.readUInt8()
            transmitPower = TransmitPower(try reader.readInt8())
            rssi = RSSI(try reader.readInt8())
            periodicAdvertisingInterval = try reader.readTicks()
            directAddressType = try AddressType(parsing: &reader)
            directAddress = try BluetoothAddress(parsing: &reader)
            let length = Int(try reader.readUInt8())
            data = Array(try reader.read(count: length))
        }

        package func serialize(into writer: inout ByteWriter) {
            eventType.serialize(into: &writer)
            addressType.serialize(into: &writer)
            address.serialize(into: &writer)
            primaryPHY.serialize(into: &writer)
            secondaryPHY.serialize(into: &writer)
            writer.write(advertisingSetIdentifier)
            writer.write(transmitPower.decibelMilliwatts)
            writer.write(rssi.decibelMilliwatts)
            writer.writeTicks(periodicAdvertisingInterval)
            directAddressType.serialize(into: &writer)
            directAddress.serialize(into: &writer)
            writer.writeCountedOctets(data)
        }
    }

    /// 1 to 10 reports, field by field on the wire.
    package let reports: [Report]

    package init(reports: [Report]) {
        self.reports = reports
    }

    package init(parsingFields reader: inout ByteReader) throws(WireError) { reports = try reader.readCountedList() }
    package func serializeFields(into writer: inout ByteWriter) { writer.writeCountedList(reports) }
}

/// HCI_LE_Scan_Timeout (Core 5.4, Vol 4, Part E, 7.7.65.17): scanning ended after its duration.
package struct LEScanTimeout: LEMetaEvent {
    package static let subeventCode: UInt8 = 0x11
    /// The event has no parameters.
    package init() {}
    package init(parsingFields reader: inout ByteReader) throws(WireError) {}
    package func serializeFields(into writer: inout ByteWriter) {}
}

/// HCI_LE_Advertising_Set_Terminated (Core 5.4, Vol 4, Part E, 7.7.65.18): an advertising set ended.
package struct LEAdvertisingSetTerminated: LEMetaEvent {
    package static let subeventCode: UInt8 = 0x12
    /// `.success`: a connection; `.advertisingTimeout`: its duration; `.limitReached`: its events.
    package let status: HCIStatus
    /// The advertising set: 0x00 to 0xEF.
    package let advertisingHandle: UInt8
    /// The connection; meaningless if there is none.
    package let connectionHandle: ConnectionHandle
    /// The number of advertising events sent, if the host set a limit.
    package let completedExtendedAdvertisingEvents: UInt8

    package init(
        status: HCIStatus = .success, advertisingHandle: UInt8,
        connectionHandle: ConnectionHandle = ConnectionHandle(0), completedExtendedAdvertisingEvents: UInt8 = 0
    ) {
        self.status = status
        self.advertisingHandle = advertisingHandle
        self.connectionHandle = connectionHandle
        self.completedExtendedAdvertisingEvents = completedExtendedAdvertisingEvents
    }

    package init(parsingFields reader: inout ByteReader) throws(WireError) {
        status = try HCIStatus(parsing: &reader)
        advertisingHandle = try reader.readUInt8()
        connectionHandle = try ConnectionHandle(parsing: &reader)
        completedExtendedAdvertisingEvents = try reader.readUInt8()
    }

    package func serializeFields(into writer: inout ByteWriter) {
        status.serialize(into: &writer)
        writer.write(advertisingHandle)
        connectionHandle.serialize(into: &writer)
        writer.write(completedExtendedAdvertisingEvents)
    }
}

/// HCI_LE_Scan_Request_Received (Core 5.4, Vol 4, Part E, 7.7.65.19): a scanner sent a scan request.
package struct LEScanRequestReceived: LEMetaEvent {
    package static let subeventCode: UInt8 = 0x13
    /// The advertising set: 0x00 to 0xEF.
    package let advertisingHandle: UInt8
    /// Address type of the scanner.
    package let scannerAddressType: AddressType
    /// The scanner.
    package let scannerAddress: BluetoothAddress

    package init(advertisingHandle: UInt8, scannerAddressType: AddressType, scannerAddress: BluetoothAddress) {
        self.advertisingHandle = advertisingHandle
        self.scannerAddressType = scannerAddressType
        self.scannerAddress = scannerAddress
    }

    package init(parsingFields reader: inout ByteReader) throws(WireError) {
        advertisingHandle = try reader.readUInt8()
        scannerAddressType = try AddressType(parsing: &reader)
        scannerAddress = try BluetoothAddress(parsing: &reader)
    }

    package func serializeFields(into writer: inout ByteWriter) {
        writer.write(advertisingHandle)
        scannerAddressType.serialize(into: &writer)
        scannerAddress.serialize(into: &writer)
    }
}

extension BluetoothAddress {
    /// An address of six bytes in the order of the wire.
    fileprivate init(littleEndian octets: ArraySlice<UInt8>) {
        var bits = UInt64.zero
        for index in octets.indices.reversed() { bits = bits << 8 | UInt64(octets[index]) }
        self.init(bits: bits)
    }
}
