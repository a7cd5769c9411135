// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import Emulator
package import Radio

/// A warning of a command: a stable code, a sentence and a hint. Its text goes to standard error.
package struct Notice: Encodable, Report {
    private let event = "warning"
    private let time = Timestamp.now
    package let code: String
    package let message: String
    package let hint: String

    package init(code: String, message: String, hint: String) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// A warning of a run.
    /// - Parameter beacon: the beacon that it is about; `nil` for others.
    package init(_ warning: Warning, of beacon: String? = nil) {
        self.init(
            code: warning.code, message: (beacon.map { "\($0): " } ?? "") + warning.message, hint: warning.hint)
    }

    /// What a radio cannot receive or do.
    package init(_ limit: ReceivingCapabilities.Limit) {
        self.init(code: limit.subject.rawValue, message: limit.reason, hint: limit.hint)
    }

    package static var textStream: Output.Stream { .notes }
    package var lines: [String] { ["warning: \(message) [\(code)]; \(hint)"] }
}

/// The last packet of `--replay` was sent. Its text goes to standard error.
struct ReplayEndNotice: Encodable, Report {
    private let event = "replay-ended"
    private let time = Timestamp.now
    private let packets: Int

    init(packets: Int) { self.packets = packets }

    static var textStream: Output.Stream { .notes }
    var lines: [String] { ["the replay has ended: \(Formatting.count(packets, "packet")) sent"] }
}

/// The radio that a command receives with. Its text goes to standard error.
package struct ListeningNotice: Encodable, Report {
    private let event = "listening"
    private let time = Timestamp.now
    private let radio: String
    private let way: String
    /// The adapter's own address; absent where it has none.
    private let address: String?

    package init(_ capabilities: ReceivingCapabilities) {
        radio = capabilities.name
        way = capabilities.way
        address = capabilities.address?.description
    }

    package static var textStream: Output.Stream { .notes }
    package var lines: [String] { ["listening on \(radio), by \(way)"] }
}
