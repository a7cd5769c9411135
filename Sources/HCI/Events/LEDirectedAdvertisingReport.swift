// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// HCI_LE_Directed_Advertising_Report (Core 5.4, Vol 4, Part E, 7.7.65.11): a scanner heard advertisements
/// directed to a resolvable private address.
package struct LEDirectedAdvertisingReport: LEMetaEvent, Hashable {
    package static let subeventCode: UInt8 = 0x0B

    /// What was heard once.
    package struct Report: WireCodable, Hashable {
        /// Which PDU: only ADV_DIRECT_IND.
        package var eventType: AdvertisingReportType
        /// Of the advertiser.
        package var addressType: AddressType
        /// The advertiser.
        package var address: BluetoothAddress
        /// Of the address it is directed to: random.
        package var directAddressType: AddressType
        /// The address it is directed to.
        package var directAddress: BluetoothAddress
        /// How strongly it was heard: -127 to 20 dBm; 127 when that is not known.
        package var rssi: RSSI

        /// A report of these fields.
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

    /// What was heard, in the order of its fields for each: 1 to 15 reports.
    package let reports: [Report]

    /// An event of these fields.
    package init(reports: [Report]) {
        self.reports = reports
    }

    package init(parsingFields reader: inout ByteReader) throws(WireError) { reports = try reader.readCountedList() }
    package func serializeFields(into writer: inout ByteWriter) { writer.writeCountedList(reports) }
}
