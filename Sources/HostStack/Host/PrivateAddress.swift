// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// A resolvable private address in use.
struct PrivateAddress: Hashable, Sendable {
    let identity: LocalIdentity
    let address: BluetoothAddress
    /// When another address replaces it.
    let end: Duration

    init(_ identity: LocalIdentity, address: BluetoothAddress, at now: Duration) {
        self.identity = identity
        self.address = address
        end = now + BluetoothAddress.privateAddressInterval
    }

    /// A new random address of this identity.
    init(_ identity: LocalIdentity, _ context: inout HostContext) {
        self.init(
            identity, address: .resolvablePrivate(key: identity.resolvingKey, random: &context.random), at: context.now)
    }
}

/// The random address in the scan requests and connection requests of the host as central.
///
/// A private address is made when the controller starts and replaced every `BluetoothAddress.privateAddressInterval`,
/// on controllers with advertising sets only: the one random address of a legacy controller belongs to advertising.
/// While the controller changes the address, nothing else may use it: scanning rests, and no connection is begun.
struct CentralAddress: Sendable {
    private struct State: Sendable {
        var present: PrivateAddress
        /// Whether the command for the next address is on its way.
        var isChanging = false
    }

    private var state: Indirect<State>?

    /// Whether the command for the next address is on its way.
    var isChanging: Bool { state?.value.isChanging ?? false }

    /// When the present address is due to change; `nil` while it changes, or if it does not.
    var deadline: Duration? {
        guard let state = state?.value, !state.isChanging else { return nil }
        return state.present.end
    }

    /// The random address, private or static, if the central has one.
    func randomAddress(_ configuration: LEHostConfiguration) -> BluetoothAddress? {
        configuration.centralAddress.randomAddress ?? state?.value.present.address
    }

    /// Makes the first private address if the configuration requires one.
    mutating func prepare(_ context: inout HostContext) {
        guard let identity = context.configuration.centralAddress.identity else { return }
        state = Indirect(State(present: PrivateAddress(identity, &context)))
    }

    /// Sends the next private address to the controller.
    mutating func change(_ context: inout HostContext) {
        guard let identity = state?.value.present.identity else { return }
        let next = PrivateAddress(identity, &context).address
        state?.value.isChanging = true
        context.send(LESetRandomAddress(randomAddress: next), then: .centralAddress(next))
    }

    /// Takes the reply to the change. If the controller refused it, the old address is used for another interval.
    mutating func finishChange(to address: BluetoothAddress, _ reply: CommandReply, at now: Duration) {
        guard let present = state?.value.present else { return }
        let address = reply.failure == nil ? address : present.address
        state?.value = State(present: PrivateAddress(present.identity, address: address, at: now))
    }

    /// Discards the address when the controller restarts.
    mutating func reset() { state = nil }
}
