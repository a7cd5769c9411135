// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Which events a controller may send, page 1: a bit each (Core 5.4, Vol 4, Part E, 7.3.1).
///
/// HCI_Command_Complete, HCI_Command_Status and HCI_Number_Of_Completed_Packets have no bit: they are always sent.
package struct EventMask: HCIFlags {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The bit of an event code from 0x01 to 0x40; empty for others.
    package init(eventCode: UInt8) { rawValue = 1...0x40 ~= eventCode ? 1 << UInt64(eventCode - 1) : 0 }

    /// Until a host says otherwise: without LE meta events.
    package static let initial = EventMask(rawValue: 0x0000_1FFF_FFFF_FFFF)
    /// All LE meta events, which have a mask of their own too.
    package static let lowEnergyMeta = EventMask(eventCode: HCIEventPacket.lowEnergyMetaCode)
}

/// Which events a controller may send, page 2: a bit each (Core 5.4, Vol 4, Part E, 7.3.69).
package struct EventMaskPage2: HCIFlags {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The bit of an event code from 0x40 to 0x7F; empty for others.
    package init(eventCode: UInt8) { rawValue = 0x40...0x7F ~= eventCode ? 1 << UInt64(eventCode - 0x40) : 0 }
}

/// Which LE meta events a controller may send: a bit each (Core 5.4, Vol 4, Part E, 7.8.1).
package struct LEEventMask: HCIFlags {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The bit of a subevent code from 0x01 to 0x40; empty for others.
    package init(subeventCode: UInt8) { rawValue = 1...0x40 ~= subeventCode ? 1 << UInt64(subeventCode - 1) : 0 }

    /// Until a host says otherwise: subevents 0x01 to 0x05.
    package static let initial = LEEventMask(rawValue: 0x1F)
}
