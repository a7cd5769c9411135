// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Radio

// Finding the adapter that is meant, and what to say when it is not there or not usable.

extension AdapterSelector {
    /// The adapter that is meant, powered on.
    /// - Throws: `RadioError` that says what is missing.
    func usableAdapter(of daemon: BlueZDaemon) async throws(RadioError) -> BlueZAdapter {
        let adapter = try await presentAdapter(of: daemon)
        guard adapter.isPowered else {
            if let how = AdapterPresence.block(of: adapter.name) {
                throw RadioError(
                    .blocked, "\(adapter.name) is blocked \(how)",
                    hint: "unblock it (rfkill unblock bluetooth, or the machine's wireless switch)")
            }
            throw RadioError(
                .poweredOff, "\(adapter.name) is powered off",
                hint: "power it on (bluetoothctl power on)")
        }
        return adapter
    }

    /// The adapter that is meant. One that the kernel has and bluetoothd has not told of yet is waited for a little.
    private func presentAdapter(of daemon: BlueZDaemon) async throws(RadioError) -> BlueZAdapter {
        var patience = 12
        while true {
            let adapters = try await daemon.adapters()
            if let adapter = choose(from: adapters) { return adapter }
            let unknown = AdapterPresence.names.filter { name in !adapters.contains { $0.name == name } }
            guard patience > 0, mayBe(amongst: unknown), !Task.isCancelled else {
                throw missing(among: adapters, unmanaged: unknown)
            }
            patience -= 1
            try? await Task.sleep(for: .milliseconds(250))
        }
    }

    /// Why it is not among those present.
    func missing(among adapters: [BlueZAdapter], unmanaged: [String]) -> RadioError {
        if let name = unmanaged.first(where: { adapters.isEmpty || self == .name($0) }) {
            return RadioError(
                .noAdapter, "\(name) is there, but bluetoothd does not manage it",
                hint: "stop the program that has it for itself, or see what bluetoothd and the kernel say "
                    + "(journalctl -u bluetooth, dmesg)")
        }
        guard !adapters.isEmpty else {
            return RadioError(
                .noAdapter, "this machine has no Bluetooth adapter",
                hint: "plug one in, or give the machine or container access to one (see README, \"A real adapter\")")
        }
        let present = adapters.map { "\($0.name) (\($0.address))" }.joined(separator: ", ")
        return RadioError(
            .noAdapter, "there is no adapter \(description.dropFirst("bluez:".count)) here",
            hint: "choose one of those present: \(present)")
    }
}
