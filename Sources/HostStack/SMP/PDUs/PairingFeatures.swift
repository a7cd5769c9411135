// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore
import HCI

/// What a Pairing Request or a Pairing Response says of its sender (Core 5.4, Vol 3, Part H, 3.5.1 and 3.5.2).
package struct PairingFeatures: WireCodable, Hashable {
    /// What it can show and be told.
    package var inputOutput: InputOutputCapability
    /// 1 when it has data of the other that came another way than over the air, else 0.
    package var outOfBandData: UInt8
    /// What it wants.
    package var requirements: AuthenticationRequirements
    /// The longest key that it takes, in octets: 7 to 16.
    package var maximumKeySize: UInt8
    /// The keys that the initiator is to send.
    package var initiatorKeys: KeyDistribution
    /// The keys that the responder is to send.
    package var responderKeys: KeyDistribution

    /// Features of these values.
    package init(
        inputOutput: InputOutputCapability, outOfBandData: UInt8 = 0, requirements: AuthenticationRequirements,
        maximumKeySize: UInt8 = 16, initiatorKeys: KeyDistribution, responderKeys: KeyDistribution
    ) {
        self.inputOutput = inputOutput
        self.outOfBandData = outOfBandData
        self.requirements = requirements
        self.maximumKeySize = maximumKeySize
        self.initiatorKeys = initiatorKeys
        self.responderKeys = responderKeys
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        inputOutput = try InputOutputCapability(parsing: &reader)
        outOfBandData = try reader.readUInt8()
        requirements = try AuthenticationRequirements(parsing: &reader)
        maximumKeySize = try reader.readUInt8()
        initiatorKeys = try KeyDistribution(parsing: &reader)
        responderKeys = try KeyDistribution(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        inputOutput.serialize(into: &writer)
        writer.write(outOfBandData)
        requirements.serialize(into: &writer)
        writer.write(maximumKeySize)
        initiatorKeys.serialize(into: &writer)
        responderKeys.serialize(into: &writer)
    }

    /// Whether every field has a value that the specification allows.
    var isAllowed: Bool { inputOutput.isKnown && outOfBandData <= 1 && 7...16 ~= maximumKeySize }
}
