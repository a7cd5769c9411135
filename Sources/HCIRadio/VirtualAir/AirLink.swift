// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI
import VirtualRadio

/// A link to a controller on a live air, for a host in this process.
final class AirLink: ControllerLink, AirDelegate {
    private let air: LiveAir
    private weak var user: (any ControllerLinkUser)?
    private var identifier: ControllerIdentifier?
    /// Reports what its host does; `nil` for a host of the run itself.
    var reporter: HostReporter?

    /// Adds a controller to the air.
    init(_ air: LiveAir, _ configuration: ControllerConfiguration, user: any ControllerLinkUser) {
        self.air = air
        self.user = user
        identifier = air.join(configuration, delegate: self)
    }

    func send(_ packet: HCIPacket) {
        guard let identifier else { return }
        air.receive(packet, from: identifier)
        reporter?.sent(packet, by: identifier, on: air)
    }

    func close() {
        guard let identifier else { return }
        self.identifier = nil
        air.leave(identifier)
        reporter?.left()
    }

    func airEnded() { identifier = nil }

    func airHasPackets() {
        while let identifier, let packet = air.takePacket(of: identifier) {
            user?.linkReceived(packet)
            reporter?.received(packet)
        }
    }
}
