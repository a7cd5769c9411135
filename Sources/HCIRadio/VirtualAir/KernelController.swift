// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Glibc
import HCI
import NIOCore
import Radio
import VirtualRadio

/// A controller on a live air that is hciN of this machine's kernel, by /dev/vhci (Linux, drivers/bluetooth/hci_vhci.c).
///
/// If its character ends in a removal, another controller takes its place in the kernel one second after the Hardware Error
/// event: with its address and without the failure, but with another N. It answers one second later.
final class KernelController: ControllerLinkUser, AirDelegate {
    private static let device = "/dev/vhci"
    /// The first byte of packets of the driver itself.
    private static let vendorPacket: UInt8 = 0xFF

    /// N of hciN.
    private(set) var index = 0
    private let air: LiveAir
    private let report: (HostEvent) -> Void
    private var configuration: ControllerConfiguration
    /// The replacement of a controller that failed.
    private var replacement: Scheduled<Void>?
    /// The replacement, which the kernel has already, and which is not on the air yet.
    private var next: Registration?
    private var identifier: ControllerIdentifier?
    private var link: PacketDescriptor?
    private var reporter: HostReporter?

    /// Adds a controller to the kernel.
    /// - Parameter report: called with the events of the kernel's host, on the air's event loop.
    /// - Throws: `RadioError` if this kernel has no such device, or the process may not use it.
    init(
        air: LiveAir, _ configuration: ControllerConfiguration, report: @escaping (HostEvent) -> Void
    ) throws(RadioError) {
        self.air = air
        self.configuration = configuration
        self.report = report
        start(try Self.register())
    }

    /// A controller that the kernel has.
    private struct Registration {
        let descriptor: Int32
        let index: Int
    }

    private static func register() throws(RadioError) -> Registration {
        let descriptor = Glibc.open(Self.device, O_RDWR | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.error(errno) }
        do throws(RadioError) {
            return Registration(descriptor: descriptor, index: try Self.create(descriptor))
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    /// Puts a controller that the kernel has on the air.
    private func start(_ registration: Registration) {
        index = registration.index
        link = PacketDescriptor(registration.descriptor, loop: air.loop, user: self)
        identifier = air.join(configuration, delegate: self)
        reporter = HostReporter(configuration, transport: "vhci", peer: "hci\(index)", report: report)
    }

    /// Requests an LE controller of the driver, which responds before the kernel sends anything to the controller.
    private static func create(_ descriptor: Int32) throws(RadioError) -> Int {
        let request = [vendorPacket, 0]
        guard write(descriptor, request, request.count) == request.count else { throw error(errno) }
        var answer = [UInt8](repeating: 0, count: 4)
        guard read(descriptor, &answer, answer.count) == answer.count, answer[0] == vendorPacket else {
            throw error(EIO)
        }
        return Int(answer[2]) | Int(answer[3]) << 8
    }

    private static func error(_ code: Int32) -> RadioError {
        switch code {
        case ENOENT, ENODEV, ENXIO:
            RadioError(
                .noAdapter, "this kernel has no \(device)",
                hint: "load it (modprobe hci_vhci), or serve over TCP (--hci-server tcp:127.0.0.1:6402)")
        case EACCES, EPERM:
            RadioError(
                .notPermitted, "\(device) may not be opened by this user",
                hint: "run as root, or get permission for \(device)")
        default:
            RadioError(
                .refused, "\(device) does not give a controller: \(String(cString: strerror(code)))",
                hint: "see the kernel's log (dmesg)")
        }
    }

    /// Removes it from the kernel.
    func close() {
        replacement?.cancel()
        if let next { Glibc.close(next.descriptor) }
        next = nil
        leave()
    }

    private func leave() {
        link?.close()
        linkEnded("")
    }

    /// Replaces the controller after its failure.
    private func replace() {
        guard replacement == nil else { return }
        let bound = NIOLoopBound(self, eventLoop: air.loop)
        replacement = air.loop.scheduleTask(in: .seconds(1)) {
            bound.value.leaveToNext()
            bound.value.replacement = bound.value.air.loop.scheduleTask(in: .seconds(1)) { bound.value.startNext() }
        }
    }

    /// Registers the next controller before this one is removed, which therefore has another N.
    private func leaveToNext() {
        do throws(RadioError) {
            next = try Self.register()
        } catch {
            report(
                HostEvent(
                    .refused(reason: error.message), name: configuration.name, transport: "vhci", peer: "hci\(index)",
                    address: configuration.publicAddress))
        }
        configuration.motion = air.motion(of: configuration.name)
        configuration.character = configuration.character.afterRemoval
        leave()
    }

    private func startNext() {
        replacement = nil
        guard let next else { return }
        self.next = nil
        configuration.name = air.freeName(configuration.name)
        start(next)
    }

    func linkReceived(_ packet: HCIPacket) {
        guard let identifier else { return }
        air.receive(packet, from: identifier)
        reporter?.sent(packet, by: identifier, on: air)
    }

    func linkEnded(_ reason: String) {
        if let identifier { air.leave(identifier) }
        identifier = nil
        link = nil
        reporter?.left()
        reporter = nil
    }

    func airEnded() { identifier = nil }

    func airHasPackets() {
        while let identifier, let packet = air.takePacket(of: identifier) {
            link?.send(packet)
            reporter?.received(packet)
            if configuration.isRemoved(after: packet) { replace() }
        }
    }
}

extension ControllerConfiguration {
    /// Whether a packet is the Hardware Error event after which a controller with this character is removed.
    func isRemoved(after packet: HCIPacket) -> Bool {
        guard case .event(let event) = packet, event.code == HardwareError.eventCode else { return false }
        return character.endsInRemoval
    }
}
