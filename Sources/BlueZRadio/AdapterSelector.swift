// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth
import KernelBluetooth
import Radio

/// The adapter that a BlueZ radio uses.
public enum AdapterSelector: Hashable, Sendable {
    /// The first powered adapter, or the first adapter if none is powered.
    case any
    /// The adapter that the kernel calls `hciN` when the radio is opened. From then on the radio stays with that
    /// controller, even if the kernel gives it another name.
    case name(String)
    /// The adapter with this address.
    case address(BluetoothAddress)

    /// Parses the part of `--radio bluez:ADAPTER` after the colon: `hci0`, or an address. `nil` for anything else.
    public init?(_ text: String) {
        if let address = BluetoothAddress(text) {
            self = .address(address)
        } else if let number = UInt16(text.dropFirst(3)), text == "hci\(number)" {
            self = .name(text)
        } else {
            return nil
        }
    }
}

extension AdapterSelector: CustomStringConvertible {
    /// The form that `--radio` takes.
    public var description: String {
        switch self {
        case .any: "bluez"
        case .name(let name): "bluez:\(name)"
        case .address(let address): "bluez:\(address)"
        }
    }
}

// MARK: - Selection

extension AdapterSelector {
    /// The selected adapter, which is powered on.
    /// - Throws: `RadioError` that names what is missing.
    func usableAdapter(of daemon: BlueZDaemon) async throws(RadioError) -> BlueZAdapter {
        let adapter = try await presentAdapter(of: daemon)
        guard adapter.address != .zero else {
            throw Fault.noAddress.error(.noAdapter, at: Fault.Place(adapter.name))
        }
        guard adapter.isPowered else { throw .notPowered(adapter.name) }
        return adapter
    }

    /// The selected adapter. Waits up to 3 s for an adapter that the kernel has but bluetoothd has not published yet.
    private func presentAdapter(of daemon: BlueZDaemon) async throws(RadioError) -> BlueZAdapter {
        var attemptsLeft = 12
        while true {
            let adapters = try await daemon.adapters()
            if let adapter = choose(from: adapters) { return adapter }
            let unmanaged = AdapterPresence.names.filter { name in !adapters.contains { $0.name == name } }
            guard attemptsLeft > 0, canMatch(unmanaged), !Task.isCancelled else {
                throw notFound(among: adapters, unmanaged: unmanaged)
            }
            attemptsLeft -= 1
            try? await Task.sleep(for: .milliseconds(250))
        }
    }

    /// The selected adapter among those present.
    func choose(from adapters: [BlueZAdapter]) -> BlueZAdapter? {
        switch self {
        case .any: adapters.first(where: \.isPowered) ?? adapters.first
        case .name(let name): adapters.first { $0.name == name }
        case .address(let address): adapters.first { $0.address == address }
        }
    }

    /// Whether one of the adapters with these kernel names can be the selected one. Their addresses are not known.
    private func canMatch(_ names: [String]) -> Bool {
        if case .name(let name) = self { names.contains(name) } else { !names.isEmpty }
    }

    /// The error for a selected adapter that bluetoothd does not have.
    private func notFound(among adapters: [BlueZAdapter], unmanaged: [String]) -> RadioError {
        if let name = unmanaged.first(where: { adapters.isEmpty || self == .name($0) }) {
            let fault: Fault = AdapterPresence.isUp(name) == true ? .adapterInUse : .notStarted
            return fault.error(.noAdapter, at: Fault.Place(name))
        }
        guard !adapters.isEmpty else {
            return Fault.noAdapter.error(.noAdapter)
        }
        let present = adapters.map { "\($0.name) (\($0.address))" }.joined(separator: ", ")
        return RadioError(
            .noAdapter, "there is no adapter \(description.dropFirst("bluez:".count))",
            hint: "choose one of these: \(present)")
    }
}

extension RadioError {
    /// The error for an adapter whose Low Energy is switched off.
    static func lowEnergyOff(_ adapter: String) -> RadioError {
        Fault.lowEnergyOff.error(.poweredOff, at: Fault.Place(ofThisMachine: adapter))
    }

    /// The error for an adapter that is powered off, or blocked by rfkill.
    static func notPowered(_ adapter: String) -> RadioError {
        let place = Fault.Place(ofThisMachine: adapter)
        if let block = AdapterPresence.block(of: adapter) { return Fault(block: block).error(.blocked, at: place) }
        return Fault.adapterOff.error(.poweredOff, at: place)
    }
}
