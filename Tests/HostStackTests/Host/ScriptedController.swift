// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

@testable import HostStack

/// A controller that replies to commands from a table and records them.
struct ScriptedController {
    var version = CoreVersion.core54
    var company = CompanyIdentifier(0x0059)
    var subversion: UInt16 = 7
    var linkSubversion: UInt16 = 8
    var supported: SupportedCommands
    var features: LMPFeatures = [.noClassicRadio, .lowEnergy]
    var lowEnergyFeatures: LEFeatures = [.extendedAdvertising]
    var publicAddress = BluetoothAddress("00:11:22:33:44:55") ?? .zero
    var bufferLength: UInt16 = 27
    var bufferCount: UInt8 = 4
    var sharedBuffer: (length: UInt16, count: UInt16) = (1021, 6)
    var advertisingSets: UInt8 = 3
    /// The number of devices that its filter accept list has room for.
    var acceptListCapacity = 8
    /// The devices on its filter accept list.
    private(set) var acceptList: [BluetoothAddress] = []
    /// The commands that fail, with their status.
    var refusals: [HCIOpcode: HCIStatus] = [:]
    /// Why it refuses a command, besides `refusals`.
    var judge: @Sendable (HCICommandPacket) -> HCIStatus? = { _ in nil }
    /// The commands without a reply.
    var silent: Set<HCIOpcode> = []
    /// The number of commands that each reply offers to take.
    var credits: UInt8 = 1
    /// The commands so far.
    var log: [HCICommandPacket] = []
    /// The data so far.
    var data: [ACLDataPacket] = []

    static let legacyCommands: [HCIOpcode] = [
        HCIReset.opcode, ReadLocalVersionInformation.opcode, ReadLocalSupportedCommands.opcode,
        ReadLocalSupportedFeatures.opcode, ReadBDADDR.opcode, ReadBufferSize.opcode, SetEventMask.opcode,
        WriteLEHostSupport.opcode, LESetEventMask.opcode, LEReadBufferSize.opcode, LEReadLocalSupportedFeatures.opcode,
        LESetRandomAddress.opcode, LESetAdvertisingParameters.opcode,
        LEReadAdvertisingPhysicalChannelTransmitPower.opcode, LESetAdvertisingData.opcode,
        LESetScanResponseData.opcode, LESetAdvertisingEnable.opcode, LESetScanParameters.opcode,
        LESetScanEnable.opcode, LECreateConnection.opcode, LECreateConnectionCancel.opcode,
        LEConnectionUpdate.opcode, Disconnect.opcode, LEClearFilterAcceptList.opcode,
        LEAddDeviceToFilterAcceptList.opcode,
    ]
    static let extendedCommands: [HCIOpcode] = [
        LERemoteConnectionParameterRequestReply.opcode, LERemoteConnectionParameterRequestNegativeReply.opcode,
        LESetDataLength.opcode, LEWriteSuggestedDefaultDataLength.opcode, LEReadMaximumDataLength.opcode,
        LESetAdvertisingSetRandomAddress.opcode, LESetExtendedAdvertisingParameters.opcode,
        LESetExtendedAdvertisingData.opcode, LESetExtendedScanResponseData.opcode,
        LESetExtendedAdvertisingEnable.opcode, LEReadMaximumAdvertisingDataLength.opcode,
        LEReadNumberOfSupportedAdvertisingSets.opcode, LERemoveAdvertisingSet.opcode,
        LESetExtendedScanParameters.opcode, LESetExtendedScanEnable.opcode, LEExtendedCreateConnection.opcode,
        LEReadTransmitPower.opcode,
    ]

    /// Bluetooth 5.4, with advertising sets.
    static let extended = ScriptedController(supported: SupportedCommands(legacyCommands + extendedCommands))
    /// Bluetooth 4.0.
    static let legacy = ScriptedController(version: .core40, supported: SupportedCommands(legacyCommands))

    private static let begun: Set<HCIOpcode> = [
        Disconnect.opcode, LECreateConnection.opcode, LEExtendedCreateConnection.opcode, LEConnectionUpdate.opcode,
    ]

    /// Takes a command.
    /// - Returns: the reply, if there is one.
    mutating func take(_ command: HCICommandPacket) -> HCIEventPacket? {
        log.append(command)
        guard !silent.contains(command.opcode) else { return nil }
        let refusal = refusals[command.opcode] ?? judge(command)
        if Self.begun.contains(command.opcode) {
            return HCIEventPacket(
                CommandStatus(
                    status: refusal ?? .success, commandCredits: credits, opcode: command.opcode))
        }
        if let status = changeAcceptList(command) {
            return HCIEventPacket(
                HCICommandComplete(
                    commandCredits: credits, opcode: command.opcode, returnParameters: [status.rawValue]))
        }
        let returned = refusal.map { [$0.rawValue] } ?? answer(command.opcode)
        return HCIEventPacket(
            HCICommandComplete(commandCredits: credits, opcode: command.opcode, returnParameters: returned))
    }

    /// Changes the filter accept list.
    /// - Returns: the status; `nil` for other commands, and those that fail in any case.
    private mutating func changeAcceptList(_ command: HCICommandPacket) -> HCIStatus? {
        guard refusals[command.opcode] == nil else { return nil }
        if command.opcode == LEClearFilterAcceptList.opcode {
            acceptList = []
            return .success
        }
        guard let added = try? command.parameters(as: LEAddDeviceToFilterAcceptList.self) else { return nil }
        guard acceptList.count < acceptListCapacity else { return .memoryCapacityExceeded }
        acceptList.append(added.address)
        return .success
    }

    private func answer(_ opcode: HCIOpcode) -> [UInt8] {
        switch opcode {
        case ReadLocalVersionInformation.opcode:
            ReadLocalVersionInformation.Returned(
                hciVersion: version, hciSubversion: subversion, lmpVersion: version,
                companyIdentifier: company, lmpSubversion: linkSubversion
            ).serialized()
        case ReadLocalSupportedCommands.opcode:
            ReadLocalSupportedCommands.Returned(supportedCommands: supported).serialized()
        case ReadLocalSupportedFeatures.opcode:
            ReadLocalSupportedFeatures.Returned(lmpFeatures: features).serialized()
        case ReadBDADDR.opcode: ReadBDADDR.Returned(address: publicAddress).serialized()
        case LEReadBufferSize.opcode:
            LEReadBufferSize.Returned(aclDataPacketLength: bufferLength, totalACLDataPackets: bufferCount).serialized()
        case ReadBufferSize.opcode:
            ReadBufferSize.Returned(
                aclDataPacketLength: sharedBuffer.length, synchronousDataPacketLength: 0,
                totalACLDataPackets: sharedBuffer.count, totalSynchronousDataPackets: 0
            ).serialized()
        case LEReadLocalSupportedFeatures.opcode:
            LEReadLocalSupportedFeatures.Returned(features: lowEnergyFeatures).serialized()
        case LEReadNumberOfSupportedAdvertisingSets.opcode: [0, advertisingSets]
        case LEReadMaximumAdvertisingDataLength.opcode: [0, 0x72, 0x06]
        case LEReadMaximumDataLength.opcode: [0, 251, 0, 0x48, 0x08, 251, 0, 0x48, 0x08]
        case LEReadTransmitPower.opcode: [0, 0xEC, 8]
        case LEReadAdvertisingPhysicalChannelTransmitPower.opcode: [0, 4]
        case LESetExtendedAdvertisingParameters.opcode: [0, 0xFD]
        default: [0]
        }
    }
}
