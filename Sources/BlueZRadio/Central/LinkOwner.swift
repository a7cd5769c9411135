// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Radio

/// The radio that has a link of bluetoothd's.
protocol LinkOwner: Sendable {
    /// Ends the link to a device that is not connected any more, whoever noticed it first.
    func check(_ path: ObjectPath) async
    /// Forgets a link that this side ended.
    func drop(_ link: BlueZRemoteLink) async
    /// Has the peer of a link encrypt it.
    func secure(_ link: BlueZRemoteLink) async -> Result<Void, RemoteError>
    /// Has what bluetoothd asks answered while a link pairs, if the radio has an agent on the bus; `nil` ends that.
    /// - Returns: whether it has one.
    func answerPairings(by answer: (@Sendable (AgentRequest) async -> PairingAnswer)?) async -> Bool
    /// Has bluetoothd tell the value of a characteristic that is served to those that want it; whether any does.
    func notify(_ value: [UInt8], of characteristic: CharacteristicIdentifier) async -> Bool
}
