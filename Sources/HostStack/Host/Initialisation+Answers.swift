// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

extension Initialisation {
    /// Takes what a step's command returned; `false` when it cannot be read.
    mutating func learn(_ reply: CommandReply) -> Bool {
        switch step {
        case .version:
            learn(reply.value(of: ReadLocalVersionInformation.self)) { state, answer in
                state.capabilities.version = answer.hciVersion
                state.capabilities.manufacturer = answer.companyIdentifier
                state.capabilities.subversion = answer.hciSubversion
            }
        case .supportedCommands:
            learn(reply.value(of: ReadLocalSupportedCommands.self)) { state, answer in
                state.supportedCommands = answer.supportedCommands
            }
        case .features:
            learn(reply.value(of: ReadLocalSupportedFeatures.self)) { state, answer in
                state.isDualMode =
                    !answer.lmpFeatures.contains(.noClassicRadio) && answer.lmpFeatures.contains(.lowEnergy)
            }
        case .address:
            learn(reply.value(of: ReadBDADDR.self)) { state, answer in
                let none = BluetoothAddress(octets: [UInt8](repeating: 0xFF, count: 6))
                state.capabilities.address = answer.address == .zero || answer.address == none ? nil : answer.address
            }
        case .lowEnergyBuffers:
            learn(reply.value(of: LEReadBufferSize.self)) { state, answer in
                state.setBuffers(length: answer.aclDataPacketLength, count: UInt16(answer.totalACLDataPackets))
            }
        case .sharedBuffers:
            learn(reply.value(of: ReadBufferSize.self)) { state, answer in
                state.setBuffers(length: answer.aclDataPacketLength, count: answer.totalACLDataPackets)
            }
        case .lowEnergyFeatures:
            learn(reply.value(of: LEReadLocalSupportedFeatures.self)) { state, answer in
                state.capabilities.features = answer.features
            }
        case .advertisingSets:
            learn(reply.value(of: LEReadNumberOfSupportedAdvertisingSets.self)) { state, answer in
                state.capabilities.advertisingSets = Int(answer.supportedAdvertisingSets)
            }
        case .advertisingDataLength:
            learn(reply.value(of: LEReadMaximumAdvertisingDataLength.self)) { state, answer in
                state.capabilities.maximumAdvertisingData = Int(answer.maximumAdvertisingDataLength)
            }
        case .maximumDataLength:
            learn(reply.value(of: LEReadMaximumDataLength.self)) { state, answer in
                state.capabilities.maximumLinkPayload = Int(min(max(answer.supportedMaximumTransmitOctets, 27), 251))
            }
        case .transmitPowerRange:
            learn(reply.value(of: LEReadTransmitPower.self)) { state, answer in
                let powers = [answer.minimumTransmitPower, answer.maximumTransmitPower].sorted()
                state.capabilities.transmitPower = powers[0]...powers[1]
            }
        case .advertisingPower:
            learn(reply.value(of: LEReadAdvertisingPhysicalChannelTransmitPower.self)) { state, answer in
                state.capabilities.transmitPower = answer.transmitPowerLevel...answer.transmitPowerLevel
            }
        case .reset, .eventMask, .lowEnergyHostSupport, .lowEnergyEventMask, .suggestedDataLength, .randomAddress:
            true
        }
    }

    private mutating func learn<Answer>(_ answer: Answer?, _ body: (inout Self, Answer) -> Void) -> Bool {
        guard let answer else { return false }
        body(&self, answer)
        return true
    }

    /// A length of 0 means that LE shares the buffers of BR/EDR (Core 5.4, Vol 4, Part E, 7.8.2).
    private mutating func setBuffers(length: UInt16, count: UInt16) {
        capabilities.dataLength = max(Int(length), 27)
        capabilities.dataPackets = length == 0 ? 0 : Int(count)
    }

    /// What is known when nothing more is to be asked.
    var finalCapabilities: LEHostCapabilities {
        var final = capabilities
        final.hasExtendedAdvertising = supports(LESetExtendedAdvertisingParameters.opcode)
        final.hasExtendedScanning = supports(LESetExtendedScanParameters.opcode)
        final.hasExtendedConnecting = supports(LEExtendedCreateConnection.opcode)
        if !final.hasExtendedAdvertising { final.advertisingSets = 1 }
        // Core 5.0 took the limit of 100 ms away (Core 4.2, Vol 2, Part E, 7.8.5).
        if final.version.rawValue >= CoreVersion.core50.rawValue {
            final.shortestNonConnectableInterval = AdvertisingInterval(0x0020)
        }
        final.dataPackets = max(final.dataPackets, 1)
        return final
    }
}
