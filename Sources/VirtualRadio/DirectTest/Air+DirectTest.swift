// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

extension Air {
    /// Begins a test; no controller does anything else meanwhile.
    mutating func startTest(
        _ controller: Int, _ role: DirectTest.Role, channel: UInt8, phy: UInt8
    ) throws(HCIStatus) {
        guard DirectTest.channels.contains(channel) else { throw .invalidCommandParameters }
        guard isIdle(controller) else { throw .commandDisallowed }
        controllers[controller].host.test = DirectTest(channel: channel, phy: phy, start: now, role: role)
    }

    /// Ends a controller's test.
    /// - Returns: how many packets it received; `nil` when there was no test.
    @discardableResult
    mutating func endTest(_ controller: Int) -> Int? {
        guard let test = controllers[controller].host.test else { return nil }
        controllers[controller].host.test = nil
        guard case .receiver(let packets) = test.role else {
            creditReceivers(of: test)
            return 0
        }
        return controllers.reduce(packets) { $0 + ($1.host.test?.packets(receivedBy: test, until: now) ?? 0) }
    }

    private mutating func creditReceivers(of transmitter: DirectTest) {
        for index in controllers.indices {
            guard var receiver = controllers[index].host.test, case .receiver(let packets) = receiver.role else {
                continue
            }
            receiver.role = .receiver(packets: packets + transmitter.packets(receivedBy: receiver, until: now))
            controllers[index].host.test = receiver
        }
    }

    /// Whether a controller neither advertises, scans, connects nor is connected, and no test runs.
    func isIdle(_ controller: Int) -> Bool {
        let host = controllers[controller].host
        return host.links.isEmpty && host.test == nil && !isScanning(controller) && !isInitiating(controller)
            && !host.sets.contains { sets[Int($0)].isEnabled }
    }
}
