// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Advertising
public import Bluetooth
import BluetoothCore
import HCI
import HostStack
import NIOCore
import NIOPosix
public import Radio
import VirtualRadio

/// A radio of our own host stack: on a virtual air, where every beacon has a controller to itself, or on one controller
/// that somebody else made, where beacons have an advertising set each.
///
/// All of it lives on one event loop: what a controller says and what follows from it happen in one go.
public actor HCIRadio: PeripheralRadio, ConnectionUpdatingRadio, ClientRadio, PairingRadio, BondStoringRadio {
    public nonisolated let name: String
    public nonisolated let events: AsyncStream<RadioEvent>
    let continuation: AsyncStream<RadioEvent>.Continuation
    let place: Place
    /// What decides the chance of a virtual air: the seed given, or a random one.
    let seed: UInt64?
    let capture: (any CaptureSink)?
    /// What each host is told.
    let configuration: LEHostConfiguration
    nonisolated let loop: any EventLoop

    var air: LiveAir?
    var servers: [AirServer] = []
    var kernelControllers: [KernelController] = []
    /// The beacons that are carried, by name and by where.
    var beacons: [BeaconIdentifier: SeatedBeacon] = [:]
    var occupants: [Seat: SeatedBeacon] = [:]
    var hosts: [HostIdentifier: ControllerHost] = [:]
    var nextHost = HostIdentifier(rawValue: 0)
    var attributes: AttributeResponder?
    var centrals: [String: ConnectedCentral] = [:]
    var central: CentralState
    /// Who keeps what beacons and centrals agree on.
    var keeper: (any BondStore)?
    var capabilities: LEHostCapabilities?
    /// Whoever waits for the controller to be ready.
    var opening: CheckedContinuation<Result<LEHostCapabilities, RadioError>, Never>?
    var recovery: Task<Void, Never>?
    var isClosed = false

    /// Where the controllers are.
    enum Place: Sendable {
        case virtual(VirtualAirOptions, reason: String?)
        case controller(HCITransport)
    }

    /// One of the controllers in use.
    struct HostIdentifier: Hashable {
        var rawValue: Int
    }

    /// Where a beacon is carried.
    struct Seat: Hashable {
        let host: HostIdentifier
        let set: AdvertisingSetIdentifier
    }

    /// A central that is connected to a beacon.
    struct ConnectedCentral {
        let beacon: BeaconIdentifier
        let link: HCIRemoteLink

        var host: HostIdentifier { link.host }
        var connection: ConnectionIdentifier { link.connection }
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    /// A radio on a virtual air of its own.
    /// - Parameter reason: why it is virtual, when nobody asked for that.
    public init(
        virtual options: VirtualAirOptions, reason: String? = nil, capture: (any CaptureSink)? = nil
    ) {
        self.init(.virtual(options, reason: reason), name: "virtual", capture)
    }

    /// A radio on a controller that somebody else made.
    /// - Parameter maximumTransmissionUnit: how many octets of an attribute protocol PDU it offers to take: 23 to 517.
    public init(
        _ transport: HCITransport, maximumTransmissionUnit: UInt16 = 517, capture: (any CaptureSink)? = nil
    ) {
        self.init(
            .controller(transport), name: "\(transport)", capture, maximumTransmissionUnit: maximumTransmissionUnit)
    }

    private init(
        _ place: Place, name: String, _ capture: (any CaptureSink)?, maximumTransmissionUnit: UInt16 = 517
    ) {
        self.place = place
        configuration = LEHostConfiguration(maximumTransmissionUnit: maximumTransmissionUnit)
        self.capture = capture
        self.name = name
        if case .virtual(let options, _) = place {
            central = CentralState(host: HostIdentifier(rawValue: -1))
            // Of 32 bits: JSON's numbers are exact up to 53.
            seed = options.seed ?? UInt64(UInt32.random(in: 1...UInt32.max))
        } else {
            central = CentralState(host: Self.onlyHost)
            seed = nil
        }
        loop = MultiThreadedEventLoopGroup.singleton.next()
        (events, continuation) = AsyncStream.makeStream()
    }

    public func open(
        _ beacons: [HostedBeacon], waits: Bool,
        attributes: @escaping AttributeResponder
    ) async throws(RadioError) -> RadioCapabilities {
        self.attributes = attributes
        do throws(RadioError) {
            switch place {
            case .virtual(let options, _): try await openAir(options)
            case .controller(let transport): try await openController(transport, waits: waits)
            }
            try plan(beacons)
        } catch {
            await close()
            throw error
        }
        return described()
    }

    public func replan(_ beacons: [HostedBeacon]) async throws(RadioError) {
        try plan(beacons)
    }

    public func advertise(_ advertisement: Advertisement?, for beacon: BeaconIdentifier) {
        guard let seated = beacons[beacon], seated.wanted != advertisement else { return }
        seated.wanted = advertisement
        apply(seated)
    }

    public func notify(
        _ value: [UInt8], of characteristic: CharacteristicIdentifier, on beacon: BeaconIdentifier, to central: String?
    ) {
        guard let handle = beacons[beacon]?.characteristics?.handle(of: characteristic) else { return }
        for (name, connected) in centrals where connected.beacon == beacon && (central ?? name) == name {
            hosts[connected.host]?.change { $0.notify(value, of: handle, to: connected.connection) }
        }
    }

    public func updateConnection(of central: String, to parameters: ConnectionParameters) {
        guard let central = centrals[central] else { return }
        hosts[central.host]?.change { $0.updateConnection(central.connection, to: parameters) }
    }

    public func disconnect(central: String) {
        guard let central = centrals[central] else { return }
        hosts[central.host]?.change { $0.disconnect(central.connection) }
    }

    public func close() async {
        guard !isClosed else { return }
        isClosed = true
        recovery?.cancel()
        opening?.resume(returning: .failure(Self.closed))
        opening = nil
        endCentral(Self.closed)
        for connected in centrals.values { connected.link.end(Self.closed.message) }
        for observer in central.observers.values { observer.finish() }
        // What is on a controller of somebody else's must not stay there.
        if case .controller = place { await silence() }
        for host in hosts.values { host.close() }
        for server in servers { await server.close() }
        for controller in kernelControllers { controller.close() }
        hosts = [:]
        air?.close()
        air = nil
        // Links know their radio, and answers may come from who knows it.
        centrals = [:]
        attributes = nil
        continuation.finish()
    }

    static let closed = RadioError(.refused, "the radio was closed", hint: "open it again")

    /// What this radio is, now that it is open.
    func described() -> RadioCapabilities {
        switch place {
        case .virtual(_, let reason):
            Self.virtualCapabilities(
                reason: reason, beacons: beacons.count,
                servers: servers.map(\.name)
                    + kernelControllers.map { "vhci:hci\($0.index)" }, seed: seed)
        case .controller:
            described(capabilities)
        }
    }

    /// What a virtual air is that carries so many beacons.
    static func virtualCapabilities(
        reason: String?, beacons: Int, servers: [String], seed: UInt64? = nil
    ) -> RadioCapabilities {
        RadioCapabilities(
            name: "virtual", way: "controllers of our own on a virtual air", wayReason: reason ?? "as asked",
            address: nil, hasExtendedAdvertising: true, instances: virtualCapacity,
            freeInstances: virtualCapacity - beacons, sharesTime: false, canReadBack: true, servers: servers,
            seed: seed)
    }

    private func described(_ capabilities: LEHostCapabilities?) -> RadioCapabilities {
        let isExtended = capabilities?.hasExtendedAdvertising ?? false
        let instances = capabilities.map(Self.capacity(of:)) ?? 0
        return RadioCapabilities(
            name: name, way: "our own host stack",
            wayReason: "Bluetooth \(capabilities?.versionName ?? "of unknown version") controller",
            address: capabilities?.address, hasExtendedAdvertising: isExtended, instances: instances,
            freeInstances: max(0, instances - beacons.count), sharesTime: !isExtended, canReadBack: true)
    }

    /// More controllers than anybody needs on one air.
    static let virtualCapacity = 65_536

    /// How many beacons a controller carries: a set each, or turns of its only advertiser.
    static func capacity(of capabilities: LEHostCapabilities) -> Int {
        capabilities.hasExtendedAdvertising
            ? capabilities.advertisingSets : AdvertisingSetIdentifier.range.count
    }
}
