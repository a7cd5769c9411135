// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// HCI_LE_Extended_Advertising_Report (Core 5.4, Vol 4, Part E, 7.7.65.13): a scanner heard advertisements.
package struct LEExtendedAdvertisingReport: LEMetaEvent, Hashable {
    package static let subeventCode: UInt8 = 0x0D

    /// What was heard once.
    package struct Report: WireCodable, Hashable {
        /// Which PDU, and whether the data is complete.
        package var eventType: ExtendedAdvertisingEventType
        /// Of the advertiser; `.anonymous` when it gave no address.
        package var addressType: AddressType
        /// The advertiser.
        package var address: BluetoothAddress
        /// LE 1M or LE Coded.
        package var primaryPHY: PHY
        /// Of the secondary channel, if any.
        package var secondaryPHY: PHY
        /// The number of the set: 0x00 to 0x0F; 0xFF for none.
        package var advertisingSetIdentifier: UInt8
        /// What the advertiser says: -127 to 20 dBm; 127 when it does not.
        package var transmitPower: TransmitPower
        /// How strongly it was heard: -127 to 20 dBm; 127 when that is not known.
        package var rssi: RSSI
        /// Of periodic advertising; 0 for none.
        package var periodicAdvertisingInterval: PeriodicAdvertisingInterval
        /// Of the address it is directed to, if any.
        package var directAddressType: AddressType
        /// The address it is directed to, if any.
        package var directAddress: BluetoothAddress
        /// Advertising data or scan response, or a part of it: 0 to 229 octets.
        package var data: [UInt8]

        /// A report of these fields.
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

    /// What was heard, in the order of its fields for each: 1 to 10 reports.
    package let reports: [Report]

    /// An event of these fields.
    package init(reports: [Report]) {
        self.reports = reports
    }

    package init(parsingFields reader: inout ByteReader) throws(WireError) { reports = try reader.readCountedList() }
    package func serializeFields(into writer: inout ByteWriter) { writer.writeCountedList(reports) }
}
