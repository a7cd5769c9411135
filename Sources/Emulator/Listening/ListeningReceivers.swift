// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import Profiles
import Radio
import Receiving
import Space
import Synchronization

/// The listening receivers of a run, by their names, and the beacons that send from addresses.
package final class ListeningReceivers: Sendable {
    private struct State {
        var receivers: [String: ListeningReceiver] = [:]
        /// Of those that were added during the run.
        var added: Set<String> = []
        /// Of those beside the hosts of a server.
        var besideHosts: Set<String> = []
        /// The beacons by the addresses that they send from at present.
        var owners: [BluetoothAddress: String] = [:]
        var addresses: [String: BluetoothAddress] = [:]
        /// Whether the radio can place advertisements while another radio scans on its adapter.
        var canShareAdapter = false
        /// Whether the run ends, and all receivers with it.
        var isEnding = false
    }

    /// The number of receivers that clients can add.
    package static let addedLimit = 100

    private let state = Mutex(State())
    private let makeCentral: (@Sendable () -> any CentralRadio)?
    private let truth: AirTruth?
    private let report: @Sendable (String, ReceiverEvent) -> Void

    /// - Parameters:
    ///   - makeCentral: makes a radio that receives on the adapter of the run, for a radio that only carries beacons.
    ///   - truth: where receivers and beacons really are; `nil` if that is not known.
    ///   - report: called with what happens to a receiver, by its name, until the end of the run.
    init(
        makeCentral: (@Sendable () -> any CentralRadio)? = nil, truth: AirTruth? = nil,
        report: @escaping @Sendable (String, ReceiverEvent) -> Void = { _, _ in }
    ) {
        self.makeCentral = makeCentral
        self.truth = truth
        self.report = report
    }

    private func post(_ event: ReceiverEvent, of receiver: String) {
        if !state.withLock(\.isEnding) { report(receiver, event) }
    }

    /// Notes what the radio of the run can do, before the first receiver.
    func note(_ capabilities: RadioCapabilities) {
        // Without sets of advertisements, each with an address of its own, scanning and advertising have one random address, which
        // cannot be changed during a scan (Core 5.4, Vol 4, Part E, 7.8.4): the kernel refuses an advertisement then.
        state.withLock { $0.canShareAdapter = capabilities.hasExtendedAdvertising }
    }

    /// The names.
    var names: Set<String> { state.withLock { Set($0.receivers.keys) } }

    /// The receivers, in the order of their names.
    package var all: [ListeningReceiver] {
        state.withLock { $0.receivers.values.sorted { $0.name < $1.name } }
    }

    /// The receiver of this name; `nil` if there is none.
    package subscript(name: String) -> ListeningReceiver? { state.withLock { $0.receivers[name] } }

    /// Whether a receiver was added during the run.
    func isAdded(_ name: String) -> Bool { state.withLock { $0.added.contains(name) } }

    /// The names of those beside the hosts of a server, in order.
    var namesBesideHosts: [String] { state.withLock { $0.besideHosts.sorted() } }

    /// Whether a receiver is beside the hosts of a server.
    package func isBesideHosts(_ name: String) -> Bool { state.withLock { $0.besideHosts.contains(name) } }

    /// Notes the address that a beacon sends from.
    func note(_ address: BluetoothAddress?, of beacon: String) {
        guard let address else { return }
        state.withLock { state in
            let former = state.addresses.updateValue(address, forKey: beacon)
            if let former, former != address, state.owners[former] == beacon { state.owners[former] = nil }
            state.owners[address] = beacon
        }
    }

    /// Forgets the address of a beacon that is removed.
    func forget(beacon: String) {
        state.withLock { state in
            guard let address = state.addresses.removeValue(forKey: beacon), state.owners[address] == beacon else {
                return
            }
            state.owners[address] = nil
        }
    }

    /// The beacon that sends from an address; `nil` if none of the run does.
    package func owner(of address: BluetoothAddress) -> String? { state.withLock { $0.owners[address] } }

    /// The address that a beacon sends from, or has sent from last; `nil` if it has not advertised yet.
    func address(of beacon: String) -> BluetoothAddress? { state.withLock { $0.addresses[beacon] } }

    /// Adds a receiver, and begins its scan.
    /// - Parameters:
    ///   - motion: how it moves on the virtual air; `nil` is 1 m from every beacon.
    ///   - isAdded: whether it is none of the profiles.
    ///   - isBesideHosts: whether a server of the air has its name, whose hosts are other programs.
    ///   - observe: called with each packet and each report.
    /// - Throws: `EmulatorError` `.conflict` if the name is taken, or if the adapter of the run listens already; `.tooMany` if
    ///   clients have added as many as they may; `.unsupported` if the radio cannot receive.
    func add(
        _ name: String, _ settings: ListenerSettings, motion: Motion?, isAdded: Bool,
        isBesideHosts: Bool = false, on radio: any PeripheralRadio, _ clock: RunClock,
        observe: (@Sendable (ListeningReceiver.Observation) -> Void)? = nil
    ) async throws(EmulatorError) -> ListeningReceiver {
        let host: any ListeningHost
        switch radio {
        case let air as any ListeningRadio:
            host =
                AirListeningHost(name: isBesideHosts ? name.besideHosts : name, motion: motion, radio: air)
        case let adapter as any CentralRadio:
            try requireNone(on: radio)
            host = AdapterListeningHost(radio: adapter)
        default:
            guard let makeCentral else {
                throw EmulatorError(
                    .unsupported, "\(radio.name) cannot receive", hint: "run on the virtual air (--radio virtual)")
            }
            guard state.withLock(\.canShareAdapter) else {
                throw EmulatorError(
                    .unsupported,
                    "\(radio.name) has no extended advertising, and cannot place advertisements while it scans",
                    hint:
                        "use an adapter with extended advertising, or receive with another one (beaconry range --radio bluez:hci1)"
                )
            }
            try requireNone(on: radio)
            host = AdapterListeningHost(radio: makeCentral(), isShared: true)
        }
        let seed = (radio as? any ListeningRadio)?.seed ?? .random(in: 1 ... .max)
        let receiver = ListeningReceiver(
            name, settings, on: host, clock: clock, seed: seed, truth: truth,
            owner: { [weak self] in self?.owner(of: $0) },
            report: { [weak self] in self?.post($0, of: name) }, observe: observe)
        let refusal: EmulatorError? = state.withLock { state in
            guard state.receivers[name] == nil else {
                return EmulatorError(
                    .conflict, "there is a receiver \(name) already", hint: "give this one another name")
            }
            guard !isAdded || state.added.count < Self.addedLimit else {
                return EmulatorError(
                    .tooMany, "\(Self.addedLimit) receivers that scan were added to this run already",
                    hint: "remove those that are not needed (beaconry ctl receiver remove NAME)")
            }
            state.receivers[name] = receiver
            if isAdded { state.added.insert(name) }
            if isBesideHosts { state.besideHosts.insert(name) }
            return nil
        }
        if let refusal { throw refusal }
        do throws(RadioError) {
            try await receiver.open()
        } catch {
            forget(receiver)
            throw error.code == .refused
                ? EmulatorError(.conflict, error.message, hint: error.hint) : EmulatorError(error)
        }
        return receiver
    }

    /// - Throws: `EmulatorError` `.conflict` if there is a receiver.
    private func requireNone(on radio: any PeripheralRadio) throws(EmulatorError) {
        guard let other = all.first else { return }
        throw EmulatorError(
            .conflict, "\(radio.name) is the receiver \(other.name) already",
            hint: "an adapter is one receiver; on the virtual air there are many")
    }

    private func forget(_ receiver: ListeningReceiver) {
        state.withLock { state in
            // Another one may have the name meanwhile.
            guard state.receivers[receiver.name] === receiver else { return }
            state.receivers[receiver.name] = nil
            state.added.remove(receiver.name)
            state.besideHosts.remove(receiver.name)
        }
    }

    /// Removes a receiver, and ends the streams of its clients.
    func remove(_ name: String, at end: ReceiverEnd = .removal) async {
        guard let receiver = self[name] else { return }
        forget(receiver)
        await receiver.close(end)
    }

    /// Removes all at the end of the run.
    func removeAll() async {
        state.withLock { $0.isEnding = true }
        await withTaskGroup { group in
            for receiver in all { group.addTask { await self.remove(receiver.name, at: .run) } }
        }
    }
}
