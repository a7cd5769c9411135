// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// The questions and orders that make a controller ready, in their order.
enum InitialisationStep: CaseIterable, Hashable, Sendable {
    case reset
    case version
    case supportedCommands
    case features
    case address
    case eventMask
    case lowEnergyHostSupport
    case lowEnergyBuffers
    case sharedBuffers
    case lowEnergyFeatures
    case lowEnergyEventMask
    case advertisingSets
    case advertisingDataLength
    case maximumDataLength
    case suggestedDataLength
    case transmitPowerRange
    case advertisingPower
    case randomAddress

    /// The command that not every controller has; `nil` where the step has none.
    var optionalCommand: HCIOpcode? {
        switch self {
        case .reset, .version, .supportedCommands, .eventMask, .lowEnergyBuffers, .lowEnergyFeatures,
            .lowEnergyEventMask, .features, .address:
            nil
        case .lowEnergyHostSupport: WriteLEHostSupport.opcode
        case .sharedBuffers: ReadBufferSize.opcode
        case .advertisingSets: LEReadNumberOfSupportedAdvertisingSets.opcode
        case .advertisingDataLength: LEReadMaximumAdvertisingDataLength.opcode
        case .maximumDataLength: LEReadMaximumDataLength.opcode
        case .suggestedDataLength: LEWriteSuggestedDefaultDataLength.opcode
        case .transmitPowerRange: LEReadTransmitPower.opcode
        case .advertisingPower: LEReadAdvertisingPhysicalChannelTransmitPower.opcode
        case .randomAddress: LESetRandomAddress.opcode
        }
    }

    /// Whether a controller that fails it can be used all the same.
    var isOptional: Bool { self != .reset && self != .lowEnergyBuffers }
}

/// What was learnt of a controller while it starts.
struct Initialisation {
    /// The step that is under way.
    var step: InitialisationStep = .reset
    /// What is known so far.
    var capabilities = LEHostCapabilities()
    /// The commands that the controller says it has.
    var supportedCommands = SupportedCommands()
    /// The controller has BR/EDR too, so LE must be switched on.
    var isDualMode = false

    func supports(_ command: HCIOpcode) -> Bool { supportedCommands.contains(command) ?? false }

    /// Whether the step is for this controller.
    func wants(_ step: InitialisationStep, _ configuration: LEHostConfiguration) -> Bool {
        if let command = step.optionalCommand, !supports(command) { return false }
        return switch step {
        case .lowEnergyHostSupport: isDualMode
        case .sharedBuffers: capabilities.dataPackets == 0
        case .suggestedDataLength: capabilities.maximumLinkPayload > 27
        case .advertisingPower: !supports(LEReadTransmitPower.opcode)
        case .randomAddress: configuration.centralAddress.type == .random
        default: true
        }
    }
}
