// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

extension LEHost {
    /// Sends the present step's command, or that of the first step behind it which is for this controller.
    mutating func continueInitialisation() {
        guard case .initialising(var state) = phase else { return }
        let steps = InitialisationStep.allCases
        while !state.wants(state.step, configuration) {
            guard let next = steps.drop(while: { $0 != state.step }).dropFirst().first else {
                return finishStart(state)
            }
            state.step = next
        }
        phase = .initialising(state)
        sendCommand(of: state)
    }

    private mutating func sendCommand(of state: Initialisation) {
        let then = CommandContinuation.initialisation(state.step)
        switch state.step {
        case .reset: send(HCIReset(), then: then)
        case .version: send(ReadLocalVersionInformation(), then: then)
        case .supportedCommands: send(ReadLocalSupportedCommands(), then: then)
        case .features: send(ReadLocalSupportedFeatures(), then: then)
        case .address: send(ReadBDADDR(), then: then)
        case .eventMask: send(SetEventMask(eventMask: EventMasks.all), then: then)
        case .lowEnergyHostSupport: send(WriteLEHostSupport(supportedHost: 1), then: then)
        case .lowEnergyBuffers: send(LEReadBufferSize(), then: then)
        case .sharedBuffers: send(ReadBufferSize(), then: then)
        case .lowEnergyFeatures: send(LEReadLocalSupportedFeatures(), then: then)
        case .lowEnergyEventMask: send(LESetEventMask(eventMask: EventMasks.lowEnergy(state)), then: then)
        case .advertisingSets: send(LEReadNumberOfSupportedAdvertisingSets(), then: then)
        case .advertisingDataLength: send(LEReadMaximumAdvertisingDataLength(), then: then)
        case .maximumDataLength: send(LEReadMaximumDataLength(), then: then)
        case .suggestedDataLength: sendSuggestedDataLength(state, then: then)
        case .transmitPowerRange: send(LEReadTransmitPower(), then: then)
        case .advertisingPower: send(LEReadAdvertisingPhysicalChannelTransmitPower(), then: then)
        case .randomAddress:
            prepareCentralAddress()
            send(LESetRandomAddress(randomAddress: centralRandomAddress ?? .zero), then: then)
        }
    }

    private mutating func sendSuggestedDataLength(_ state: Initialisation, then: CommandContinuation) {
        let octets = UInt16(state.capabilities.maximumLinkPayload)
        send(
            LEWriteSuggestedDefaultDataLength(
                suggestedMaximumTransmitOctets: octets, suggestedMaximumTransmitTime: Self.airTime(octets)),
            then: then)
    }

    /// Microseconds on LE 1M of a packet with so many octets, its 14 octets of frame and integrity check included.
    static func airTime(_ octets: UInt16) -> Microseconds { Microseconds(UInt32(octets + 14) * 8) }

    /// Takes the answer of a step.
    mutating func finish(_ step: InitialisationStep, _ reply: CommandReply) {
        guard case .initialising(var state) = phase, state.step == step else { return }
        if let failure = reply.failure {
            guard step.isOptional, !failure.isSilence else { return fail(failure) }
        } else if !state.learn(reply) {
            guard step.isOptional else { return fail(.unreadable(reply.opcode)) }
            emit(.commandFailed(.unreadable(reply.opcode)))
        }
        guard let next = InitialisationStep.allCases.drop(while: { $0 != step }).dropFirst().first else {
            return finishStart(state)
        }
        state.step = next
        phase = .initialising(state)
        continueInitialisation()
    }

    private mutating func finishStart(_ state: Initialisation) {
        let capabilities = state.finalCapabilities
        self.capabilities = capabilities
        phase = .ready
        dataCredits = DataCredits(packets: capabilities.dataPackets)
        if !capabilities.hasExtendedAdvertising {
            legacy = LegacyAdvertiser(dwell: configuration.legacyDwell, seed: configuration.seed)
        }
        emit(.ready(capabilities))
        continueAdvertising()
        continueScanning()
        continueConnecting()
    }

    /// Ends the use of this controller, until it is started anew.
    mutating func fail(_ failure: LEHostFailure) {
        phase = .failed
        commands = CommandQueue()
        emit(.failed(failure))
    }
}
