// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Glibc
import HCI
import HostStack
import KernelBluetooth
import NIOCore
import Radio
import Sockets

/// The kernel's user channel: a controller for this process alone (HCI_CHANNEL_USER); needs CAP_NET_ADMIN.
///
/// The kernel gives it only while the adapter is down. bluetoothd (since 5.65) powers every adapter that appears, also one
/// that was just given back, so an adapter that is up without being in use is switched off here, and on again afterwards.
/// While the kernel sets an adapter up, the channel is busy for a moment, too.
struct UserChannel {
    /// An adapter that this process has for itself.
    struct Claim {
        /// N of hciN.
        let index: Int
        /// The descriptor for `PacketDescriptor`.
        let descriptor: Int32
        /// Whether it was switched off for this process.
        let wasPowered: Bool
    }

    /// The pause between attempts while the kernel sets the adapter up.
    static let pause = Duration.milliseconds(100)
    /// The number of attempts: 3 s.
    static let attempts = 31

    private let kernel: any AdapterKernel
    private let ledger: (any RadioLedger)?
    private let sleep: @Sendable (Duration) async -> Void

    /// A user of the channels of a kernel; by default of this one.
    /// - Parameters:
    ///   - ledger: the advertisements of other runs of this program, whose numbers the kernel leaves out of its list.
    ///   - sleep: waits between attempts.
    init(
        kernel: any AdapterKernel = LinuxKernel(), ledger: (any RadioLedger)? = nil,
        sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    ) {
        self.kernel = kernel
        self.ledger = ledger
        self.sleep = sleep
    }

    /// Claims an adapter.
    /// - Parameters:
    ///   - number: N of hciN.
    ///   - known: its address, if it was claimed before: it is found under another number, too.
    /// - Throws: `RadioError` `.noAdapter`, `.notPermitted`, `.blocked`, or `.refused` if it is in use.
    func claim(_ number: Int, known: BluetoothAddress? = nil) async throws(RadioError) -> Claim {
        let index = try await place(number, known)
        var wasPowered = false
        do {
            return try await open(index, &wasPowered)
        } catch {
            if wasPowered { _ = await kernel.setPowered(true, index) }
            throw error
        }
    }

    private func open(_ index: Int, _ wasPowered: inout Bool) async throws(RadioError) -> Claim {
        for attempt in 1...Self.attempts {
            do throws(KernelError) {
                return Claim(index: index, descriptor: try kernel.bind(index), wasPowered: wasPowered)
            } catch {
                guard error.code == EBUSY else { throw Self.error(error.code, index) }
            }
            guard var state = await kernel.state(of: index), state.isPowered else {
                if attempt < Self.attempts { await sleep(Self.pause) }
                continue
            }
            // As `ManagementAdvertiser` of BlueZRadio records them.
            state.advertisements += ledger?.heldByOthers(under: "bluez-\(state.address)").count ?? 0
            if let use = state.use { throw Self.inUse(index, use) }
            guard !wasPowered, await kernel.setPowered(false, index) else { throw Self.up(index) }
            wasPowered = true
        }
        // The kernel says the same of both.
        throw RadioError(
            .refused, "hci\(index) is busy: another program has its user channel, or the kernel is still setting it up",
            hint: "stop that program, or wait until the adapter is set up (dmesg names its firmware)")
    }

    /// Gives an adapter back as it was. Its descriptor must be closed, or about to be.
    func restore(_ index: Int) async {
        // The kernel lists it again only after the descriptor is closed.
        for _ in 0..<20 {
            if await kernel.setPowered(true, index) { return }
            await sleep(.milliseconds(50))
        }
    }

    /// The number of an adapter, which the kernel may have changed when it appeared again.
    private func place(_ number: Int, _ known: BluetoothAddress?) async throws(RadioError) -> Int {
        guard let known, known != .zero else { return number }
        let present = await kernel.state(of: number)
        if present?.address == known { return number }
        var found: [Int] = []
        for index in await kernel.indexes() where await kernel.state(of: index)?.address == known {
            found.append(index)
        }
        // Cheap adapters share addresses: no other may be taken for this one.
        if found.count == 1 { return found[0] }
        guard let other = present?.address, other != .zero else { return number }
        throw RadioError(
            .noAdapter, "the adapter \(known) is gone, and hci\(number) is \(other) now",
            hint: "plug it in again, or start again to use the other one")
    }

    // MARK: - Errors

    private static func inUse(_ index: Int, _ use: String) -> RadioError {
        RadioError(
            .refused, "hci\(index) is in use: it has \(use)",
            hint: "end that, switch it off (sudo btmgmt --index \(index) power off), or use --radio bluez:hci\(index) "
                + "beside it")
    }

    private static func up(_ index: Int) -> RadioError {
        RadioError(
            .refused, "hci\(index) is up, and cannot be switched off for the user channel",
            hint: "run sudo btmgmt --index \(index) power off first, or use --radio bluez:hci\(index)")
    }

    private static func error(_ code: Int32, _ index: Int) -> RadioError {
        let name = "hci-socket:\(index)"
        return switch code {
        case EAFNOSUPPORT:
            RadioError(.noAdapter, Fault.noKernelBluetooth.sentence(), hint: Fault.noKernelBluetooth.hint())
        case EPERM, EACCES:
            RadioError(
                .notPermitted, "\(name) needs CAP_NET_ADMIN",
                hint: "run as root, or give beaconry the capability (see docs/adapters.md, \"Rights\")")
        case ENODEV:
            RadioError(.noAdapter, "there is no adapter hci\(index)", hint: "beaconry radios lists the adapters")
        case EUSERS:
            RadioError(
                .refused, Fault.adapterInUse.sentence(at: Fault.Place("hci\(index)")),
                hint: "\(Fault.adapterInUse.hint()), or use another adapter")
        case ERFKILL:
            RadioError(
                .blocked, "hci\(index) is blocked by software or by a switch",
                hint: "\(Fault.blocked.action()) (sudo rfkill unblock bluetooth)")
        case ETIMEDOUT, EIO:
            RadioError(
                .refused, "hci\(index) does not answer its driver: \(SystemErrorText.words(code))",
                hint: LEHostFailure.hintAfterSilence)
        default:
            RadioError(
                .refused, "\(name) cannot be opened: \(SystemErrorText.words(code))",
                hint: "check that no other program uses the adapter; the kernel's log (dmesg) may say more")
        }
    }
}

/// The link over the user channel.
final class UserChannelLink: ControllerLink {
    private let claim: UserChannel.Claim
    private let number: Int
    private let packets: PacketDescriptor

    /// - Parameter number: the number of the adapter that was asked for.
    init(_ claim: UserChannel.Claim, number: Int, loop: any EventLoop, user: any ControllerLinkUser) {
        self.claim = claim
        self.number = number
        packets = PacketDescriptor(claim.descriptor, loop: loop, user: user)
    }

    var newName: String? { claim.index == number ? nil : "hci\(claim.index)" }

    func send(_ packet: HCIPacket) { packets.send(packet) }

    func close() { packets.close() }

    func restore() async {
        if claim.wasPowered { await UserChannel().restore(claim.index) }
    }
}
