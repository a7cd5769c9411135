// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Space

/// The initialisation of a controller: a reset, queries of its capabilities, and settings, in the order of
/// `InitialisationStep`.
///
/// Each step is one command. Steps whose command the controller does not support are skipped. `start(_:)` returns the
/// first action and `receive(_:_:)` each further one, until the controller is ready or has failed.
///
/// A controller that does not reply to an optional command may have locked up: it is reset, and initialised again without
/// that command. The second silence is a failure.
struct ControllerInitialisation: Sendable {
    /// What the host does next.
    enum Action {
        case send(HCICommandPacket, InitialisationStep)
        /// Choose the random address of the central and send it, as the step `.randomAddress`.
        case setRandomAddress
        case finish(LEHostCapabilities)
        case fail(LEHostFailure)
    }

    /// The step whose reply is due.
    private var step: InitialisationStep = .reset
    private var capabilities = LEHostCapabilities()
    private var supportedCommands = SupportedCommands()
    private var quirk: ControllerQuirk?
    /// The step whose command was not answered before the reset.
    private var silentStep: InitialisationStep?
    /// Whether the controller supports BR/EDR too, so that LE has to be switched on.
    private var isDualMode = false

    /// The first action.
    func start() -> Action { send(HCIReset()) }

    /// Takes the reply to a step's command.
    /// - Returns: the next action; `nil` if the reply belongs to another step.
    mutating func receive(
        _ reply: CommandReply, to step: InitialisationStep, _ context: inout HostContext
    ) -> Action? {
        guard self.step == step else { return nil }
        if let failure = reply.failure {
            guard step.isOptional else { return .fail(failure) }
            if failure.isSilence {
                guard silentStep == nil else { return .fail(failure) }
                self = ControllerInitialisation()
                silentStep = step
                capabilities.silentCommand = reply.opcode
                return start()
            }
        } else if !read(reply) {
            guard step.isOptional else { return .fail(.unreadable(reply.opcode)) }
            context.emit(.commandFailed(.unreadable(reply.opcode)))
        }
        let later = InitialisationStep.allCases.drop { $0 != step }.dropFirst()
        guard let next = later.first(where: { isNeeded($0, context.configuration) }) else {
            return .finish(finalCapabilities)
        }
        self.step = next
        return action(of: next, context.configuration)
    }

    /// Whether the controller has the version of Beaconry's emulated controllers: others may do anything on an unknown
    /// vendor command.
    private var mayBeEmulated: Bool {
        capabilities.manufacturer == VendorSetPosition.company
            && capabilities.subversion == VendorSetPosition.subversion
    }

    private func supports(_ command: HCIOpcode) -> Bool {
        supportedCommands.contains(command) == true && quirk?.avoided.contains(command) != true
    }

    /// Whether it has advertising sets: both the feature, by which Linux decides, and every command that they need.
    private var hasExtendedAdvertising: Bool {
        capabilities.features.contains(.extendedAdvertising) && AdvertiserStep.setCommands.allSatisfy(supports)
    }

    private func isNeeded(_ step: InitialisationStep, _ configuration: LEHostConfiguration) -> Bool {
        guard step != silentStep else { return false }
        if let command = step.optionalCommand, !supports(command) { return false }
        return switch step {
        case .lowEnergyHostSupport: isDualMode
        case .sharedBuffers: capabilities.dataPackets == 0
        case .suggestedDataLength: capabilities.maximumLinkPayload > 27
        case .advertisingSets, .advertisingDataLength: hasExtendedAdvertising
        // It is a legacy command, which must not be mixed with extended ones (Core 5.4, Vol 4, Part E, 3.1.1).
        case .advertisingPower: !hasExtendedAdvertising && !supports(LEReadTransmitPower.opcode)
        case .randomAddress: configuration.centralAddress(on: capabilities).type == .random
        case .position: configuration.position != nil && mayBeEmulated
        default: true
        }
    }

    private func action(of step: InitialisationStep, _ configuration: LEHostConfiguration) -> Action {
        switch step {
        case .reset: send(HCIReset())
        case .version: send(ReadLocalVersionInformation())
        case .supportedCommands: send(ReadLocalSupportedCommands())
        case .features: send(ReadLocalSupportedFeatures())
        case .address: send(ReadBDADDR())
        case .eventMask: send(SetEventMask(eventMask: Self.eventMask))
        case .lowEnergyHostSupport: send(WriteLEHostSupport(supportedHost: 1))
        case .lowEnergyBuffers: send(LEReadBufferSize())
        case .sharedBuffers: send(ReadBufferSize())
        case .lowEnergyFeatures: send(LEReadLocalSupportedFeatures())
        case .lowEnergyEventMask: send(LESetEventMask(eventMask: lowEnergyEventMask))
        case .advertisingSets: send(LEReadNumberOfSupportedAdvertisingSets())
        case .advertisingDataLength: send(LEReadMaximumAdvertisingDataLength())
        case .maximumDataLength: send(LEReadMaximumDataLength())
        case .suggestedDataLength:
            send(
                LEWriteSuggestedDefaultDataLength(
                    suggestedMaximumTransmitOctets: UInt16(capabilities.maximumLinkPayload),
                    suggestedMaximumTransmitTime: capabilities.maximumLinkPayloadTime))
        case .transmitPowerRange: send(LEReadTransmitPower())
        case .advertisingPower: send(LEReadAdvertisingPhysicalChannelTransmitPower())
        case .randomAddress: .setRandomAddress
        case .position: send(VendorSetPosition(configuration.position ?? Position(x: 0, y: 0)))
        }
    }

    private func send<Command: HCICommand>(_ command: Command) -> Action { .send(HCICommandPacket(command), step) }

    /// The events of BR/EDR and LE: the default ones, new keys of encrypted links, and the LE meta event.
    private static let eventMask: EventMask = [
        .initial, EventMask(eventCode: EncryptionKeyRefreshComplete.eventCode), .lowEnergyMeta,
    ]

    /// The LE events that this host uses, as far as the controller supports them.
    private var lowEnergyEventMask: LEEventMask {
        var mask = LEEventMask.initial
        func add<Event: LEMetaEvent>(_: Event.Type) { mask.insert(LEEventMask(subeventCode: Event.subeventCode)) }
        if supports(LERemoteConnectionParameterRequestReply.opcode) { add(LERemoteConnectionParameterRequest.self) }
        if supports(LESetDataLength.opcode) { add(LEDataLengthChange.self) }
        if capabilities.version.rawValue >= CoreVersion.core42.rawValue { add(LEEnhancedConnectionComplete.self) }
        if hasExtendedAdvertising {
            add(LEAdvertisingSetTerminated.self)
            if supports(LESetExtendedScanParameters.opcode) { add(LEExtendedAdvertisingReport.self) }
        }
        return mask
    }

    /// Reads the return parameters of the current step's command; `false` if they cannot be read.
    private mutating func read(_ reply: CommandReply) -> Bool {
        switch step {
        case .version:
            read(reply.value(of: ReadLocalVersionInformation.self)) { state, returned in
                state.capabilities.version = returned.hciVersion
                state.capabilities.manufacturer = returned.companyIdentifier
                state.capabilities.subversion = returned.hciSubversion
                state.quirk = .of(returned)
                state.capabilities.quirk = state.quirk?.name
            }
        case .supportedCommands:
            read(reply.value(of: ReadLocalSupportedCommands.self)) { state, returned in
                state.supportedCommands = returned.supportedCommands
            }
        case .features:
            read(reply.value(of: ReadLocalSupportedFeatures.self)) { state, returned in
                state.isDualMode =
                    !returned.lmpFeatures.contains(.noClassicRadio) && returned.lmpFeatures.contains(.lowEnergy)
            }
        case .address:
            read(reply.value(of: ReadBDADDR.self)) { state, returned in
                state.capabilities.address = returned.address.isOfDevice ? returned.address : nil
            }
        case .lowEnergyBuffers:
            read(reply.value(of: LEReadBufferSize.self)) { state, returned in
                state.setBuffers(length: returned.aclDataPacketLength, count: UInt16(returned.totalACLDataPackets))
            }
        case .sharedBuffers:
            read(reply.value(of: ReadBufferSize.self)) { state, returned in
                state.setBuffers(length: returned.aclDataPacketLength, count: returned.totalACLDataPackets)
            }
        case .lowEnergyFeatures:
            read(reply.value(of: LEReadLocalSupportedFeatures.self)) { state, returned in
                state.capabilities.features = returned.features
            }
        case .advertisingSets:
            read(reply.value(of: LEReadNumberOfSupportedAdvertisingSets.self)) { state, returned in
                state.capabilities.advertisingSets = Int(returned.supportedAdvertisingSets)
            }
        case .advertisingDataLength:
            read(reply.value(of: LEReadMaximumAdvertisingDataLength.self)) { state, returned in
                state.capabilities.maximumAdvertisingData = Int(returned.maximumAdvertisingDataLength)
            }
        case .maximumDataLength:
            read(reply.value(of: LEReadMaximumDataLength.self)) { state, returned in
                let length = min(max(returned.supportedMaximumTransmitOctets, 27), 251)
                state.capabilities.maximumLinkPayload = Int(length)
            }
        case .transmitPowerRange:
            read(reply.value(of: LEReadTransmitPower.self)) { state, returned in
                let powers = [returned.minimumTransmitPower, returned.maximumTransmitPower].sorted()
                state.capabilities.transmitPower = powers[0]...powers[1]
            }
        case .advertisingPower:
            read(reply.value(of: LEReadAdvertisingPhysicalChannelTransmitPower.self)) { state, returned in
                state.capabilities.transmitPower = returned.transmitPowerLevel...returned.transmitPowerLevel
            }
        case .position:
            read(true) { state, _ in state.capabilities.isAtPosition = true }
        case .reset, .eventMask, .lowEnergyHostSupport, .lowEnergyEventMask, .suggestedDataLength, .randomAddress:
            true
        }
    }

    private mutating func read<Returned>(_ returned: Returned?, _ body: (inout Self, Returned) -> Void) -> Bool {
        guard let returned else { return false }
        body(&self, returned)
        return true
    }

    /// A length of 0 means that LE shares the buffers of BR/EDR (Core 5.4, Vol 4, Part E, 7.8.2).
    private mutating func setBuffers(length: UInt16, count: UInt16) {
        capabilities.dataLength = max(Int(length), 27)
        capabilities.dataPackets = length == 0 ? 0 : Int(count)
    }

    private var finalCapabilities: LEHostCapabilities {
        var final = capabilities
        final.hasExtendedAdvertising = hasExtendedAdvertising
        // Not without the feature: legacy and extended commands must not be mixed.
        final.hasExtendedScanning =
            hasExtendedAdvertising && supports(LESetExtendedScanParameters.opcode)
            && supports(LESetExtendedScanEnable.opcode)
        final.hasExtendedConnecting = hasExtendedAdvertising && supports(LEExtendedCreateConnection.opcode)
        // Core 5.0 removed the limit of 100 ms (Core 4.2, Vol 2, Part E, 7.8.5).
        if final.version.rawValue >= CoreVersion.core50.rawValue, quirk == nil {
            final.shortestNonConnectableInterval = AdvertisingInterval(0x0020)
        }
        final.dataPackets = max(final.dataPackets, 1)
        return final
    }
}

/// The steps of a controller's initialisation, in their order.
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
    case position

    /// The step's command if a controller need not support it.
    var optionalCommand: HCIOpcode? {
        switch self {
        case .reset, .version, .supportedCommands, .eventMask, .lowEnergyBuffers, .lowEnergyFeatures,
            .lowEnergyEventMask, .features, .address, .position:
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

    /// Whether the controller can be used although the step failed.
    var isOptional: Bool { self != .reset && self != .lowEnergyBuffers }
}
