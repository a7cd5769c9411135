// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// A radio with an emulated air on which faults can be provoked: losses of connections, of transmissions and of power.
package protocol FaultInjectingRadio: PeripheralRadio {
    /// Ends connections of a beacon or of a host at once.
    /// - Parameters:
    ///   - name: the name on the air of the one that ends them.
    ///   - peer: the name or the address of the other end; `nil` for all connections.
    /// - Returns: the addresses of the other ends; `nil` if nothing on the air has this name.
    func endConnections(of name: String, with peer: String?, _ reason: DisconnectionReason) async -> [String]?

    /// Mutes a beacon, or ends that: nothing that it sends is received, which the beacon does not notice. Connections are
    /// lost after their supervision timeouts.
    func setMuted(_ isMuted: Bool, _ beacon: BeaconIdentifier) async

    /// Lets the next connections to a beacon fail, which advertises meanwhile, instead of those that were set to fail before.
    func setFault(_ fault: ConnectionFault, _ beacon: BeaconIdentifier) async

    /// The number of connections to a beacon that will fail.
    func failingConnections(to beacon: BeaconIdentifier) async -> Int

    /// Cuts or restores the power of one beacon's radio: its connections end there at once, and are lost at the other end
    /// after their supervision timeouts. An advertisement that is requested meanwhile begins when the power is back.
    func setPowered(_ isPowered: Bool, _ beacon: BeaconIdentifier) async

    /// Removes the radio, or brings it back: as `setPowered(_:_:)` for all beacons, with the events `.lost` and `.ready`.
    func setPowered(_ isPowered: Bool) async
}

/// A radio that can give a reason for the end of a central's connection. Others end it with `.remoteUser`.
package protocol ReasonedDisconnectionRadio: PeripheralRadio {
    /// Ends a central's connection.
    /// - Throws: `RadioError` `.unsupported` for a reason that the radio cannot give.
    func disconnect(central: String, reason: DisconnectionReason) async throws(RadioError)
}
