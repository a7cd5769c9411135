// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

/// Which events a controller is asked for.
enum EventMasks {
    /// All that a controller sends unless it is told otherwise, new keys of encrypted links, and the LE meta events.
    static let all: EventMask = [
        .initial, EventMask(eventCode: EncryptionKeyRefreshComplete.eventCode), .lowEnergyMeta,
    ]

    /// The LE events that this host has a use for, as far as the controller has them.
    static func lowEnergy(_ state: Initialisation) -> LEEventMask {
        var mask = LEEventMask.initial
        func add<Event: LEMetaEvent>(_: Event.Type) { mask.insert(LEEventMask(subeventCode: Event.subeventCode)) }
        if state.supports(LERemoteConnectionParameterRequestReply.opcode) {
            add(LERemoteConnectionParameterRequest.self)
        }
        if state.supports(LESetDataLength.opcode) { add(LEDataLengthChange.self) }
        if state.capabilities.version.rawValue >= CoreVersion.core42.rawValue {
            add(LEEnhancedConnectionComplete.self)
        }
        if state.supports(LESetExtendedScanParameters.opcode) { add(LEExtendedAdvertisingReport.self) }
        if state.supports(LESetExtendedAdvertisingParameters.opcode) { add(LEAdvertisingSetTerminated.self) }
        return mask
    }
}
