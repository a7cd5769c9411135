// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// Why a request to a peer, or a procedure of several, came to nothing.
package enum ATTClientError: Error, Hashable, Sendable {
    /// The server says so, of this attribute.
    case refused(ATTError, AttributeHandle)
    /// The response cannot be one.
    case malformedResponse
    /// The server did not answer within 30 seconds; the bearer is of no use any more.
    case timedOut
    /// The bearer was of no use already, or the link is gone.
    case closed
    /// Too many requests wait already.
    case tooManyRequests
    /// What is to be sent does not fit into a PDU, or into a value.
    case tooLong
    /// What was prepared came back changed, so it was not written.
    case preparedValueMismatch
}
