// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth
import BluetoothCore
import HCI
import HostStack
public import Radio
import VirtualRadio

extension HCIRadio: CentralRadio, BondStoringCentralRadio, ServingRadio {
    public func openCentral(waits: Bool) async throws(RadioError) -> ReceivingCapabilities {
        if let capabilities = central.capabilities { return capabilities }
        do throws(RadioError) {
            switch place {
            case .virtual(let options, _):
                if air == nil { try await openAir(options) }
                try await openCentralController()
            case .controller(let transport): try await openController(transport, waits: waits)
            }
        } catch {
            await close()
            throw error
        }
        central.state = .ready
        let opened = ReceivingCapabilities(name: name, way: "our own host stack", address: capabilities?.address)
        central.capabilities = opened
        return opened
    }

    public func states() -> AsyncStream<CentralRadioState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: CentralRadioState.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield(central.state)
        guard !isClosed else {
            continuation.finish()
            return stream
        }
        central.lastObserver += 1
        let number = central.lastObserver
        central.observers[number] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { await self?.removeObserver(number) }
        }
        return stream
    }

    private func removeObserver(_ number: UInt64) { central.observers[number] = nil }

    /// Tells whether the radio can be used.
    func setCentralState(_ state: CentralRadioState) {
        guard central.state != state else { return }
        central.state = state
        for observer in central.observers.values { observer.yield(state) }
    }

    public func scan(_ parameters: ScanParameters) async throws(RadioError) -> AsyncStream<Sighting> {
        let host = try centralHost()
        guard parameters.isValid else {
            throw RadioError(
                .refused, "a scan window of \(parameters.window) in \(parameters.interval) cannot be",
                hint: "take 2.5 ms to 10.24 s, and a window no longer than the interval")
        }
        central.sightings?.finish()
        let (stream, continuation) = AsyncStream.makeStream(of: Sighting.self, bufferingPolicy: .bufferingNewest(4096))
        central.sightings = continuation
        host.change { $0.startScanning(parameters) }
        return stream
    }

    public func stopScanning() {
        central.sightings?.finish()
        central.sightings = nil
        hosts[central.host]?.change { $0.stopScanning() }
    }

    public func connect(to device: RemoteAddress, timeout: Duration) async throws(RadioError) -> any RemoteLink {
        let deadline = ContinuousClock.now + timeout
        while true {
            switch await attempt(device, until: deadline) {
            case .success(let link): return link
            case .failure(let failure):
                guard failure.isWorthRepeating, ContinuousClock.now + Self.pauseBetweenAttempts < deadline else {
                    throw failure.error
                }
                do {
                    try await Task.sleep(for: Self.pauseBetweenAttempts)
                } catch {
                    throw failure.error
                }
            }
        }
    }

    /// Long enough for a peer to see that there is no connection, and to advertise again.
    private static let pauseBetweenAttempts = Duration.milliseconds(250)

    private func attempt(
        _ device: RemoteAddress, until deadline: ContinuousClock.Instant
    ) async -> Result<any RemoteLink, ConnectionFailure> {
        do throws(RadioError) {
            switch try await makeConnection(to: device, until: deadline) {
            case .success(let link):
                try await confirm(link, until: deadline)
                return link.wasEstablished
                    ? .success(link)
                    : .failure(
                        ConnectionFailure(
                            error: RadioError(
                                .refused, "the connection to \(device) could not be established (0x3E)",
                                hint: "check that it is in range, and connect again"),
                            isWorthRepeating: true))
            case .failure(let failure): return .failure(failure)
            }
        } catch {
            return .failure(ConnectionFailure(error: error))
        }
    }

    private func makeConnection(
        to device: RemoteAddress, until deadline: ContinuousClock.Instant
    ) async throws(RadioError) -> Result<HCIRemoteLink, ConnectionFailure> {
        let timeout = ContinuousClock.now.duration(to: deadline)
        let host = try centralHost()
        let peer = PeerAddress(device)
        guard central.connecting[peer] == nil else {
            throw RadioError(.refused, "\(device) is being connected to already", hint: "wait for that")
        }
        central.lastAttempt += 1
        let attempt = central.lastAttempt
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                central.connecting[peer] = CentralState.Attempt(number: attempt, continuation: continuation)
                host.change { $0.connect(to: peer.address, type: peer.type, timeout: timeout) }
                if Task.isCancelled { cancelConnecting(to: peer, attempt) }
            }
        } onCancel: {
            Task { await self.cancelConnecting(to: peer, attempt) }
        }
    }

    private func cancelConnecting(to peer: PeerAddress, _ attempt: UInt64) {
        guard central.connecting[peer]?.number == attempt else { return }
        hosts[central.host]?.change { $0.cancelConnecting(to: peer.address, type: peer.type) }
    }

    /// Waits for the peer's first word: a controller says that there is a connection before the peer has heard of it,
    /// and a little later that it could not be established (0x3E).
    private func confirm(_ link: HCIRemoteLink, until deadline: ContinuousClock.Instant) async throws(RadioError) {
        let timer = Task {
            try await Task.sleep(until: deadline, clock: .continuous)
            self.disconnect(link)
        }
        defer { timer.cancel() }
        let answer = await withTaskCancellationHandler {
            // As centrals of others do, so that what follows fits into fewer packets; a peer need not agree.
            await link.agreeOnLength()
        } onCancel: {
            Task { await self.disconnect(link) }
        }
        guard case .failure(.disconnected(let reason)) = answer, link.wasEstablished else { return }
        throw RadioError(
            .refused, "the connection to \(link.device) was lost at once: \(reason)", hint: "connect again")
    }

    private func centralHost() throws(RadioError) -> ControllerHost {
        guard let host = hosts[central.host] else { throw Self.closed }
        return host
    }

    /// On a virtual air the central has a controller of its own.
    private func openCentralController() async throws(RadioError) {
        guard let air, hosts[central.host] == nil else { return }
        let host = makeHost(central.host)
        hosts[central.host] = host
        let link = AirLink(air, ControllerConfiguration(publicAddress: air.makePublicAddress()), user: host)
        let result = await withCheckedContinuation { continuation in
            opening = continuation
            host.start(on: link)
        }
        _ = try result.get()
    }

    /// What a host has to tell a central.
    /// - Returns: whether it was for the central.
    func takeAsCentral(_ event: LEHostEvent) -> Bool {
        switch event {
        case .scanReport(let report): central.sightings?.yield(Sighting(report))
        case .scanFailed(let failure):
            continuation.yield(.lost(RadioError(.refused, "\(name) does not scan: \(failure)", hint: "see the reason")))
            central.sightings?.finish()
            central.sightings = nil
        case .connected(let connection) where connection.role == .central: connectedAsCentral(connection)
        case .connectionFailed(let peer, let failure):
            let error = RadioError(
                .refused, "no connection to \(peer.address): \(failure)",
                hint: "check that it advertises, is connectable and in range")
            let isWorthRepeating = failure == .connection(.connectionFailedToBeEstablished)
            central.connecting.removeValue(forKey: peer)?.continuation.resume(
                returning: .failure(ConnectionFailure(error: error, isWorthRepeating: isWorthRepeating)))
        case .disconnected(let connection, let reason) where connection.role == .central:
            finishPairing(
                on: connection.id, .failure(PairingError(endOfLink: reason) ?? PairingError(.disconnected)))
            central.links.removeValue(forKey: connection.id)?.end(
                "\(reason)", wasEstablished: reason != .connectionFailedToBeEstablished)
        default: return takePairingAsCentral(event)
        }
        return true
    }

    private func connectedAsCentral(_ connection: LEConnection) {
        let peer = PeerAddress(connection.peerAddress, type: connection.peerAddressType)
        guard let waiting = central.connecting.removeValue(forKey: peer) else {
            hosts[central.host]?.change { $0.disconnect(connection.id) }
            return
        }
        let link = HCIRemoteLink(RemoteAddress(peer), connection.id, on: central.host, radio: self)
        central.links[connection.id] = link
        waiting.continuation.resume(returning: .success(link))
    }

    /// Ends everything that a central waits for.
    func endCentral(_ error: RadioError) {
        for waiting in central.connecting.values {
            waiting.continuation.resume(returning: .failure(ConnectionFailure(error: error)))
        }
        for connection in central.pairings.keys { finishPairing(on: connection, .failure(PairingError(.disconnected))) }
        for link in central.links.values { link.end(error.message) }
        central.connecting = [:]
        central.links = [:]
        central.sightings?.finish()
        central.sightings = nil
        setCentralState(.unavailable(error))
    }
}

/// Why there is no connection.
struct ConnectionFailure: Error {
    let error: RadioError
    /// Whether the first packets were lost, which happens on a healthy air and says nothing of the peer.
    var isWorthRepeating = false
}

/// What a radio does as a central.
struct CentralState {
    /// The host that scans and connects: the only one of a radio on one controller, another one on a virtual air.
    let host: HCIRadio.HostIdentifier

    /// Somebody who waits for a connection.
    struct Attempt {
        let number: UInt64
        let continuation: CheckedContinuation<Result<HCIRemoteLink, ConnectionFailure>, Never>
    }

    /// A pairing under way, and who waits for it.
    struct Pairing {
        let settings: PairingSettings
        let answer: @Sendable (PairingQuestion) async -> PairingAnswer
        let continuation: CheckedContinuation<Result<LinkProtection, PairingError>, Never>
        /// Whether new keys are made, which must be kept before it is over; else a bond's are used.
        var makesKeys = false
    }

    /// Who the central is, and who keeps its bonds.
    struct Bonds {
        let keeper: any BondStore
        let identifier: BeaconIdentifier
    }

    /// `nil` for a central whose bonds last as long as it.
    var bonds: Bonds?
    var state = CentralRadioState.unavailable(
        RadioError(.refused, "the radio is not open", hint: "open it first"))
    /// What the radio can do; `nil` before it is open.
    var capabilities: ReceivingCapabilities?
    var observers: [UInt64: AsyncStream<CentralRadioState>.Continuation] = [:]
    var lastObserver: UInt64 = 0
    var sightings: AsyncStream<Sighting>.Continuation?
    var connecting: [PeerAddress: Attempt] = [:]
    var lastAttempt: UInt64 = 0
    var links: [ConnectionIdentifier: HCIRemoteLink] = [:]
    var pairings: [ConnectionIdentifier: Pairing] = [:]
    /// Where the characteristics are that are served to the devices connected to.
    var served: CharacteristicHandles?
}

extension PeerAddress {
    init(_ device: RemoteAddress) {
        self.init(device.address, type: device.isRandom ? .random : .public)
    }
}

extension RemoteAddress {
    init(_ peer: PeerAddress) {
        self.init(peer.address, isRandom: peer.type.rawValue & 1 == 1)
    }
}

extension Sighting {
    fileprivate init(_ report: ScanReport) {
        self.init(
            device: RemoteAddress(PeerAddress(report.address, type: report.addressType)),
            pdu: PDU(rawValue: report.kind.name), data: report.data, rssi: report.rssi)
    }
}
