// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Glibc
import HCI
import NIOCore
import Radio
import VirtualRadio

/// A controller of this machine's kernel, hciN, by /dev/vhci (Linux, drivers/bluetooth/hci_vhci.c): the kernel is the host.
///
/// If its character ends in a removal, another controller takes its place in the kernel one second after the Hardware Error
/// event: with its address and without the failure, but with another N. It answers one second later.
final class KernelDoor: AirDoor {
    private static let device = "/dev/vhci"
    /// The first byte of packets of the driver itself.
    private static let vendorPacket: UInt8 = 0xFF

    /// N of hciN.
    private var index = 0
    private let entrance: AirEntrance
    private var visit: AirVisit?
    /// The replacement of a controller that failed.
    private var replacement: Scheduled<Void>?
    /// The replacement, which the kernel has already, and which is not on the air yet.
    private var next: (registration: Registration, failed: ControllerConfiguration)?

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
        replacement?.cancel()
        if let next { Glibc.close(next.registration.descriptor) }
        next = nil
        visit?.end()
        visit = nil
    }

    /// Puts a controller that the kernel has on the air.
    private func start(_ registration: Registration, replacing failed: ControllerConfiguration? = nil) {
        index = registration.index
        let visit = AirVisit(entrance, replacing: failed)
        let descriptor = PacketDescriptor(registration.descriptor, loop: entrance.air.loop, user: visit)
        visit.onFailure = { [weak self] in self?.replace() }
        visit.join(over: descriptor, transport: "vhci", peer: "hci\(index)")
        self.visit = visit
    }

    // MARK: - Failures

    private func replace() {
        guard replacement == nil else { return }
        let bound = NIOLoopBound(self, eventLoop: entrance.air.loop)
        replacement = entrance.air.loop.scheduleTask(in: .seconds(1)) {
            bound.value.leaveToNext()
            bound.value.replacement = bound.value.entrance.air.loop.scheduleTask(in: .seconds(1)) {
                bound.value.startNext()
            }
        }
    }

    /// Registers the next controller before this one is removed, which therefore has another N.
    private func leaveToNext() {
        guard let visit else { return }
        var configuration = visit.configuration
        configuration.motion = entrance.air.motion(of: configuration.name)
        do throws(RadioError) {
            next = (try Self.register(), configuration)
        } catch {
            entrance.report(
                HostEvent(
                    .refused(reason: error.message), name: configuration.name, transport: "vhci", peer: "hci\(index)",
                    address: configuration.publicAddress))
        }
        visit.end()
        self.visit = nil
    }

    private func startNext() {
        replacement = nil
        guard let next else { return }
        self.next = nil
        start(next.registration, replacing: next.failed)
    }

    // MARK: - The driver

    /// A controller that the kernel has.
    private struct Registration {
        let descriptor: Int32
        let index: Int
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
