// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Radio
package import Receiving
package import Space

/// The scan of a receiver as JSON, with the keys of profiles.
package struct ReceiverScan: Codable, Hashable, Sendable {
    /// Whether it sends scan requests.
    package let active: Bool
    /// The receiving time in each interval, `30ms`; absent if it is not known.
    package let window: String?
    /// The time from one window to the next, `40ms`; absent if it is not known.
    package let interval: String?

    package init(active: Bool, window: String? = nil, interval: String? = nil) {
        self.active = active
        self.window = window
        self.interval = interval
    }

    init(_ parameters: ScanParameters) {
        self.init(
            active: parameters.isActive, window: DeviceWriter.text(parameters.window),
            interval: DeviceWriter.text(parameters.interval))
    }
}

/// What is known of a receiver that scans within the run.
package struct ListenerRecord: Hashable, Sendable {
    package let scan: ReceiverScan?
    package let isListening: Bool
    package let phone: PhoneModel
    package let screen: String
    package let bluetooth: String
    package let permission: String
    package let hardware: ReceiverHardware
    package let problem: String?
    /// Where its estimator has it; `nil` without one, and before its first estimate.
    package let estimate: EstimateRecord?
}
