// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// HCI_LE_Directed_Advertising_Report (Core 5.4, Vol 4, Part E, 7.7.65.11): a scanner heard advertisements
/// directed to a resolvable private address.
public struct LEDirectedAdvertisingReport: LEMetaEvent, Hashable {
    public static let subeventCode: UInt8 = 0x0B

    /// What was heard once.
    public struct Report: WireCodable, Hashable {
        /// Which PDU: only ADV_DIRECT_IND.
        public var eventType: AdvertisingReportType
        /// Of the advertiser.
        public var addressType: AddressType
        /// The advertiser.
        public var address: BluetoothAddress
        /// Of the address it is directed to: random.
        public var directAddressType: AddressType
        /// The address it is directed to.
        public var directAddress: BluetoothAddress
        /// How strongly it was heard: -127 to 20 dBm; 127 when that is not known.
        public var rssi: RSSI

        /// A report of these fields.
        public init(
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

        public init(parsing reader: inout ByteReader) throws(WireError) {
            eventType = try AdvertisingReportType(parsing: &reader)
            addressType = try AddressType(parsing: &reader)
            address = try BluetoothAddress(parsing: &reader)
            directAddressType = try AddressType(parsing: &reader)
            directAddress = try BluetoothAddress(parsing: &reader)
            rssi = RSSI(try reader.readInt8())
        }

        public func serialize(into writer: inout ByteWriter) {
            eventType.serialize(into: &writer)
            addressType.serialize(into: &writer)
            address.serialize(into: &writer)
            directAddressType.serialize(into: &writer)
            directAddress.serialize(into: &writer)
            writer.write(rssi.decibelMilliwatts)
        }
    }

    /// What was heard, in the order of its fields for each: 1 to 15 reports.
    public let reports: [Report]

    /// An event of these fields.
    public init(reports: [Report]) {
        self.reports = reports
    }

    public init(parsingFields reader: inout ByteReader) throws(WireError) { reports = try reader.readCountedList() }
    public func serializeFields(into writer: inout ByteWriter) { writer.writeCountedList(reports) }
}
