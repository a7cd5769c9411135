// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Radio
import VirtualRadio

/// Reports the events of a host on the air: that it joined, scans, and left.
struct HostReporter {
    private let transport: String
    private let peer: String
    private let kind: String?
    private let controller: ControllerConfiguration
    private let report: (HostEvent) -> Void
    private var scan: Bool?

    /// A reporter of a host that has just joined; it reports that.
    init(
        _ controller: ControllerConfiguration, transport: String, peer: String, kind: String? = nil,
        report: @escaping (HostEvent) -> Void
    ) {
        self.transport = transport
        self.peer = peer
        self.kind = kind
        self.controller = controller
        self.report = report
        post(.joined)
    }

    /// Checks whether the host's packet started or stopped a scan; only a command can.
    mutating func sent(_ packet: HCIPacket, by controller: ControllerIdentifier, on air: LiveAir) {
        guard case .command = packet else { return }
        take(air.activeScan(of: controller))
    }

    /// Checks whether the controller's packet is the end of a scan with a duration.
    mutating func received(_ packet: HCIPacket) {
        guard scan != nil, case .event(let event) = packet, event.code == HCIEventPacket.lowEnergyMetaCode,
            event.parameters.first == LEScanTimeout.subeventCode
        else { return }
        take(nil)
    }

    /// Reports that the host's connection has ended.
    /// - Parameter refusal: why it was closed, if the host did not send HCI packets.
    mutating func left(refusal: String? = nil) {
        take(nil)
        post(refusal.map { .refused(reason: $0) } ?? .left)
    }

    private mutating func take(_ scan: Bool?) {
        guard scan != self.scan else { return }
        self.scan = scan
        post(scan.map { .scanStarted(isActive: $0) } ?? .scanStopped)
    }

    private func post(_ action: HostEvent.Action) {
        report(
            HostEvent(
                action, name: controller.name, transport: transport, peer: peer, address: controller.publicAddress,
                kind: kind))
    }
}
