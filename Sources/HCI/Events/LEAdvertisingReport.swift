// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// HCI_LE_Advertising_Report (Core 5.4, Vol 4, Part E, 7.7.65.2): a scanner heard legacy advertisements.
package struct LEAdvertisingReport: LEMetaEvent, Hashable {
    package static let subeventCode: UInt8 = 0x02

    /// What was heard once.
    package struct Report: WireCodable, Hashable {
        /// Which PDU.
        package var eventType: AdvertisingReportType
        /// Of the advertiser.
        package var addressType: AddressType
        /// The advertiser.
        package var address: BluetoothAddress
        /// Advertising data or scan response: 0 to 31 octets.
        package var data: [UInt8]
        /// How strongly it was heard: -127 to 20 dBm; 127 when that is not known.
        package var rssi: RSSI

        /// A report of these fields.
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

    /// What was heard, in the order of its fields for each: 1 to 25 reports.
    package let reports: [Report]

    /// An event of these fields.
    package init(reports: [Report]) {
        self.reports = reports
    }

    package init(parsingFields reader: inout ByteReader) throws(WireError) { reports = try reader.readCountedList() }
    package func serializeFields(into writer: inout ByteWriter) { writer.writeCountedList(reports) }
}
