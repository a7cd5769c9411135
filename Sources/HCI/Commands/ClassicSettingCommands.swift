// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

extension HCICommands {
    /// Settings of a BR/EDR controller (Core 5.4, Vol 4, Part E, 7.2, 7.3 and 7.4).
    static let classicSettings: [any HCICommand.Type] = [
        ReadDefaultLinkPolicy.self, WriteDefaultLinkPolicy.self, SetEventFilter.self, ReadStoredLinkKey.self,
        WriteStoredLinkKey.self, DeleteStoredLinkKey.self, ReadConnectionAcceptTimeout.self,
        WriteConnectionAcceptTimeout.self, ReadPageTimeout.self, WritePageTimeout.self, ReadScanEnable.self,
        WriteScanEnable.self, ReadPageScanActivity.self, WritePageScanActivity.self, ReadInquiryScanActivity.self,
        WriteInquiryScanActivity.self, ReadAuthenticationEnable.self, WriteAuthenticationEnable.self,
        ReadClassOfDevice.self, WriteClassOfDevice.self, ReadVoiceSetting.self, WriteVoiceSetting.self,
        ReadNumberOfSupportedIAC.self, ReadCurrentIACLAP.self, WriteCurrentIACLAP.self, ReadInquiryScanType.self,
        WriteInquiryScanType.self, ReadInquiryMode.self, WriteInquiryMode.self, ReadPageScanType.self,
        WritePageScanType.self, ReadExtendedInquiryResponse.self, WriteExtendedInquiryResponse.self,
        ReadSimplePairingMode.self, WriteSimplePairingMode.self, ReadInquiryResponseTransmitPower.self,
        WriteInquiryTransmitPower.self, ReadErroneousDataReporting.self, WriteErroneousDataReporting.self,
        ReadLocalSupportedCodecs.self, ReadLocalSimplePairingOptions.self,
    ]
}

// MARK: - Kinds of commands

/// A command that writes one setting: its value is the only parameter.
package protocol SettingCommand: HCICommand {
    associatedtype Value: WireCodable & Equatable
    /// The new value.
    var value: Value { get }
    init(_ value: Value)
}

extension SettingCommand {
    package init(parsing reader: inout ByteReader) throws(WireError) { self.init(try Value(parsing: &reader)) }
    package func serialize(into writer: inout ByteWriter) { value.serialize(into: &writer) }
}

/// A command that reads one setting.
package protocol SettingQuery: HCIReturningCommand, HCIParameterlessCommand
where Returned == StatusAndValue<Value> {
    associatedtype Value: WireCodable & Equatable
}

/// The return parameters of a command that reads one value.
package struct StatusAndValue<Value: WireCodable & Equatable>: WireCodable, Equatable {
    /// The HCI status.
    package let status: HCIStatus
    package let value: Value

    package init(status: HCIStatus = .success, _ value: Value) {
        self.status = status
        self.value = value
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        status = try HCIStatus(parsing: &reader)
        value = try Value(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        status.serialize(into: &writer)
        value.serialize(into: &writer)
    }
}

// MARK: - Settings that are written and read

/// HCI_Read_Default_Link_Policy_Settings (Core 5.4, Vol 4, Part E, 7.2.11): what peers may change of new connections.
package struct ReadDefaultLinkPolicy: SettingQuery, Equatable {
    package static let definition = HCICommandDefinition(
        0x080E, "Read Default Link Policy Settings", supportedBit: (5, 3))
    package typealias Value = LinkPolicy
    package init() {}
}

/// HCI_Write_Default_Link_Policy_Settings (Core 5.4, Vol 4, Part E, 7.2.12).
package struct WriteDefaultLinkPolicy: SettingCommand, Equatable {
    package static let definition = HCICommandDefinition(
        0x080F, "Write Default Link Policy Settings", supportedBit: (5, 4))
    package let value: LinkPolicy
    package init(_ value: LinkPolicy) { self.value = value }
}

/// HCI_Read_Connection_Accept_Timeout (Core 5.4, Vol 4, Part E, 7.3.13): the time in which a host decides about a
/// connection: 1 to 0xB540 slots.
package struct ReadConnectionAcceptTimeout: SettingQuery, Equatable {
    package static let definition = HCICommandDefinition(0x0C15, "Read Connection Accept Timeout", supportedBit: (7, 2))
    package typealias Value = BasebandSlots
    package init() {}
}

/// HCI_Write_Connection_Accept_Timeout (Core 5.4, Vol 4, Part E, 7.3.14).
package struct WriteConnectionAcceptTimeout: SettingCommand, Equatable {
    package static let definition = HCICommandDefinition(
        0x0C16, "Write Connection Accept Timeout", supportedBit: (7, 3))
    package let value: BasebandSlots
    package init(_ value: BasebandSlots) { self.value = value }
}

/// HCI_Read_Page_Timeout (Core 5.4, Vol 4, Part E, 7.3.15): the time in which a peer must answer a page; not 0.
package struct ReadPageTimeout: SettingQuery, Equatable {
    package static let definition = HCICommandDefinition(0x0C17, "Read Page Timeout", supportedBit: (7, 4))
    package typealias Value = BasebandSlots
    package init() {}
}

/// HCI_Write_Page_Timeout (Core 5.4, Vol 4, Part E, 7.3.16).
package struct WritePageTimeout: SettingCommand, Equatable {
    package static let definition = HCICommandDefinition(0x0C18, "Write Page Timeout", supportedBit: (7, 5))
    package let value: BasebandSlots
    package init(_ value: BasebandSlots) { self.value = value }
}

/// HCI_Read_Scan_Enable (Core 5.4, Vol 4, Part E, 7.3.17): the scans that are on.
package struct ReadScanEnable: SettingQuery, Equatable {
    package static let definition = HCICommandDefinition(0x0C19, "Read Scan Enable", supportedBit: (7, 6))
    package typealias Value = ScanEnable
    package init() {}
}

/// HCI_Write_Scan_Enable (Core 5.4, Vol 4, Part E, 7.3.18).
package struct WriteScanEnable: SettingCommand, Equatable {
    package static let definition = HCICommandDefinition(0x0C1A, "Write Scan Enable", supportedBit: (7, 7))
    package let value: ScanEnable
    package init(_ value: ScanEnable) { self.value = value }
}

/// HCI_Read_Page_Scan_Activity (Core 5.4, Vol 4, Part E, 7.3.19): when the controller scans for pages.
package struct ReadPageScanActivity: SettingQuery, Equatable {
    package static let definition = HCICommandDefinition(0x0C1B, "Read Page Scan Activity", supportedBit: (8, 0))
    package typealias Value = ScanActivity
    package init() {}
}

/// HCI_Write_Page_Scan_Activity (Core 5.4, Vol 4, Part E, 7.3.20).
package struct WritePageScanActivity: SettingCommand, Equatable {
    package static let definition = HCICommandDefinition(0x0C1C, "Write Page Scan Activity", supportedBit: (8, 1))
    package let value: ScanActivity
    package init(_ value: ScanActivity) { self.value = value }
}

/// HCI_Read_Inquiry_Scan_Activity (Core 5.4, Vol 4, Part E, 7.3.21): when the controller scans for inquiries.
package struct ReadInquiryScanActivity: SettingQuery, Equatable {
    package static let definition = HCICommandDefinition(0x0C1D, "Read Inquiry Scan Activity", supportedBit: (8, 2))
    package typealias Value = ScanActivity
    package init() {}
}

/// HCI_Write_Inquiry_Scan_Activity (Core 5.4, Vol 4, Part E, 7.3.22).
package struct WriteInquiryScanActivity: SettingCommand, Equatable {
    package static let definition = HCICommandDefinition(0x0C1E, "Write Inquiry Scan Activity", supportedBit: (8, 3))
    package let value: ScanActivity
    package init(_ value: ScanActivity) { self.value = value }
}

/// HCI_Read_Authentication_Enable (Core 5.4, Vol 4, Part E, 7.3.23): whether each connection is authenticated.
package struct ReadAuthenticationEnable: SettingQuery, Equatable {
    package static let definition = HCICommandDefinition(0x0C1F, "Read Authentication Enable", supportedBit: (8, 4))
    package typealias Value = HCISwitch
    package init() {}
}

/// HCI_Write_Authentication_Enable (Core 5.4, Vol 4, Part E, 7.3.24).
package struct WriteAuthenticationEnable: SettingCommand, Equatable {
    package static let definition = HCICommandDefinition(0x0C20, "Write Authentication Enable", supportedBit: (8, 5))
    package let value: HCISwitch
    package init(_ value: HCISwitch) { self.value = value }
}

/// HCI_Read_Class_Of_Device (Core 5.4, Vol 4, Part E, 7.3.25): the kind of device, least significant byte first.
package struct ReadClassOfDevice: SettingQuery, Equatable {
    package static let definition = HCICommandDefinition(0x0C23, "Read Class Of Device", supportedBit: (9, 0))
    package typealias Value = Octets<3>
    package init() {}
}

/// HCI_Write_Class_Of_Device (Core 5.4, Vol 4, Part E, 7.3.26).
package struct WriteClassOfDevice: SettingCommand, Equatable {
    package static let definition = HCICommandDefinition(0x0C24, "Write Class Of Device", supportedBit: (9, 1))
    package let value: Octets<3>
    package init(_ value: Octets<3>) { self.value = value }
}

/// HCI_Read_Voice_Setting (Core 5.4, Vol 4, Part E, 7.3.27): the coding of voice.
package struct ReadVoiceSetting: SettingQuery, Equatable {
    package static let definition = HCICommandDefinition(0x0C25, "Read Voice Setting", supportedBit: (9, 2))
    package typealias Value = VoiceSetting
    package init() {}
}

/// HCI_Write_Voice_Setting (Core 5.4, Vol 4, Part E, 7.3.28).
package struct WriteVoiceSetting: SettingCommand, Equatable {
    package static let definition = HCICommandDefinition(0x0C26, "Write Voice Setting", supportedBit: (9, 3))
    package let value: VoiceSetting
    package init(_ value: VoiceSetting) { self.value = value }
}

/// HCI_Read_Inquiry_Scan_Type (Core 5.4, Vol 4, Part E, 7.3.47): how the controller scans for inquiries.
package struct ReadInquiryScanType: SettingQuery, Equatable {
    package static let definition = HCICommandDefinition(0x0C42, "Read Inquiry Scan Type", supportedBit: (12, 4))
    package typealias Value = ScanPattern
    package init() {}
}

/// HCI_Write_Inquiry_Scan_Type (Core 5.4, Vol 4, Part E, 7.3.48).
package struct WriteInquiryScanType: SettingCommand, Equatable {
    package static let definition = HCICommandDefinition(0x0C43, "Write Inquiry Scan Type", supportedBit: (12, 5))
    package let value: ScanPattern
    package init(_ value: ScanPattern) { self.value = value }
}

/// HCI_Read_Inquiry_Mode (Core 5.4, Vol 4, Part E, 7.3.49): the form of inquiry results.
package struct ReadInquiryMode: SettingQuery, Equatable {
    package static let definition = HCICommandDefinition(0x0C44, "Read Inquiry Mode", supportedBit: (12, 6))
    package typealias Value = InquiryMode
    package init() {}
}

/// HCI_Write_Inquiry_Mode (Core 5.4, Vol 4, Part E, 7.3.50).
package struct WriteInquiryMode: SettingCommand, Equatable {
    package static let definition = HCICommandDefinition(0x0C45, "Write Inquiry Mode", supportedBit: (12, 7))
    package let value: InquiryMode
    package init(_ value: InquiryMode) { self.value = value }
}

/// HCI_Read_Page_Scan_Type (Core 5.4, Vol 4, Part E, 7.3.51): how the controller scans for pages.
package struct ReadPageScanType: SettingQuery, Equatable {
    package static let definition = HCICommandDefinition(0x0C46, "Read Page Scan Type", supportedBit: (13, 0))
    package typealias Value = ScanPattern
    package init() {}
}

/// HCI_Write_Page_Scan_Type (Core 5.4, Vol 4, Part E, 7.3.52).
package struct WritePageScanType: SettingCommand, Equatable {
    package static let definition = HCICommandDefinition(0x0C47, "Write Page Scan Type", supportedBit: (13, 1))
    package let value: ScanPattern
    package init(_ value: ScanPattern) { self.value = value }
}

/// HCI_Read_Extended_Inquiry_Response (Core 5.4, Vol 4, Part E, 7.3.55): the data that answers an inquiry.
package struct ReadExtendedInquiryResponse: SettingQuery, Equatable {
    package static let definition = HCICommandDefinition(
        0x0C51, "Read Extended Inquiry Response", supportedBit: (17, 0))
    package typealias Value = ExtendedInquiryResponse
    package init() {}
}

/// HCI_Write_Extended_Inquiry_Response (Core 5.4, Vol 4, Part E, 7.3.56).
package struct WriteExtendedInquiryResponse: SettingCommand, Equatable {
    package static let definition = HCICommandDefinition(
        0x0C52, "Write Extended Inquiry Response", supportedBit: (17, 1))
    package let value: ExtendedInquiryResponse
    package init(_ value: ExtendedInquiryResponse) { self.value = value }
}

/// HCI_Read_Simple_Pairing_Mode (Core 5.4, Vol 4, Part E, 7.3.58): whether the host supports Secure Simple Pairing.
package struct ReadSimplePairingMode: SettingQuery, Equatable {
    package static let definition = HCICommandDefinition(0x0C55, "Read Simple Pairing Mode", supportedBit: (17, 5))
    package typealias Value = HCISwitch
    package init() {}
}

/// HCI_Write_Simple_Pairing_Mode (Core 5.4, Vol 4, Part E, 7.3.59).
package struct WriteSimplePairingMode: SettingCommand, Equatable {
    package static let definition = HCICommandDefinition(0x0C56, "Write Simple Pairing Mode", supportedBit: (17, 6))
    package let value: HCISwitch
    package init(_ value: HCISwitch) { self.value = value }
}

/// HCI_Read_Default_Erroneous_Data_Reporting (Core 5.4, Vol 4, Part E, 7.3.64): whether voice with errors is passed on.
package struct ReadErroneousDataReporting: SettingQuery, Equatable {
    package static let definition = HCICommandDefinition(
        0x0C5A, "Read Default Erroneous Data Reporting", supportedBit: (18, 2))
    package typealias Value = HCISwitch
    package init() {}
}

/// HCI_Write_Default_Erroneous_Data_Reporting (Core 5.4, Vol 4, Part E, 7.3.65).
package struct WriteErroneousDataReporting: SettingCommand, Equatable {
    package static let definition = HCICommandDefinition(
        0x0C5B, "Write Default Erroneous Data Reporting", supportedBit: (18, 3))
    package let value: HCISwitch
    package init(_ value: HCISwitch) { self.value = value }
}

// MARK: - Transmit power of inquiries

/// HCI_Read_Inquiry_Response_Transmit_Power_Level (Core 5.4, Vol 4, Part E, 7.3.61): the power of answers to inquiries.
package struct ReadInquiryResponseTransmitPower: SettingQuery, Equatable {
    package static let definition = HCICommandDefinition(
        0x0C58, "Read Inquiry Response Transmit Power Level", supportedBit: (18, 0))
    package typealias Value = TransmitPowerLevel
    package init() {}
}

/// HCI_Write_Inquiry_Transmit_Power_Level (Core 5.4, Vol 4, Part E, 7.3.62): the power of inquiries.
package struct WriteInquiryTransmitPower: SettingCommand, Equatable {
    package static let definition = HCICommandDefinition(
        0x0C59, "Write Inquiry Transmit Power Level", supportedBit: (18, 1))
    package let value: TransmitPowerLevel
    package init(_ value: TransmitPowerLevel) { self.value = value }
}

/// A transmit power of one byte: -70 to 20 dBm.
package struct TransmitPowerLevel: WireCodable, Equatable {
    package let power: TransmitPower

    package init(_ power: TransmitPower) { self.power = power }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        power = TransmitPower(try reader.readInt8())
    }

    package func serialize(into writer: inout ByteWriter) { writer.write(power.decibelMilliwatts) }
}

// MARK: - Inquiry access codes

/// HCI_Read_Number_Of_Supported_IAC (Core 5.4, Vol 4, Part E, 7.3.43): how many inquiry access codes the controller
/// answers at the same time.
package struct ReadNumberOfSupportedIAC: SettingQuery, Equatable {
    package static let definition = HCICommandDefinition(
        0x0C38, "Read Number Of Supported IAC", supportedBit: (11, 2))
    package typealias Value = Count
    package init() {}

    /// A number of one byte.
    package struct Count: WireCodable, Equatable {
        package let count: UInt8
        package init(_ count: UInt8) { self.count = count }
        package init(parsing reader: inout ByteReader) throws(WireError) { count = try reader.readUInt8() }
        package func serialize(into writer: inout ByteWriter) { writer.write(count) }
    }
}

/// A list of inquiry access codes, with its count in front.
package struct InquiryAccessCodes: WireCodable, Equatable {
    package let codes: [InquiryAccessCode]

    package init(_ codes: [InquiryAccessCode]) { self.codes = codes }

    package init(parsing reader: inout ByteReader) throws(WireError) { codes = try reader.readCountedList() }
    package func serialize(into writer: inout ByteWriter) { writer.writeCountedList(codes) }
}

/// HCI_Read_Current_IAC_LAP (Core 5.4, Vol 4, Part E, 7.3.44): the inquiry access codes that the controller answers.
package struct ReadCurrentIACLAP: SettingQuery, Equatable {
    package static let definition = HCICommandDefinition(0x0C39, "Read Current IAC LAP", supportedBit: (11, 3))
    package typealias Value = InquiryAccessCodes
    package init() {}
}

/// HCI_Write_Current_IAC_LAP (Core 5.4, Vol 4, Part E, 7.3.45).
package struct WriteCurrentIACLAP: SettingCommand, Equatable {
    package static let definition = HCICommandDefinition(0x0C3A, "Write Current IAC LAP", supportedBit: (11, 4))
    package let value: InquiryAccessCodes
    package init(_ value: InquiryAccessCodes) { self.value = value }
}

// MARK: - Event filter

/// HCI_Set_Event_Filter (Core 5.4, Vol 4, Part E, 7.3.3): which devices are reported, and which may connect.
package struct SetEventFilter: HCICommand {
    package static let definition = HCICommandDefinition(0x0C05, "Set Event Filter", supportedBit: (6, 0))

    /// The devices that a filter concerns.
    package enum Condition: Equatable, Sendable {
        case all
        /// A class of device, and the bits of it that count.
        case classOfDevice(Octets<3>, mask: Octets<3>)
        case address(BluetoothAddress)
    }

    /// A filter, or none.
    package enum Filter: Equatable, Sendable {
        /// Removes all filters.
        case clear
        case inquiryResult(Condition)
        /// Connections, and whether they are accepted: 1 no, 2 yes, 3 yes with a change of roles.
        case connectionSetup(Condition, autoAccept: UInt8)
    }

    package let filter: Filter

    package init(_ filter: Filter) { self.filter = filter }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        let start = reader.offset
        switch try reader.readUInt8() {
        case 0: filter = .clear
        case 1: filter = .inquiryResult(try Self.readCondition(&reader))
        case 2: filter = .connectionSetup(try Self.readCondition(&reader), autoAccept: try reader.readUInt8())
        default: throw WireError(.badValue(field: "Filter_Type"), offset: start)
        }
    }

    private static func readCondition(_ reader: inout ByteReader) throws(WireError) -> Condition {
        let start = reader.offset
        switch try reader.readUInt8() {
        case 0: return .all
        case 1: return .classOfDevice(try Octets<3>(parsing: &reader), mask: try Octets<3>(parsing: &reader))
        case 2: return .address(try BluetoothAddress(parsing: &reader))
        default: throw WireError(.badValue(field: "Filter_Condition_Type"), offset: start)
        }
    }

    package func serialize(into writer: inout ByteWriter) {
        switch filter {
        case .clear: writer.write(UInt8(0))
        case .inquiryResult(let condition):
            writer.write(UInt8(1))
            Self.write(condition, &writer)
        case .connectionSetup(let condition, let autoAccept):
            writer.write(UInt8(2))
            Self.write(condition, &writer)
            writer.write(autoAccept)
        }
    }

    private static func write(_ condition: Condition, _ writer: inout ByteWriter) {
        switch condition {
        case .all: writer.write(UInt8(0))
        case .classOfDevice(let value, let mask):
            writer.write(UInt8(1))
            value.serialize(into: &writer)
            mask.serialize(into: &writer)
        case .address(let address):
            writer.write(UInt8(2))
            address.serialize(into: &writer)
        }
    }
}

// MARK: - Stored link keys

/// HCI_Read_Stored_Link_Key (Core 5.4, Vol 4, Part E, 7.3.8): the keys that the controller stores.
package struct ReadStoredLinkKey: HCIReturningCommand, Equatable {
    package static let definition = HCICommandDefinition(0x0C0D, "Read Stored Link Key", supportedBit: (6, 5))
    /// The peer whose key is read.
    package let address: BluetoothAddress
    /// 0: the key of the peer, 1: all keys.
    package let readAll: UInt8

    package init(address: BluetoothAddress = .zero, readAll: UInt8) {
        self.address = address
        self.readAll = readAll
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        address = try BluetoothAddress(parsing: &reader)
        readAll = try reader.readUInt8()
    }

    package func serialize(into writer: inout ByteWriter) {
        address.serialize(into: &writer)
        writer.write(readAll)
    }

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// The number of keys that the controller can store.
        package let maximumKeys: UInt16
        /// The number of keys in the events before this one.
        package let keysRead: UInt16

        package init(status: HCIStatus = .success, maximumKeys: UInt16, keysRead: UInt16) {
            self.status = status
            self.maximumKeys = maximumKeys
            self.keysRead = keysRead
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            maximumKeys = try reader.readLittleEndian()
            keysRead = try reader.readLittleEndian()
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.writeLittleEndian(maximumKeys)
            writer.writeLittleEndian(keysRead)
        }
    }
}

/// HCI_Write_Stored_Link_Key (Core 5.4, Vol 4, Part E, 7.3.9): stores keys in the controller.
package struct WriteStoredLinkKey: HCIReturningCommand, Equatable {
    package static let definition = HCICommandDefinition(0x0C11, "Write Stored Link Key", supportedBit: (6, 6))

    /// The key of a peer.
    package struct Key: WireCodable, Equatable {
        package let address: BluetoothAddress
        /// Least significant byte first.
        package let linkKey: Octets<16>

        package init(address: BluetoothAddress, linkKey: Octets<16>) {
            self.address = address
            self.linkKey = linkKey
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            address = try BluetoothAddress(parsing: &reader)
            linkKey = try Octets<16>(parsing: &reader)
        }

        package func serialize(into writer: inout ByteWriter) {
            address.serialize(into: &writer)
            linkKey.serialize(into: &writer)
        }
    }

    /// 1 to 11 keys.
    package let keys: [Key]

    package init(keys: [Key]) { self.keys = keys }

    package init(parsing reader: inout ByteReader) throws(WireError) { keys = try reader.readCountedList() }
    package func serialize(into writer: inout ByteWriter) { writer.writeCountedList(keys) }

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// The number of keys that were stored.
        package let keysWritten: UInt8

        package init(status: HCIStatus = .success, keysWritten: UInt8) {
            self.status = status
            self.keysWritten = keysWritten
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            keysWritten = try reader.readUInt8()
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.write(keysWritten)
        }
    }
}

/// HCI_Delete_Stored_Link_Key (Core 5.4, Vol 4, Part E, 7.3.10): removes keys from the controller.
package struct DeleteStoredLinkKey: HCIReturningCommand, Equatable {
    package static let definition = HCICommandDefinition(0x0C12, "Delete Stored Link Key", supportedBit: (6, 7))
    /// The peer whose key is removed.
    package let address: BluetoothAddress
    /// 0: the key of the peer, 1: all keys.
    package let deleteAll: UInt8

    package init(address: BluetoothAddress = .zero, deleteAll: UInt8) {
        self.address = address
        self.deleteAll = deleteAll
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        address = try BluetoothAddress(parsing: &reader)
        deleteAll = try reader.readUInt8()
    }

    package func serialize(into writer: inout ByteWriter) {
        address.serialize(into: &writer)
        writer.write(deleteAll)
    }

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// The number of keys that were removed.
        package let keysDeleted: UInt16

        package init(status: HCIStatus = .success, keysDeleted: UInt16) {
            self.status = status
            self.keysDeleted = keysDeleted
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            keysDeleted = try reader.readLittleEndian()
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.writeLittleEndian(keysDeleted)
        }
    }
}

// MARK: - Capabilities

/// HCI_Read_Local_Supported_Codecs, version 1 (Core 5.4, Vol 4, Part E, 7.4.8): the codecs for voice.
package struct ReadLocalSupportedCodecs: HCIReturningCommand, HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(0x100B, "Read Local Supported Codecs", supportedBit: (29, 5))
    /// The command has no parameters.
    package init() {}

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// Codecs of the Assigned Numbers.
        package let standardCodecs: [UInt8]
        /// Codecs of companies: a company identifier and a number of it.
        package let vendorCodecs: [Octets<4>]

        package init(status: HCIStatus = .success, standardCodecs: [UInt8], vendorCodecs: [Octets<4>]) {
            self.status = status
            self.standardCodecs = standardCodecs
            self.vendorCodecs = vendorCodecs
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            let count = Int(try reader.readUInt8())
            standardCodecs = Array(try reader.read(count: count))
            vendorCodecs = try reader.readCountedList()
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.writeCountedOctets(standardCodecs)
            writer.writeCountedList(vendorCodecs)
        }
    }
}

/// HCI_Read_Local_Simple_Pairing_Options (Core 5.4, Vol 4, Part E, 7.4.9): how the controller pairs.
package struct ReadLocalSimplePairingOptions: HCIReturningCommand, HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(
        0x100C, "Read Local Simple Pairing Options", supportedBit: (41, 3))
    /// The command has no parameters.
    package init() {}

    /// Return parameters.
    package struct Returned: WireCodable, Equatable {
        /// The HCI status.
        package let status: HCIStatus
        /// Bit 0: the public keys of peers are always validated.
        package let options: UInt8
        /// In bytes.
        package let maximumEncryptionKeySize: UInt8

        package init(status: HCIStatus = .success, options: UInt8, maximumEncryptionKeySize: UInt8) {
            self.status = status
            self.options = options
            self.maximumEncryptionKeySize = maximumEncryptionKeySize
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            options = try reader.readUInt8()
            maximumEncryptionKeySize = try reader.readUInt8()
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            writer.write(options)
            writer.write(maximumEncryptionKeySize)
        }
    }
}
