// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// HCI_LE_Set_Extended_Scan_Parameters (Core 5.4, Vol 4, Part E, 7.8.64): how to scan, on each PHY.
package struct LESetExtendedScanParameters: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2041)

    /// How to scan on one PHY.
    package struct Parameters: WireCodable, Hashable {
        /// Passive or active.
        package let scanType: ScanType
        /// From the start of a window to the next: 0x0004 to 0xFFFF.
        package let scanInterval: ScanTime
        /// How long a window is: 0x0004 to 0xFFFF, at most the interval.
        package let scanWindow: ScanTime

        /// These fields.
        package init(scanType: ScanType, scanInterval: ScanTime, scanWindow: ScanTime) {
            self.scanType = scanType
            self.scanInterval = scanInterval
            self.scanWindow = scanWindow
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            scanType = try ScanType(parsing: &reader)
            scanInterval = try reader.readTicks()
            scanWindow = try reader.readTicks()
        }

        package func serialize(into writer: inout ByteWriter) {
            scanType.serialize(into: &writer)
            writer.writeTicks(scanInterval)
            writer.writeTicks(scanWindow)
        }
    }

    /// The address of scan requests.
    package let ownAddressType: OwnAddressType
    /// Whose advertisements are taken.
    package let scanningFilterPolicy: ScanningFilterPolicy
    /// LE 1M, LE Coded or both.
    package let scanningPHYs: PHYSet
    /// One for each bit of `scanningPHYs`, lowest bit first.
    package let parameters: [Parameters]

    /// A command of these fields.
    package init(
        ownAddressType: OwnAddressType = .public, scanningFilterPolicy: ScanningFilterPolicy = .unfiltered,
        scanningPHYs: PHYSet = .oneMegabit, parameters: [Parameters]
    ) {
        self.ownAddressType = ownAddressType
        self.scanningFilterPolicy = scanningFilterPolicy
        self.scanningPHYs = scanningPHYs
        self.parameters = parameters
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        ownAddressType = try OwnAddressType(parsing: &reader)
        scanningFilterPolicy = try ScanningFilterPolicy(parsing: &reader)
        scanningPHYs = try PHYSet(parsing: &reader)
        parameters = try reader.readList(count: scanningPHYs.rawValue.nonzeroBitCount)
    }

    package func serialize(into writer: inout ByteWriter) {
        ownAddressType.serialize(into: &writer)
        scanningFilterPolicy.serialize(into: &writer)
        scanningPHYs.serialize(into: &writer)
        for phy in parameters { phy.serialize(into: &writer) }
    }
}

/// HCI_LE_Set_Extended_Scan_Enable (Core 5.4, Vol 4, Part E, 7.8.65): starts and stops scanning.
package struct LESetExtendedScanEnable: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2042)
    /// 0 stops, 1 starts.
    package let enable: UInt8
    /// 0 reports every advertisement, 1 drops those that were reported, 2 the same in each period.
    package let filterDuplicates: UInt8
    /// How long to scan, in 10 ms; 0 for no end.
    package let duration: Ticks<10_000>
    /// From the start of a duration to the next, in 1.28 s; 0 for once.
    package let period: Ticks<1_280_000>

    /// A command of these fields.
    package init(
        enable: UInt8, filterDuplicates: UInt8, duration: Ticks<10_000> = Ticks(0), period: Ticks<1_280_000> = Ticks(0)
    ) {
        self.enable = enable
        self.filterDuplicates = filterDuplicates
        self.duration = duration
        self.period = period
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        enable = try reader.readUInt8()
        filterDuplicates = try reader.readUInt8()
        duration = try reader.readTicks()
        period = try reader.readTicks()
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(enable)
        writer.write(filterDuplicates)
        writer.writeTicks(duration)
        writer.writeTicks(period)
    }
}
