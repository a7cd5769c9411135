// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

/// Which events a host wants (Core 5.4, Vol 4, Part E, 7.3.1 and 7.8.1).
struct EventMasks: Hashable, Sendable {
    var events = EventMask.initial
    var lowEnergyEvents = LEEventMask.initial

    /// Those that cannot be masked.
    private static let unmaskable: EventMask = [
        EventMask(eventCode: HCICommandComplete.eventCode), EventMask(eventCode: CommandStatus.eventCode),
        EventMask(eventCode: NumberOfCompletedPackets.eventCode),
    ]

    /// Whether events of this code pass.
    func allows(event code: UInt8) -> Bool {
        !events.union(Self.unmaskable).isDisjoint(with: EventMask(eventCode: code))
    }

    /// Whether LE meta events of this subevent code pass.
    func allows(lowEnergy subevent: UInt8) -> Bool {
        events.contains(.lowEnergyMeta) && !lowEnergyEvents.isDisjoint(with: LEEventMask(subeventCode: subevent))
    }
}
