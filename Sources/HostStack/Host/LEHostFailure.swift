// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import BluetoothCore
package import HCI

/// Why something that a host was asked for did not come about.
package enum LEHostFailure: Error, Hashable, Sendable {
    /// The controller refused this command.
    case command(HCIOpcode, HCIStatus)
    /// The controller did not answer this command in time.
    case unanswered(HCIOpcode, after: Duration)
    /// The controller's answer to this command cannot be read.
    case unreadable(HCIOpcode)
    /// The controller reports that its hardware failed, with its maker's code.
    case hardware(code: UInt8)
    /// The controller has so many advertising sets only.
    case tooManyAdvertisingSets(limit: Int)
    /// No controller can send this.
    case malformed([Advertisement.Problem])
    /// The address is not a static random one.
    case notStaticRandom(BluetoothAddress)
    /// The controller has no public address of its own.
    case noPublicAddress
    /// The parameters are out of range.
    case invalidParameters
    /// The peer did not answer in time.
    case timedOut
    /// The owner took the request back.
    case cancelled
    /// The connection could not be made, or ended, for this reason.
    case connection(HCIStatus)
    /// The controller was lost or started anew.
    case restarted
    /// Too much is waiting already.
    case busy

    /// Whether the controller did not answer at all.
    var isSilence: Bool {
        if case .unanswered = self { true } else { false }
    }
}
