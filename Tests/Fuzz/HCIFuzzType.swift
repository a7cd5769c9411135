// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// The types that parameters of HCI packets have.
enum HCIFuzzType: Sendable {
    typealias Parser = @Sendable ([UInt8]) -> FuzzTarget.Outcome

    /// Which event.
    struct EventCode: Hashable {
        var code: UInt8
        var subeventCode: UInt8?
    }

    case command(HCIOpcode, Parser)
    case returned(HCIOpcode, Parser)
    case event(UInt8, UInt8?, Parser)

    static let all: [HCIFuzzType] = plainCommands + returningCommands + returnedParameters + plainEvents + metaEvents

    static let commands = Dictionary(
        uniqueKeysWithValues: all.compactMap { type in
            if case .command(let opcode, let parser) = type { (opcode, parser) } else { nil }
        })
    static let returned = Dictionary(
        uniqueKeysWithValues: all.compactMap { type in
            if case .returned(let opcode, let parser) = type { (opcode, parser) } else { nil }
        })
    static let events = Dictionary(
        uniqueKeysWithValues: all.compactMap { type in
            if case .event(let code, let subeventCode, let parser) = type {
                (EventCode(code: code, subeventCode: subeventCode), parser)
            } else {
                nil
            }
        })

    private static func command<Command: HCICommand>(_: Command.Type) -> HCIFuzzType {
        .command(Command.opcode, parser(Command.self))
    }

    private static func returned<Command: HCIReturningCommand>(_: Command.Type) -> HCIFuzzType {
        .returned(Command.opcode, parser(Command.Returned.self))
    }

    private static func event<Event: HCIEvent>(_: Event.Type) -> HCIFuzzType {
        .event(Event.eventCode, nil, parser(Event.self))
    }

    private static func meta<Event: LEMetaEvent>(_: Event.Type) -> HCIFuzzType {
        .event(Event.eventCode, Event.subeventCode, parser(Event.self))
    }

    /// Parses from the start of the bytes: what was parsed is written as it was.
    private static func parser<Value: WireCodable>(_: Value.Type) -> Parser {
        { bytes in
            var reader = ByteReader(bytes)
            do throws(WireError) {
                let value = try Value(parsing: &reader)
                guard value.serialized() == Array(bytes.prefix(reader.offset)) else {
                    FuzzReport.fail("\(Value.self) \(Hexadecimal.string(bytes)) is written as \(value.serialized())")
                }
                return .parsed
            } catch {
                guard 0...bytes.count ~= error.offset else { FuzzReport.fail("\(error) is outside of its input") }
                return .refused
            }
        }
    }
}

extension HCIFuzzType {
    private static let plainCommands = [
        command(Disconnect.self), command(ReadRemoteVersionInformation.self), command(SetEventMask.self),
        command(HCIReset.self), command(WriteLocalName.self), command(SetEventMaskPage2.self),
        command(WriteLEHostSupport.self), command(SetControllerToHostFlowControl.self), command(HostBufferSize.self),
        command(HostNumberOfCompletedPackets.self), command(LESetEventMask.self), command(LESetRandomAddress.self),
        command(LESetAdvertisingParameters.self), command(LESetAdvertisingData.self),
        command(LESetScanResponseData.self), command(LESetAdvertisingEnable.self), command(LESetScanParameters.self),
        command(LESetScanEnable.self), command(LECreateConnection.self), command(LECreateConnectionCancel.self),
        command(LEConnectionUpdate.self), command(LEReadRemoteFeatures.self),
        command(LESetHostChannelClassification.self), command(LEClearFilterAcceptList.self),
        command(LEAddDeviceToFilterAcceptList.self), command(LERemoveDeviceFromFilterAcceptList.self),
        command(LEEnableEncryption.self), command(LEReadLocalP256PublicKey.self), command(LEGenerateDHKey.self),
        command(LEGenerateDHKeyVersion2.self),
        command(LEWriteSuggestedDefaultDataLength.self), command(LESetDefaultPHY.self), command(LESetPHY.self),
        command(LEAddDeviceToResolvingList.self), command(LERemoveDeviceFromResolvingList.self),
        command(LEClearResolvingList.self), command(LESetAddressResolutionEnable.self),
        command(LESetResolvablePrivateAddressTimeout.self), command(LESetPrivacyMode.self),
        command(LESetAdvertisingSetRandomAddress.self), command(LESetExtendedAdvertisingEnable.self),
        command(LERemoveAdvertisingSet.self), command(LEClearAdvertisingSets.self),
        command(LESetExtendedAdvertisingData.self), command(LESetExtendedScanResponseData.self),
        command(LESetExtendedScanParameters.self), command(LESetExtendedScanEnable.self),
        command(LEExtendedCreateConnection.self),
    ]

    private static let returningCommands = [
        command(ReadLocalName.self), command(ReadTransmitPowerLevel.self), command(ReadLEHostSupport.self),
        command(ReadAuthenticatedPayloadTimeout.self), command(WriteAuthenticatedPayloadTimeout.self),
        command(ReadLocalVersionInformation.self), command(ReadLocalSupportedCommands.self),
        command(ReadLocalSupportedFeatures.self), command(ReadLocalExtendedFeatures.self),
        command(ReadBufferSize.self), command(ReadBDADDR.self), command(ReadRSSI.self),
        command(LEReadBufferSize.self), command(LEReadBufferSizeV2.self), command(LEReadLocalSupportedFeatures.self),
        command(LEEncrypt.self), command(LERand.self), command(LEReadSupportedStates.self),
        command(LEReadTransmitPower.self), command(LEReadAdvertisingPhysicalChannelTransmitPower.self),
        command(LERemoteConnectionParameterRequestReply.self),
        command(LERemoteConnectionParameterRequestNegativeReply.self), command(LEReadChannelMap.self),
        command(LEReadFilterAcceptListSize.self), command(LELongTermKeyRequestReply.self),
        command(LELongTermKeyRequestNegativeReply.self), command(LESetDataLength.self),
        command(LEReadSuggestedDefaultDataLength.self), command(LEReadMaximumDataLength.self),
        command(LEReadPHY.self), command(LEReadResolvingListSize.self),
        command(LESetExtendedAdvertisingParameters.self), command(LEReadMaximumAdvertisingDataLength.self),
        command(LEReadNumberOfSupportedAdvertisingSets.self),
    ]

    private static let returnedParameters = [
        returned(ReadLocalName.self), returned(ReadTransmitPowerLevel.self), returned(ReadLEHostSupport.self),
        returned(ReadAuthenticatedPayloadTimeout.self), returned(WriteAuthenticatedPayloadTimeout.self),
        returned(ReadLocalVersionInformation.self), returned(ReadLocalSupportedCommands.self),
        returned(ReadLocalSupportedFeatures.self), returned(ReadLocalExtendedFeatures.self),
        returned(ReadBufferSize.self), returned(ReadBDADDR.self), returned(ReadRSSI.self),
        returned(LEReadBufferSize.self), returned(LEReadBufferSizeV2.self),
        returned(LEReadLocalSupportedFeatures.self), returned(LEEncrypt.self), returned(LERand.self),
        returned(LEReadSupportedStates.self), returned(LEReadTransmitPower.self),
        returned(LEReadAdvertisingPhysicalChannelTransmitPower.self),
        returned(LERemoteConnectionParameterRequestReply.self),
        returned(LERemoteConnectionParameterRequestNegativeReply.self), returned(LEReadChannelMap.self),
        returned(LEReadFilterAcceptListSize.self), returned(LELongTermKeyRequestReply.self),
        returned(LELongTermKeyRequestNegativeReply.self), returned(LESetDataLength.self),
        returned(LEReadSuggestedDefaultDataLength.self), returned(LEReadMaximumDataLength.self),
        returned(LEReadPHY.self), returned(LEReadResolvingListSize.self),
        returned(LESetExtendedAdvertisingParameters.self), returned(LEReadMaximumAdvertisingDataLength.self),
        returned(LEReadNumberOfSupportedAdvertisingSets.self),
    ]

    private static let plainEvents = [
        event(DisconnectionComplete.self), event(EncryptionChange.self),
        event(ReadRemoteVersionInformationComplete.self), event(EncryptionKeyRefreshComplete.self),
        event(AuthenticatedPayloadTimeoutExpired.self), event(CommandStatus.self), event(HardwareError.self),
        event(NumberOfCompletedPackets.self), event(DataBufferOverflow.self), event(HCICommandComplete.self),
    ]

    private static let metaEvents = [
        meta(LEScanTimeout.self), meta(LEAdvertisingSetTerminated.self), meta(LEScanRequestReceived.self),
        meta(LEAdvertisingReport.self), meta(LEConnectionUpdateComplete.self),
        meta(LEReadRemoteFeaturesComplete.self), meta(LERemoteConnectionParameterRequest.self),
        meta(LEDataLengthChange.self), meta(LEPHYUpdateComplete.self), meta(LEChannelSelectionAlgorithm.self),
        meta(LEConnectionComplete.self), meta(LEEnhancedConnectionComplete.self),
        meta(LEDirectedAdvertisingReport.self), meta(LEExtendedAdvertisingReport.self),
        meta(LELongTermKeyRequest.self), meta(LEReadLocalP256PublicKeyComplete.self),
        meta(LEGenerateDHKeyComplete.self),
    ]
}
