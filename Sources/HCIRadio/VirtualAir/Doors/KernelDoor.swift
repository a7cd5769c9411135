// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Dispatch
import Glibc
import HCI
import NIOCore
import Radio
import VirtualRadio

/// A controller of this machine's kernel, hciN, by /dev/vhci (Linux, drivers/bluetooth/hci_vhci.c): the kernel is the host.
///
/// If its character ends in a removal, the controller is removed one second after the Hardware Error event, and another one
/// takes its place in the kernel: with its address and without the failure, but with another N. It answers one second later.
final class KernelDoor: AirDoor {
    private static let device = "/dev/vhci"
    /// The first byte of packets of the driver itself.
    private static let vendorPacket: UInt8 = 0xFF

    /// N of hciN.
    private var index = 0
    private let entrance: AirEntrance
    private var visit: AirVisit?
    private var replacement = Replacement.none

    /// The replacement of a controller that failed.
    private enum Replacement {
        case none
        /// The controller will be removed.
        case scheduled(Scheduled<Void>)
        /// The kernel removes it. Until then it does not get the next one: bluetoothd ignores a second adapter with one address.
        case removing(ControllerConfiguration)
        /// The kernel has the next one, which is not on the air yet.
        case registered(Registration, failed: ControllerConfiguration, start: Scheduled<Void>)
    }

    /// Adds a controller to the kernel.
    /// - Throws: `RadioError` if this kernel has no such device, or the process may not use it.
    init(_ entrance: AirEntrance) throws(RadioError) {
        self.entrance = entrance
        start(try Self.register())
    }

    var address: String { "vhci:hci\(index)" }

    var isExposed: Bool { false }

    /// Removes the controller from the kernel.
    func close() async {
        switch replacement {
        case .none, .removing: break
        case .scheduled(let removal): removal.cancel()
        case .registered(let next, _, let start):
            start.cancel()
            Self.remove(next)
        }
        replacement = .none
        visit?.end()
        visit = nil
    }

    /// Puts a controller that the kernel has on the air.
    private func start(_ registration: Registration, replacing failed: ControllerConfiguration? = nil) {
        index = registration.index
        let visit = AirVisit(entrance, replacing: failed)
        let loop = entrance.air.loop
        let bound = NIOLoopBound(WeakDoor(door: self), eventLoop: loop)
        let descriptor = PacketDescriptor(registration.descriptor, loop: loop, user: visit) {
            loop.execute { bound.value.door?.noteRemoval() }
        }
        visit.onFailure = { [weak self] in self?.replace() }
        visit.join(over: descriptor, transport: "vhci", peer: "hci\(index)")
        self.visit = visit
    }

    // MARK: - Failures

    private struct WeakDoor {
        weak var door: KernelDoor?
    }

    private func inOneSecond(_ body: @escaping (KernelDoor) -> Void) -> Scheduled<Void> {
        let bound = NIOLoopBound((self, body), eventLoop: entrance.air.loop)
        return entrance.air.loop.scheduleTask(in: .seconds(1)) { bound.value.1(bound.value.0) }
    }

    private func replace() {
        guard case .none = replacement else { return }
        replacement = .scheduled(inOneSecond { $0.remove() })
    }

    private func remove() {
        guard let visit else { return }
        var configuration = visit.configuration
        configuration.motion = entrance.air.motion(of: configuration.name)
        replacement = .removing(configuration)
        visit.end()
        self.visit = nil
    }

    private func noteRemoval() {
        guard case .removing(let failed) = replacement else { return }
        do throws(RadioError) {
            let next = try Self.register(besides: index)
            replacement = .registered(next, failed: failed, start: inOneSecond { $0.startNext() })
        } catch {
            replacement = .none
            entrance.report(
                .host(
                    HostEvent(
                        .refused(reason: error.message), name: failed.name, transport: "vhci", peer: "hci\(index)",
                        address: failed.publicAddress)))
        }
    }

    private func startNext() {
        guard case .registered(let next, let failed, _) = replacement else { return }
        replacement = .none
        start(next, replacing: failed)
    }

    // MARK: - The driver

    /// A controller that the kernel has.
    private struct Registration {
        let descriptor: Int32
        let index: Int
    }

    /// Adds a controller with another number than one that was removed; the kernel gives the lowest one that is free.
    private static func register(besides former: Int) throws(RadioError) -> Registration {
        let registration = try register()
        guard registration.index == former else { return registration }
        defer { remove(registration) }
        return try register()
    }

    /// Removes a controller that is not on the air, which may take the kernel seconds.
    private static func remove(_ registration: Registration) {
        DispatchQueue.global().async { Glibc.close(registration.descriptor) }
    }

    private static func register() throws(RadioError) -> Registration {
        let descriptor = Glibc.open(device, O_RDWR | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw error(errno) }
        do throws(RadioError) {
            return Registration(descriptor: descriptor, index: try create(descriptor))
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    /// Requests an LE controller of the driver, which responds before the kernel sends anything to the controller.
    private static func create(_ descriptor: Int32) throws(RadioError) -> Int {
        let request = [vendorPacket, 0]
        guard Glibc.write(descriptor, request, request.count) == request.count else { throw error(errno) }
        var answer = [UInt8](repeating: 0, count: 4)
        guard Glibc.read(descriptor, &answer, answer.count) == answer.count, answer[0] == vendorPacket else {
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
}

extension PacketDescriptor: DoorConnection {
    /// The kernel takes each packet at once.
    var isWritable: Bool { true }

    func write(_ packet: HCIPacket) { send(packet) }

    func flush() {}

    /// The kernel sends no more commands and data than the controller has room for.
    func setReading(_ isReading: Bool) {}
}
