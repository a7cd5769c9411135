// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

extension CommandTable {
    /// Direct test mode, versions 1 and 2 (Core 5.4, Vol 4, Part E, 7.8.28 to 7.8.30).
    static var directTestCommands: [CommandHandler] {
        [
            .completing(LEReceiverTest.self) { air, controller, command throws(HCIStatus) in
                try air.startTest(controller, .receiver(packets: 0), channel: command.channel, phy: 1)
            },
            .completing(LEReceiverTestV2.self) { air, controller, command throws(HCIStatus) in
                guard command.modulationIndex <= 1 else { throw .invalidCommandParameters }
                try air.startTest(
                    controller, .receiver(packets: 0), channel: command.channel, phy: try testPHY(command.phy, last: 3))
            },
            .completing(LETransmitterTest.self) { air, controller, command throws(HCIStatus) in
                guard command.payload <= 7 else { throw .invalidCommandParameters }
                try air.startTest(controller, .transmitter(length: command.length), channel: command.channel, phy: 1)
            },
            .completing(LETransmitterTestV2.self) { air, controller, command throws(HCIStatus) in
                guard command.payload <= 7 else { throw .invalidCommandParameters }
                try air.startTest(
                    controller, .transmitter(length: command.length), channel: command.channel,
                    phy: try testPHY(command.phy, last: 4))
            },
            .returning(LETestEnd.self) { air, controller, _ throws(HCIStatus) in
                guard let packets = air.endTest(controller) else { throw .commandDisallowed }
                return .init(packets: UInt16(clamping: packets))
            },
        ]
    }

    /// 1M or 2M: Coded is not there.
    private static func testPHY(_ phy: PHY, last: UInt8) throws(HCIStatus) -> UInt8 {
        guard 1...last ~= phy.rawValue else { throw .invalidCommandParameters }
        guard phy.rawValue <= 2 else { throw .unsupportedFeatureOrParameterValue }
        return phy.rawValue
    }
}
