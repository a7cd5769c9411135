// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

/// The direct tests of all controllers: sending or counting test packets on one channel (Core 5.4, Vol 6, Part F).
///
/// Packets are not simulated one by one: when a transmitter or a receiver ends, the packets that the receiver has received
/// from that transmitter until then are computed.
struct DirectTests: Sendable {
    /// By the index of the controller.
    private var tests: [Int: DirectTest] = [:]

    /// Removes the test of the controller that had the index before.
    mutating func addController(_ index: Int) { tests[index] = nil }

    func isRunning(_ controller: Int) -> Bool { tests[controller] != nil }

    /// Starts a test on an idle controller.
    fileprivate mutating func start(_ test: DirectTest, on controller: Int) { tests[controller] = test }

    /// Ends a controller's test.
    /// - Returns: the number of received packets, 0 for a transmitter; `nil` if no test was running.
    @discardableResult
    mutating func end(_ controller: Int, at now: AirTime) -> Int? {
        guard let test = tests.removeValue(forKey: controller) else { return nil }
        guard case .receiver(let packets) = test.role else {
            for index in tests.keys { tests[index]?.count(packetsOf: test, until: now) }
            return 0
        }
        return tests.values.reduce(packets) { $0 + $1.packets(receivedBy: test, until: now) }
    }
}

/// A direct test of one controller.
private struct DirectTest: Hashable, Sendable {
    enum Role: Hashable, Sendable {
        /// Sends packets with a payload of `length` bytes.
        case transmitter(length: UInt8)
        /// Has received `packets` of transmitters whose tests have ended.
        case receiver(packets: Int)
    }

    static let channels: ClosedRange<UInt8> = 0...39

    /// 0 to 39.
    let channel: UInt8
    /// 1 or 2.
    let phy: UInt8
    let start: AirTime
    private(set) var role: Role

    /// Airtime of a test packet in microseconds: preamble, access address, header, payload and CRC (Core 5.4, Vol 6, Part F,
    /// 4.1.5).
    private static func duration(length: UInt8, phy: UInt8) -> Int64 {
        phy == 2 ? (11 + Int64(length)) * 4 : (10 + Int64(length)) * 8
    }

    /// Time between the starts of two packets in microseconds: a multiple of 625 that leaves 249 free (Core 5.4, Vol 6,
    /// Part F, 4.1.6).
    private static func interval(length: UInt8, phy: UInt8) -> Int64 {
        (duration(length: length, phy: phy) + 249 + 624) / 625 * 625
    }

    /// Adds the packets of a transmitter that ends to those that this receiver has received; no effect on a transmitter.
    mutating func count(packetsOf transmitter: DirectTest, until now: AirTime) {
        guard case .receiver(let packets) = role else { return }
        role = .receiver(packets: packets + transmitter.packets(receivedBy: self, until: now))
    }

    /// The number of complete packets of this transmitter that a receiver has received; 0 if channel or PHY differ.
    func packets(receivedBy receiver: DirectTest, until now: AirTime) -> Int {
        guard case .transmitter(let length) = role, case .receiver = receiver.role, receiver.channel == channel,
            receiver.phy == phy
        else { return 0 }
        let interval = Self.interval(length: length, phy: phy)
        let missed = max(0, receiver.start - start)
        let first = (missed + interval - 1) / interval
        let latestStart = now - start - Self.duration(length: length, phy: phy)
        return latestStart < 0 ? 0 : max(0, Int(latestStart / interval - first) + 1)
    }
}

// MARK: - Commands

extension Air {
    /// Starts a test; it excludes all other activities of a controller.
    fileprivate mutating func startTest(
        _ controller: Int, _ role: DirectTest.Role, channel: UInt8, phy: UInt8
    ) throws(HCIStatus) {
        guard DirectTest.channels.contains(channel) else { throw .invalidCommandParameters }
        guard isIdle(controller) else { throw .commandDisallowed }
        tests.start(DirectTest(channel: channel, phy: phy, start: now, role: role), on: controller)
    }
}

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
                guard let packets = air.tests.end(controller, at: air.now) else { throw .commandDisallowed }
                return .init(packets: UInt16(clamping: packets))
            },
        ]
    }

    /// LE 1M or LE 2M; LE Coded is not supported.
    private static func testPHY(_ phy: PHY, last: UInt8) throws(HCIStatus) -> UInt8 {
        guard 1...last ~= phy.rawValue else { throw .invalidCommandParameters }
        guard phy.rawValue <= 2 else { throw .unsupportedFeatureOrParameterValue }
        return phy.rawValue
    }
}
