// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// Features of an LE controller, one bit each (Core 5.4, Vol 6, Part B, 4.6).
package struct LEFeatures: HCIFlags {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Encrypted connections.
    package static let encryption = LEFeatures(rawValue: 1 << 0)
    /// Connection parameters request in the link layer.
    package static let connectionParametersRequest = LEFeatures(rawValue: 1 << 1)
    /// LL_REJECT_EXT_IND.
    package static let extendedReject = LEFeatures(rawValue: 1 << 2)
    /// The peripheral may request the central's features.
    package static let peripheralInitiatedFeaturesExchange = LEFeatures(rawValue: 1 << 3)
    /// LE Ping.
    package static let ping = LEFeatures(rawValue: 1 << 4)
    /// Packets of more than 27 bytes.
    package static let dataPacketLengthExtension = LEFeatures(rawValue: 1 << 5)
    /// Resolvable private addresses in the link layer.
    package static let privacy = LEFeatures(rawValue: 1 << 6)
    /// Scanning filter policies for directed advertisements to resolvable private addresses.
    package static let extendedScanningFilterPolicies = LEFeatures(rawValue: 1 << 7)
    /// LE 2M PHY.
    package static let twoMegabitPHY = LEFeatures(rawValue: 1 << 8)
    /// LE Coded PHY.
    package static let codedPHY = LEFeatures(rawValue: 1 << 11)
    /// Extended advertising.
    package static let extendedAdvertising = LEFeatures(rawValue: 1 << 12)
    /// Periodic advertising.
    package static let periodicAdvertising = LEFeatures(rawValue: 1 << 13)
    /// Channel selection algorithm 2.
    package static let channelSelectionAlgorithm2 = LEFeatures(rawValue: 1 << 14)
}

/// Features of a BR/EDR controller, page 0 (Core 5.4, Vol 2, Part C, 3.3).
package struct LMPFeatures: HCIFlags {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Encrypted connections.
    package static let encryption = LMPFeatures(rawValue: 1 << 2)
    /// Inquiry scan on all hops.
    package static let enhancedInquiryScan = LMPFeatures(rawValue: 1 << 27)
    /// Interlaced inquiry scan.
    package static let interlacedInquiryScan = LMPFeatures(rawValue: 1 << 28)
    /// Interlaced page scan.
    package static let interlacedPageScan = LMPFeatures(rawValue: 1 << 29)
    /// Inquiry results with RSSI.
    package static let inquiryResultsWithRSSI = LMPFeatures(rawValue: 1 << 30)
    /// The controller does not support BR/EDR.
    package static let noClassicRadio = LMPFeatures(rawValue: 1 << 37)
    /// The controller supports LE.
    package static let lowEnergy = LMPFeatures(rawValue: 1 << 38)
    /// Encryption can be paused.
    package static let pauseEncryption = LMPFeatures(rawValue: 1 << 42)
    /// Extended inquiry response.
    package static let extendedInquiryResponse = LMPFeatures(rawValue: 1 << 48)
    /// LE and BR/EDR at the same time.
    package static let simultaneousRadios = LMPFeatures(rawValue: 1 << 49)
    /// Secure Simple Pairing, in the controller.
    package static let simplePairing = LMPFeatures(rawValue: 1 << 51)
    /// Encapsulated PDU.
    package static let encapsulatedPDU = LMPFeatures(rawValue: 1 << 52)
    /// Reporting of erroneous data.
    package static let erroneousDataReporting = LMPFeatures(rawValue: 1 << 53)
    /// The power of inquiries can be changed.
    package static let variableInquiryPower = LMPFeatures(rawValue: 1 << 57)
    /// There are further pages of features.
    package static let furtherPages = LMPFeatures(rawValue: 1 << 63)
}

/// Combinations of states and roles that a controller supports (Core 5.4, Vol 4, Part E, 7.8.27).
package struct LESupportedStates: HCIFlags {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// All combinations of Core 5.4: bits 0 to 41.
    package static let all = LESupportedStates(rawValue: 0x03FF_FFFF_FFFF)
}

/// The commands that a controller supports: 64 bytes, one bit each (Core 5.4, Vol 4, Part E, 6.27).
package struct SupportedCommands: WireCodable, Hashable {
    /// The bits, 64 bytes.
    package private(set) var octets: [UInt8]

    /// No command.
    package init() { octets = [UInt8](repeating: 0, count: 64) }

    /// These commands; those without a known bit are left out.
    package init(_ opcodes: some Sequence<HCIOpcode>) {
        self.init()
        for opcode in opcodes {
            guard let place = HCICommands.definitions[opcode]?.supportedBit else { continue }
            octets[place.octet] |= 1 << place.bit
        }
    }

    /// Whether the controller supports a command; `nil` for a command without a known bit.
    package func contains(_ opcode: HCIOpcode) -> Bool? {
        guard let place = HCICommands.definitions[opcode]?.supportedBit else { return nil }
        return octets[place.octet] >> place.bit & 1 == 1
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        octets = Array(try reader.read(count: 64))
    }

    package func serialize(into writer: inout ByteWriter) { writer.write(octets) }
}

/// Events that a controller may send, page 1: one bit each (Core 5.4, Vol 4, Part E, 7.3.1).
///
/// HCI_Command_Complete, HCI_Command_Status and HCI_Number_Of_Completed_Packets have no bit: they are always sent.
package struct EventMask: HCIFlags {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The bit of an event code from 0x01 to 0x40; empty for others.
    package init(eventCode: UInt8) { rawValue = 1...0x40 ~= eventCode ? 1 << UInt64(eventCode - 1) : 0 }

    /// The default: without LE meta events.
    package static let initial = EventMask(rawValue: 0x0000_1FFF_FFFF_FFFF)
    /// All LE meta events; `LEEventMask` selects among them.
    package static let lowEnergyMeta = EventMask(eventCode: HCIEventPacket.lowEnergyMetaCode)
}

/// Events that a controller may send, page 2: one bit each (Core 5.4, Vol 4, Part E, 7.3.69).
package struct EventMaskPage2: HCIFlags {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The bit of an event code from 0x40 to 0x7F; empty for others.
    package init(eventCode: UInt8) { rawValue = 0x40...0x7F ~= eventCode ? 1 << UInt64(eventCode - 0x40) : 0 }
}

/// LE meta events that a controller may send: one bit each (Core 5.4, Vol 4, Part E, 7.8.1).
package struct LEEventMask: HCIFlags {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The bit of a subevent code from 0x01 to 0x40; empty for others.
    package init(subeventCode: UInt8) { rawValue = 1...0x40 ~= subeventCode ? 1 << UInt64(subeventCode - 1) : 0 }

    /// The default: subevents 0x01 to 0x05.
    package static let initial = LEEventMask(rawValue: 0x1F)
}
