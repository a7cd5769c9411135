// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import Space

/// When data crosses a connection.
package enum ConnectionTiming: Hashable, Sendable {
    /// In connection events, with as much airtime as they have.
    case spec
    /// At once; also the procedures of the link.
    case immediate
}

/// The configuration of a whole air.
package struct AirConfiguration: Hashable, Sendable {
    /// The seed of all random numbers: the same seed and the same inputs give the same bytes.
    package var seed: UInt64
    /// When data crosses a connection.
    package var timing: ConnectionTiming
    /// The RSSI of packets, and which are received.
    package var propagation: Propagation
    /// The number of advertising reports queued for a slow host; beyond it the oldest is dropped.
    package var reportLimit: Int
    /// The number of other packets queued for a slow host; beyond it the controller accepts no input for that host.
    package var packetLimit: Int

    /// A configuration with the timing of the specification by default.
    package init(
        seed: UInt64 = 0, timing: ConnectionTiming = .spec, propagation: Propagation = Propagation(),
        reportLimit: Int = 4096, packetLimit: Int = 256
    ) {
        self.seed = seed
        self.timing = timing
        self.propagation = propagation
        self.reportLimit = max(1, reportLimit)
        self.packetLimit = max(1, packetLimit)
    }
}

/// The initial properties of an emulated controller.
package struct ControllerConfiguration: Hashable, Sendable {
    /// The name, from which with the seed its random numbers follow; unique on the air.
    package var name: String
    /// The public device address.
    package var publicAddress: BluetoothAddress
    /// How it moves, from the start of the air; controllers without a motion are one metre from all others.
    package var motion: Motion?
    /// Added to the RSSI of packets that the controller sends and of packets that it receives, in dB.
    package var rssiOffset: Double
    /// Added to the power of its scan responses, in dB.
    package var scanResponseGain: Int8
    /// The hardware of its receiver; that of a beacon has no effect.
    package var hardware: ReceiverHardware
    /// The default transmit power.
    package var transmitPower: TransmitPower
    /// How it deviates from a controller that follows the specification in everything.
    package var character: ControllerCharacter
    /// Whether it is of a beacon of the air's own program, whose first event may have a phase (`Air.setDrawsPhases`).
    package var isOfBeacon: Bool

    /// A controller with this public address, which is also its name by default.
    /// - Parameter position: where it rests, if it has no motion.
    package init(
        publicAddress: BluetoothAddress, name: String? = nil, position: Position? = nil, motion: Motion? = nil,
        rssiOffset: Double = 0, scanResponseGain: Int8 = 0, transmitPower: TransmitPower = TransmitPower(0),
        hardware: ReceiverHardware = ReceiverHardware(),
        character: ControllerCharacter = .none, isOfBeacon: Bool = false
    ) {
        self.publicAddress = publicAddress
        self.name = name ?? publicAddress.description
        self.motion = motion ?? position.map(Motion.rest)
        self.rssiOffset = rssiOffset
        self.scanResponseGain = scanResponseGain
        self.hardware = hardware
        self.transmitPower = transmitPower
        self.character = character
        self.isOfBeacon = isOfBeacon
    }
}

/// Identifies a controller of an air; never reused, even after the controller was removed.
package struct ControllerIdentifier: Hashable, Sendable {
    /// Index of the controller in the parts of the air.
    let index: Int
    /// A small number that is unique among the present controllers, and reused after a removal.
    package var number: Int { index }
    /// The number of controllers that had this index before.
    let generation: UInt32
}
