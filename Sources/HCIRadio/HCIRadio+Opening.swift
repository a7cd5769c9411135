// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import HostStack
import NIOCore
import Radio
import VirtualRadio

extension HCIRadio {
    /// Makes the virtual air and serves controllers on it.
    func openAir(_ options: VirtualAirOptions) async throws(RadioError) {
        let air = LiveAir(
            Air(
                AirConfiguration(
                    seed: seed ?? 0, timing: options.timing,
                    pathLoss: PathLoss(exponent: options.pathLossExponent, noise: options.noise)),
                numbers: options.seed == nil ? SystemRandomNumberGenerator() : nil),
            loop: loop, capture: capture.map(PacketCapture.init))
        self.air = air
        let report = { @Sendable [continuation] (event: HostEvent) in _ = continuation.yield(.host(event)) }
        for server in options.servers {
            switch server {
            case .tcp(let host, let port, let address):
                let addresses = PublicAddresses(from: address, on: air)
                let server = try await AirServer.start(
                    on: host, port: port, addresses: addresses, air: air, report: report)
                servers.append(server)
                if !server.isLocal { continuation.yield(.warning(nil, Self.exposed(server.name))) }
            case .kernel(let address):
                kernelControllers.append(
                    try KernelController(air: air, address: address ?? air.makePublicAddress(), report: report))
            }
        }
    }

    private static func exposed(_ server: String) -> Warning {
        Warning(
            code: "air-exposed",
            message:
                "\(server) listens beyond this machine: whoever reaches it is on the air, and may connect to the beacons "
                + "and configure them", hint: "listen on tcp:127.0.0.1:PORT, or keep others out with a firewall")
    }

    /// Has somebody told, after each wake-up of the virtual air, how late the first of what was due came.
    package func observeWakeUps(_ observe: @escaping @Sendable (Duration) -> Void) { air?.onWakeUp = observe }

    /// Opens the way to a controller and waits until the host knows it.
    func openController(_ transport: HCITransport, waits: Bool) async throws(RadioError) {
        var trouble: RadioError?
        while true {
            do throws(RadioError) {
                capabilities = try await startHost(on: transport)
                return
            } catch {
                guard waits, !isClosed, !Task.isCancelled else { throw error }
                if trouble != error { continuation.yield(.lost(error)) }
                trouble = error
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// The one host of a radio on one controller.
    static let onlyHost = HostIdentifier(rawValue: 0)

    /// Starts the host, on a way to the controller that is opened anew.
    private func startHost(on transport: HCITransport) async throws(RadioError) -> LEHostCapabilities {
        let host = hosts[Self.onlyHost] ?? makeHost(Self.onlyHost)
        hosts[Self.onlyHost] = host
        let link = try await transport.open(on: loop, user: host)
        guard !isClosed else {
            link.close()
            throw Self.closed
        }
        let result = await withCheckedContinuation { continuation in
            opening = continuation
            host.start(on: link)
        }
        if case .failure = result { host.close() }
        return try result.get()
    }

    /// The capture of a host's packets; on a virtual air it is the air that captures.
    private var hostCapture: PacketCapture? {
        if case .virtual = place { nil } else { capture.map(PacketCapture.init) }
    }

    /// A host whose notices come here.
    func makeHost(_ identifier: HostIdentifier) -> ControllerHost {
        let isCentral = identifier == central.host
        let host = ControllerHost(
            isCentral ? centralConfiguration : configuration, loop: loop, capture: hostCapture
        ) { [weak self] notice in
            // Everything of a radio happens on its event loop.
            self?.assumeIsolated { $0.take(notice, of: identifier) }
        }
        if isCentral { setPairingAsCentral(of: host) }
        return host
    }

    /// Brings a lost controller back, for as long as it takes.
    func recover(_ transport: HCITransport) {
        guard recovery == nil, !isClosed else { return }
        recovery = Task { [weak self] in
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(1))
                if await self?.tryAgain(transport) ?? true { return }
            }
        }
    }

    private func tryAgain(_ transport: HCITransport) async -> Bool {
        guard !isClosed else { return true }
        guard (try? await startHost(on: transport)) != nil else { return false }
        recovery = nil
        setCentralState(.ready)
        return true
    }

    /// Takes all beacons off a controller and waits until it says so, for a second at most.
    func silence() async {
        guard let host = hosts[Self.onlyHost], !beacons.isEmpty else { return }
        for beacon in beacons.values { host.change { $0.stopAdvertising(beacon.seat.set) } }
        for central in centrals.values { host.change { $0.disconnect(central.connection) } }
        for _ in 0..<20 where !host.isIdle { try? await Task.sleep(for: .milliseconds(50)) }
    }
}
