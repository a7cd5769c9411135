// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

extension HCICommands {
    /// Scanning commands, legacy and extended (Core 5.4, Vol 4, Part E, 7.8.10, 7.8.11, 7.8.64 and 7.8.65).
    static let scanning: [any HCICommand.Type] = [
        LESetScanParameters.self, LESetScanEnable.self, LESetExtendedScanParameters.self, LESetExtendedScanEnable.self,
    ]
}

/// HCI_LE_Set_Scan_Parameters (Core 5.4, Vol 4, Part E, 7.8.10): scan parameters of legacy commands.
package struct LESetScanParameters: HCICommand {
    package static let definition = HCICommandDefinition(0x200B, "LE Set Scan Parameters", supportedBit: (26, 2))
    /// Passive or active.
    package let scanType: ScanType
    /// From the start of a window to the next: 0x0004 to 0x4000.
    package let scanInterval: ScanTime
    /// Duration of a window: 0x0004 to 0x4000, at most the interval.
    package let scanWindow: ScanTime
    /// The address of scan requests.
    package let ownAddressType: OwnAddressType
    /// Which advertisements are reported.
    package let scanningFilterPolicy: ScanningFilterPolicy

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
package struct LESetScanEnable: HCICommand {
    package static let definition = HCICommandDefinition(0x200C, "LE Set Scan Enable", supportedBit: (26, 3))
    /// 0 stops, 1 starts.
    package let enable: UInt8
    /// 0 reports every advertisement, 1 filters duplicates.
    package let filterDuplicates: UInt8

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

/// HCI_LE_Set_Extended_Scan_Parameters (Core 5.4, Vol 4, Part E, 7.8.64): scan parameters of each PHY.
package struct LESetExtendedScanParameters: HCICommand {
    package static let definition = HCICommandDefinition(
        0x2041, "LE Set Extended Scan Parameters", supportedBit: (37, 5))

    /// Scan parameters of one PHY.
    package struct Parameters: WireCodable, Equatable {
        /// Passive or active.
        package let scanType: ScanType
        /// From the start of a window to the next: 0x0004 to 0xFFFF.
        package let scanInterval: ScanTime
        /// Duration of a window: 0x0004 to 0xFFFF, at most the interval.
        package let scanWindow: ScanTime

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
    /// Which advertisements are reported.
    package let scanningFilterPolicy: ScanningFilterPolicy
    /// LE 1M, LE Coded or both.
    package let scanningPHYs: PHYSet
    /// One for each bit of `scanningPHYs`, lowest bit first.
    package let parameters: [Parameters]

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
package struct LESetExtendedScanEnable: HCICommand {
    package static let definition = HCICommandDefinition(0x2042, "LE Set Extended Scan Enable", supportedBit: (37, 6))
    /// 0 stops, 1 starts.
    package let enable: UInt8
    /// 0 reports every advertisement, 1 filters duplicates, 2 resets the filter in each period.
    package let filterDuplicates: UInt8
    /// Duration of the scan in units of 10 ms; 0 without a limit.
    package let duration: Ticks<10_000>
    /// Time between the starts of two durations, in units of 1.28 s; 0 to scan once.
    package let period: Ticks<1_280_000>

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
