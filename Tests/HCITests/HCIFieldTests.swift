// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import TestSupport
import Testing

@Suite struct HCIFieldTests {
    /// The bits that the specification lists beside the events.
    @Test func eventsHaveTheirBits() {
        #expect(EventMask(eventCode: DisconnectionComplete.eventCode).rawValue == 0x10)
        #expect(EventMask(eventCode: EncryptionKeyRefreshComplete.eventCode).rawValue == 0x8000_0000_0000)
        #expect(EventMask.lowEnergyMeta.rawValue == 0x2000_0000_0000_0000)
        #expect(!EventMask.initial.contains(.lowEnergyMeta))
        #expect(EventMask(eventCode: 0).isEmpty)
        #expect(EventMask(eventCode: 0x41).isEmpty)
        #expect(EventMask(eventCode: 0x40).rawValue == 1 << 63)
        #expect(EventMaskPage2(eventCode: 0x57).rawValue == 0x80_0000)
        #expect(EventMaskPage2(eventCode: 0x3F).isEmpty)
        #expect(EventMaskPage2(eventCode: 0x80).isEmpty)
        #expect(LEEventMask(subeventCode: LEExtendedAdvertisingReport.subeventCode).rawValue == 0x1000)
        #expect(LEEventMask(subeventCode: LEChannelSelectionAlgorithm.subeventCode).rawValue == 0x8_0000)
        #expect(LEEventMask(subeventCode: 0).isEmpty)
        #expect(LEEventMask.initial.contains(LEEventMask(subeventCode: LELongTermKeyRequest.subeventCode)))
    }

    @Test func statusesDescribeThemselves() {
        #expect(HCIStatus.success.description == "success (0x00)")
        #expect(HCIStatus(rawValue: 0x3E).description == "connection failed to be established (0x3E)")
        #expect(HCIStatus(rawValue: 0xEE).description == "unnamed status (0xEE)")
        #expect(HCIStatus.rejectedLimitedResources.rawValue == 0x0D)
        #expect(HCIStatus.connectionTerminatedMICFailure.rawValue == 0x3D)
        #expect(HCIStatus.unknownAdvertisingIdentifier.rawValue == 0x42)
    }

    @Test func commandsAreDeclaredOnce() {
        #expect(HCICommands.definitions.count == HCICommands.all.count)
        let bits = HCICommands.definitions.values.compactMap(\.supportedBit).map { $0.octet * 8 + $0.bit }
        #expect(Set(bits).count == bits.count)
        #expect(bits.allSatisfy { 0..<512 ~= $0 })
        #expect(Set(HCICommands.definitions.values.map(\.name)).count == HCICommands.all.count)
    }

    @Test(arguments: [
        (ReadRSSI.opcode, "Read RSSI"), (LEEnableEncryption.opcode, "LE Enable Encryption"),
        (LELongTermKeyRequestReply.opcode, "LE Long Term Key Request Reply"), (HCIReset.opcode, "Reset"),
        (LEReceiverTestV2.opcode, "LE Receiver Test [v2]"), (ReadBDADDR.opcode, "Read BD_ADDR"),
        (HCIOpcode(rawValue: 0xFC01), "command 0xFC01"),
    ])
    func opcodesHaveTheNamesOfTheSpecification(opcode: HCIOpcode, name: String) {
        #expect(opcode.name == name)
    }

    @Test func opcodesHaveAGroupAndACommand() {
        let opcode = LESetExtendedScanEnable.opcode
        #expect(opcode.group == 0x08)
        #expect(opcode.command == 0x0042)
        #expect(opcode.description == "0x2042")
        #expect(HCIOpcode(rawValue: 0xFFFF).group == 0x3F)
        #expect(HCIOpcode(rawValue: 0xFFFF).command == 0x03FF)
    }

    /// Unnamed values and reserved bits are serialized to the same bytes.
    @Test func unnamedValuesArePreserved() throws {
        #expect(try checkWire(AddressType.self, bytes: [0x42]).rawValue == 0x42)
        #expect(try checkWire(PHYSet.self, bytes: [0xF8]).rawValue == 0xF8)
        #expect(try checkWire(LEFeatures.self, bytes: [0, 0, 0, 0, 0, 0, 0, 0x80]).rawValue == 1 << 63)
        #expect(try checkWire(ConnectionHandle.self, bytes: [0xFF, 0xFF]).rawValue == 0xFFFF)
        #expect(!ConnectionHandle.range.contains(ConnectionHandle(0x0F00)))
        #expect(ConnectionHandle.range.contains(ConnectionHandle(0x0EFF)))
    }

    @Test func octetsHaveTheirCount() throws {
        #expect(Octets<2>([1]) == nil)
        #expect(Octets<2>([1, 2, 3]) == nil)
        #expect(Octets<2>([1, 2])?.bytes == [1, 2])
        #expect(Octets<2>(padding: [1, 2, 3]).bytes == [1, 2])
        #expect(Octets<3>(padding: [1]).bytes == [1, 0, 0])
        #expect(Octets<2>.zero.bytes == [0, 0])
        #expect(try checkWire(Octets<2>.self, bytes: [1, 0xAB]).description == "01ab")
        #expect(throws: WireError(.truncated(needed: 3, available: 2), offset: 0)) {
            _ = try Octets<3>(parsing: [1, 2])
        }
    }

    @Test func supportedCommandsAreFoundByOpcode() {
        var supported = SupportedCommands()
        #expect(supported.contains(LERand.opcode) == false)
        supported = SupportedCommands([LERand.opcode, HCIOpcode(rawValue: 0xFC01)])
        #expect(supported.contains(LERand.opcode) == true)
        #expect(supported.contains(LEEncrypt.opcode) == false)
        #expect(supported.contains(HCIOpcode(rawValue: 0xFC01)) == nil)
        #expect(supported.octets.reduce(0) { $0 + $1.nonzeroBitCount } == 1)
    }

    @Test func ownAddressTypesDistinguishRandomFromPublic() {
        #expect(OwnAddressType.random.isRandom)
        #expect(OwnAddressType.resolvableOrRandom.isRandom)
        #expect(!OwnAddressType.public.isRandom)
        #expect(!OwnAddressType.resolvableOrPublic.isRandom)
    }

    @Test func filterPoliciesUseTheAcceptListOrNot() {
        #expect(ScanningFilterPolicy.extendedFiltered.usesFilterAcceptList)
        #expect(!ScanningFilterPolicy.extendedUnfiltered.usesFilterAcceptList)
    }
}
