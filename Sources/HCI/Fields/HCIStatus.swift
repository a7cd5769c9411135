// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// A controller error code; 0 is success (Core 5.4, Vol 1, Part F).
package struct HCIStatus: HCICode, Error {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
}

// The codes that are used; `names` has all of them.

extension HCIStatus {
    /// The command succeeded.
    package static let success = HCIStatus(rawValue: 0x00)
    /// The controller does not know the command.
    package static let unknownCommand = HCIStatus(rawValue: 0x01)
    /// There is no such connection, or advertising set.
    package static let unknownConnectionIdentifier = HCIStatus(rawValue: 0x02)
    /// The controller is broken.
    package static let hardwareFailure = HCIStatus(rawValue: 0x03)
    /// The peer did not answer a page.
    package static let pageTimeout = HCIStatus(rawValue: 0x04)
    /// Pairing or authentication failed.
    package static let authenticationFailure = HCIStatus(rawValue: 0x05)
    /// The peer has no key for this connection.
    package static let pinOrKeyMissing = HCIStatus(rawValue: 0x06)
    /// The controller has no memory for this.
    package static let memoryCapacityExceeded = HCIStatus(rawValue: 0x07)
    /// No packet of the peer arrived during the supervision timeout.
    package static let connectionTimeout = HCIStatus(rawValue: 0x08)
    /// The controller supports no more connections.
    package static let connectionLimitExceeded = HCIStatus(rawValue: 0x09)
    /// A connection to this device exists already.
    package static let connectionAlreadyExists = HCIStatus(rawValue: 0x0B)
    /// The command is not allowed in the present state.
    package static let commandDisallowed = HCIStatus(rawValue: 0x0C)
    /// The peer has no resources for the connection.
    package static let rejectedLimitedResources = HCIStatus(rawValue: 0x0D)
    /// A parameter value or the requested feature is not supported.
    package static let unsupportedFeatureOrParameterValue = HCIStatus(rawValue: 0x11)
    /// A parameter is out of its range.
    package static let invalidCommandParameters = HCIStatus(rawValue: 0x12)
    /// The peer's user ended the connection.
    package static let remoteUserTerminatedConnection = HCIStatus(rawValue: 0x13)
    /// The peer ended the connection due to low resources.
    package static let remoteDeviceTerminatedLowResources = HCIStatus(rawValue: 0x14)
    /// The peer ended the connection because it powers off.
    package static let remoteDeviceTerminatedPowerOff = HCIStatus(rawValue: 0x15)
    /// This host ended the connection.
    package static let connectionTerminatedByLocalHost = HCIStatus(rawValue: 0x16)
    /// The attempt came too soon after a failed authentication.
    package static let repeatedAttempts = HCIStatus(rawValue: 0x17)
    /// The peer does not support a feature.
    package static let unsupportedRemoteFeature = HCIStatus(rawValue: 0x1A)
    /// No other code fits.
    package static let unspecifiedError = HCIStatus(rawValue: 0x1F)
    /// The peer did not answer a procedure of the link in time.
    package static let lmpOrLLResponseTimeout = HCIStatus(rawValue: 0x22)
    /// The controller cannot execute the command now.
    package static let controllerBusy = HCIStatus(rawValue: 0x3A)
    /// The peer does not accept these connection parameters.
    package static let unacceptableConnectionParameters = HCIStatus(rawValue: 0x3B)
    /// Advertising ended after its duration without a connection.
    package static let advertisingTimeout = HCIStatus(rawValue: 0x3C)
    /// A packet's integrity check failed.
    package static let connectionTerminatedMICFailure = HCIStatus(rawValue: 0x3D)
    /// The peer did not answer the first packets.
    package static let connectionFailedToBeEstablished = HCIStatus(rawValue: 0x3E)
    /// There is no such advertising set or sync.
    package static let unknownAdvertisingIdentifier = HCIStatus(rawValue: 0x42)
    /// The limit of advertising events was reached.
    package static let limitReached = HCIStatus(rawValue: 0x43)
    /// The host cancelled the operation.
    package static let operationCancelledByHost = HCIStatus(rawValue: 0x44)
    /// The data does not fit into the packets of the set.
    package static let packetTooLong = HCIStatus(rawValue: 0x45)
    /// The operation came too early.
    package static let tooEarly = HCIStatus(rawValue: 0x47)
}

extension HCIStatus: CustomStringConvertible {
    /// The specification's name and the code: `connection timeout (0x08)`.
    package var description: String {
        "\(Self.names[rawValue] ?? "unnamed status") (0x\(Hexadecimal.string([rawValue]).uppercased()))"
    }

    private static let names: [UInt8: String] = [
        0x00: "success",
        0x01: "unknown HCI command",
        0x02: "unknown connection identifier",
        0x03: "hardware failure",
        0x04: "page timeout",
        0x05: "authentication failure",
        0x06: "PIN or key missing",
        0x07: "memory capacity exceeded",
        0x08: "connection timeout",
        0x09: "connection limit exceeded",
        0x0A: "synchronous connection limit to a device exceeded",
        0x0B: "connection already exists",
        0x0C: "command disallowed",
        0x0D: "connection rejected due to limited resources",
        0x0E: "connection rejected due to security reasons",
        0x0F: "connection rejected due to unacceptable BD_ADDR",
        0x10: "connection accept timeout exceeded",
        0x11: "unsupported feature or parameter value",
        0x12: "invalid HCI command parameters",
        0x13: "remote user terminated connection",
        0x14: "remote device terminated connection due to low resources",
        0x15: "remote device terminated connection due to power off",
        0x16: "connection terminated by local host",
        0x17: "repeated attempts",
        0x18: "pairing not allowed",
        0x19: "unknown LMP PDU",
        0x1A: "unsupported remote feature",
        0x1B: "SCO offset rejected",
        0x1C: "SCO interval rejected",
        0x1D: "SCO air mode rejected",
        0x1E: "invalid LMP or LL parameters",
        0x1F: "unspecified error",
        0x20: "unsupported LMP or LL parameter value",
        0x21: "role change not allowed",
        0x22: "LMP or LL response timeout",
        0x23: "LMP error transaction collision or LL procedure collision",
        0x24: "LMP PDU not allowed",
        0x25: "encryption mode not acceptable",
        0x26: "link key cannot be changed",
        0x27: "requested QoS not supported",
        0x28: "instant passed",
        0x29: "pairing with unit key not supported",
        0x2A: "different transaction collision",
        0x2C: "QoS unacceptable parameter",
        0x2D: "QoS rejected",
        0x2E: "channel classification not supported",
        0x2F: "insufficient security",
        0x30: "parameter out of mandatory range",
        0x32: "role switch pending",
        0x34: "reserved slot violation",
        0x35: "role switch failed",
        0x36: "extended inquiry response too large",
        0x37: "secure simple pairing not supported by host",
        0x38: "host busy - pairing",
        0x39: "connection rejected due to no suitable channel found",
        0x3A: "controller busy",
        0x3B: "unacceptable connection parameters",
        0x3C: "advertising timeout",
        0x3D: "connection terminated due to MIC failure",
        0x3E: "connection failed to be established",
        0x3F: "MAC connection failed",
        0x40: "coarse clock adjustment rejected but will try to adjust using clock dragging",
        0x41: "type0 submap not defined",
        0x42: "unknown advertising identifier",
        0x43: "limit reached",
        0x44: "operation cancelled by host",
        0x45: "packet too long",
        0x46: "too late",
        0x47: "too early",
    ]
}
