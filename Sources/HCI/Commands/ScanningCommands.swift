// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// HCI_LE_Set_Scan_Parameters (Core 5.4, Vol 4, Part E, 7.8.10): how to scan, in legacy commands.
package struct LESetScanParameters: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x200B)
    /// Passive or active.
    package let scanType: ScanType
    /// From the start of a window to the next: 0x0004 to 0x4000.
    package let scanInterval: ScanTime
    /// How long a window is: 0x0004 to 0x4000, at most the interval.
    package let scanWindow: ScanTime
    /// The address of scan requests.
    package let ownAddressType: OwnAddressType
    /// Whose advertisements are taken.
    package let scanningFilterPolicy: ScanningFilterPolicy

    /// A command of these fields.
    package init(
        scanType: ScanType, scanInterval: ScanTime, scanWindow: ScanTime, ownAddressType: OwnAddressType = .public,
        scanningFilterPolicy: ScanningFilterPolicy = .unfiltered
    ) {
        self.scanType = scanType
        self.scanInterval = scanInterval
        self.scanWindow = scanWindow
        self.ownAddressType = ownAddressType
        self.scanningFilterPolicy = scanningFilterPolicy
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        scanType = try ScanType(parsing: &reader)
        scanInterval = try reader.readTicks()
        scanWindow = try reader.readTicks()
        ownAddressType = try OwnAddressType(parsing: &reader)
        scanningFilterPolicy = try ScanningFilterPolicy(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        scanType.serialize(into: &writer)
        writer.writeTicks(scanInterval)
        writer.writeTicks(scanWindow)
        ownAddressType.serialize(into: &writer)
        scanningFilterPolicy.serialize(into: &writer)
    }
}

/// HCI_LE_Set_Scan_Enable (Core 5.4, Vol 4, Part E, 7.8.11): starts and stops scanning.
package struct LESetScanEnable: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x200C)
    /// 0 stops, 1 starts.
    package let enable: UInt8
    /// 0 reports every advertisement, 1 drops those that were reported.
    package let filterDuplicates: UInt8

    /// A command of these fields.
    package init(enable: UInt8, filterDuplicates: UInt8) {
        self.enable = enable
        self.filterDuplicates = filterDuplicates
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        enable = try reader.readUInt8()
        filterDuplicates = try reader.readUInt8()
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(enable)
        writer.write(filterDuplicates)
    }
}
