// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import NIOCore
import Radio
package import Space

/// Where a radio gets its only controller.
enum ControllerSource {
    /// From elsewhere.
    case transport(HCITransport)
    /// From the virtual air of another radio on the same event loop.
    case air(NIOLoopBound<VirtualAir>, AirHost)

    /// Opens the link to the controller, on this event loop.
    /// - Parameters:
    ///   - known: its address, if it was open before.
    ///   - ledger: what other runs use; `nil` for none.
    ///   - timeout: how long a server may take to accept the connection.
    func open(
        on loop: any EventLoop, user: any ControllerLinkUser, known: BluetoothAddress?, ledger: (any RadioLedger)?,
        timeout: Duration
    ) async throws(RadioError) -> any ControllerLink {
        switch self {
        case .transport(let transport):
            try await transport.open(on: loop, user: user, known: known, ledger: ledger, timeout: timeout)
        case .air(let air, let host): try air.value.join(host, user: user)
        }
    }
}

/// A host of this process on a virtual air, for `VirtualAirRadio.addHost(_:)`.
package struct AirHost: Hashable, Sendable {
    /// The name on the air, by which it is moved; if it is in use, the host gets a number after it.
    package var name: String
    /// The public address of its controller; `nil` for one that is derived from the name.
    package var address: BluetoothAddress?
    /// How it moves from the start of the air; `nil` is 1 m from every beacon.
    package var motion: Motion?
    /// The hardware of its receiver.
    package var hardware: ReceiverHardware
    /// The service through which other programs use it, for the events of the host: `dbus`, `esphome`; `nil` for a host of the run
    /// itself, which has no such events.
    package var service: String?
    /// Whether it has one identity as central and as peripheral, with the same bonds; else each of its beacons is a device of its own.
    package var hasOneIdentity = false

    /// A host with this name.
    package init(
        _ name: String, address: BluetoothAddress? = nil, motion: Motion? = nil,
        hardware: ReceiverHardware = ReceiverHardware(),
        service: String? = nil
    ) {
        self.name = name
        self.address = address
        self.motion = motion
        self.hardware = hardware
        self.service = service
    }

    /// The address that is derived from the name: locally administered, the same in every run.
    package var derivedAddress: BluetoothAddress { .administered(0x06, from: "host/\(name)") }
}

extension BluetoothAddress {
    /// A locally administered address that follows from a text. Its first three bytes differ from those of other controllers of the
    /// air if its first byte does.
    static func administered(_ first: UInt8, from text: String) -> BluetoothAddress {
        let octets = [first, 0xBE, 0xAC] + BluetoothAddress.derived(from: text).octets.suffix(3)
        guard let address = BluetoothAddress(octets: octets) else { preconditionFailure("six bytes are an address") }
        return address
    }
}
