// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HCIRadio
import NIOCore
import NIOPosix
import Radio
import Space
import Synchronization
import TestTraits
import Testing
import VirtualRadio

@testable import ESPHomeProxy

/// Proxies as radios: our own on a virtual air, and servers that play proxies with faults.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct ProxyRadioTests {
    private static let device: UInt64 = 0xC0FF_EE00_0001
    private static let key = EncryptionKey(base64: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")

    /// A proxy of ours, 2 m from a beacon.
    private struct Setup {
        let air: VirtualAirRadio
        let proxy: BluetoothProxy
        let place: HostAndPort
        let reports: Reports

        init(key: EncryptionKey? = nil) async throws {
            air = VirtualAirRadio(VirtualAirOptions(timing: .immediate, servers: []))
            let advertisement = Advertisement(
                pdu: .nonConnectable, advertisingData: [.flags(.beacon)], interval: AdvertisingInterval(32),
                address: BluetoothAddress(number: device))
            let beacon = HostedBeacon(
                identifier: BeaconIdentifier("beacon"), services: [], advertisement: advertisement,
                site: BeaconSite(motion: .rest(Position(x: 0, y: 0))))
            _ = try await air.open([beacon], waits: false) { _ in .failure(.unlikely) }
            await air.advertise(advertisement, for: beacon.identifier)
            let host = try await air.addHost(AirHost("kitchen", motion: .rest(Position(x: 2, y: 0))))
            let reports = Reports()
            self.reports = reports
            var settings = BluetoothProxy.Settings(name: "kitchen", host: "127.0.0.1", port: 0, key: key)
            settings.greetingTime = .seconds(600)
            proxy = BluetoothProxy(settings, host: host) { reports.add($0) }
            place = try #require(HostAndPort(try await proxy.start()))
        }

        func close() async {
            await proxy.close()
            await air.close()
        }
    }

    private final class Reports: Sendable {
        private let storage = Mutex<[HostEvent.Action]>([])
        var actions: [HostEvent.Action] { storage.withLock { $0 } }
        func add(_ report: BluetoothProxy.Report) {
            if case .host(let event) = report { storage.withLock { $0.append(event.action) } }
        }
    }

    /// A server that sends certain bytes to each client, and reads nothing.
    private final class Server: Sendable {
        /// What a client gets.
        enum Script {
            case bytes([UInt8])
            case bytesAndEnd([UInt8])
        }

        private let channel: any Channel
        let connections: AsyncStream<Void>

        /// - Parameter scripts: for one client after the other; the last one is that of all others.
        init(_ scripts: Script...) async throws {
            let (connections, connection) = AsyncStream.makeStream(of: Void.self)
            self.connections = connections
            let count = Mutex(0)
            channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                // The connections have it from their start.
                .serverChannelOption(.socketOption(.so_rcvbuf), value: 4096)
                .childChannelOption(.autoRead, value: false)
                .childChannelInitializer { channel in
                    let number = count.withLock { count in
                        count += 1
                        return min(count, scripts.count) - 1
                    }
                    channel.eventLoop.execute {
                        switch scripts[number] {
                        case .bytes(let bytes): channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
                        case .bytesAndEnd(let bytes):
                            channel.writeAndFlush(ByteBuffer(bytes: bytes)).whenComplete { _ in
                                channel.close(promise: nil)
                            }
                        }
                        connection.yield()
                    }
                    return channel.eventLoop.makeSucceededVoidFuture()
                }
                .bind(host: "127.0.0.1", port: 0).get()
        }

        var place: HostAndPort {
            get throws { try #require(HostAndPort("127.0.0.1:\(channel.localAddress?.port ?? 0)")) }
        }

        func close() async { try? await channel.close().get() }
    }

    /// All that a proxy sends until a client is subscribed.
    private static let opening: [UInt8] = {
        let identity = ProxyIdentity(name: "kitchen", address: .zero, isEncrypted: false)
        let messages: [ServerMessage] = [
            .hello(ProxyGreeting(identity)), .deviceInfo(identity),
        ]
        return messages.flatMap { Frame.plaintext(type: $0.type, body: $0.body) ?? [] }
    }()

    /// A radio whose limits a busy machine does not reach.
    private static func radio(at place: HostAndPort, key: EncryptionKey? = nil) -> ProxyRadio {
        let limits = ClientSession.Limits(
            connecting: .seconds(600), answer: .seconds(600), ping: .seconds(600), silence: .seconds(600))
        return ProxyRadio(place, key: key, limits: limits)
    }

    private static func error(_ open: () async throws -> Void) async -> RadioError? {
        await #expect(throws: RadioError.self) { try await open() }
    }

    @Test(arguments: [nil, key])
    func proxyIsReceived(_ key: EncryptionKey?) async throws {
        let setup = try await Setup(key: key)
        let radio = Self.radio(at: setup.place, key: key)
        let capabilities = try await radio.openCentral(waits: false)
        #expect(capabilities.name == "esphome:127.0.0.1:\(setup.place.port)")
        #expect(capabilities.way == "ESPHome proxy kitchen, ESPHome 2025.12.0")
        #expect(capabilities.address != nil && capabilities.limits.contains { $0.subject == .exclusive })
        #expect(try await radio.openCentral(waits: false) == capabilities)
        // Each scan is a subscription.
        for _ in 0..<2 {
            var sightings: [Sighting] = []
            for await sighting in try await radio.scan(ScanParameters()) {
                sightings.append(sighting)
                if sightings.count == 20 { break }
            }
            let device = RemoteAddress(try #require(BluetoothAddress(number: Self.device)), isRandom: true)
            #expect(Set(sightings) == [Sighting(device: device, pdu: nil, data: [2, 1, 6], rssi: RSSI(-65))])
            await radio.stopScanning()
        }
        await radio.close()
        #expect(await Self.error { _ = try await radio.scan(ScanParameters()) }?.message == "the radio was closed")
        #expect(await Self.error { _ = try await radio.openCentral(waits: true) }?.message == "the radio was closed")
        // The end of the session is in order.
        while setup.reports.actions.last != .left { await Task.yield() }
        #expect(setup.reports.actions == [.joined, .left])
        await setup.close()
    }

    @Test func keysMustBeEqual() async throws {
        let (plain, encrypted) = (try await Setup(), try await Setup(key: Self.key))
        let other = EncryptionKey(base64: "AQECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
        for (setup, key, words) in [
            (plain, Self.key, "answers without encryption, although a key is given"),
            (encrypted, nil, "requires a key"), (encrypted, other, "has another key"),
        ] {
            let radio = Self.radio(at: setup.place, key: key)
            // Waiting does not help.
            let error = await Self.error { _ = try await radio.openCentral(waits: true) }
            #expect(error?.message == "\(radio.name) \(words)" && error?.code == .notPermitted)
            await radio.close()
        }
        await plain.close()
        await encrypted.close()
    }

    @Test func endOfTheProxyEndsTheScan() async throws {
        let setup = try await Setup()
        let radio = Self.radio(at: setup.place)
        _ = try await radio.openCentral(waits: false)
        let sightings = try await radio.scan(ScanParameters())
        async let end: Void = setup.proxy.close()
        for await _ in sightings {}
        var states = await radio.states().makeAsyncIterator()
        guard case .unavailable(let error)? = await states.next() else {
            Issue.record("the radio is still usable")
            return
        }
        #expect(error.message == "\(radio.name) has ended the session")
        #expect(await Self.error { _ = try await radio.scan(ScanParameters()) } == error)
        await end
        await radio.close()
        await setup.air.close()
    }

    @Test func lostConnectionEndsTheScan() async throws {
        let running = ServerMessage.scannerState(.running, isActive: true, isActiveByDefault: true)
        let server = try await Server(
            .bytesAndEnd(Self.opening + (Frame.plaintext(type: running.type, body: running.body) ?? [])))
        let radio = Self.radio(at: try server.place)
        // The connection ends while it is opened, before the scan or during it.
        do {
            _ = try await radio.openCentral(waits: false)
            for await _ in try await radio.scan(ScanParameters()) {}
        } catch {
            #expect(error.message.hasPrefix("\(radio.name) has ended the connection"))
        }
        for await case .unavailable(let error) in await radio.states() {
            #expect(error.message.hasPrefix("\(radio.name) has ended the connection"))
            break
        }
        await radio.close()
        await server.close()
    }

    @Test func proxyIsWaitedForIfRequested() async throws {
        let server = try await Server(.bytesAndEnd([]), .bytes(Self.opening))
        let impatient = Self.radio(at: try server.place)
        let error = await Self.error { _ = try await impatient.openCentral(waits: false) }
        #expect(error?.message == "\(impatient.name) has ended the connection before it answered")
        await server.close()
        #expect(await Self.error { _ = try await impatient.openCentral(waits: false) }?.code == .noAdapter)
        await impatient.close()

        let later = try await Server(.bytesAndEnd([]), .bytes(Self.opening))
        let radio = Self.radio(at: try later.place)
        #expect(try await radio.openCentral(waits: true).name == radio.name)
        await radio.close()
        await later.close()
    }

    @Test func silentServerIsGivenUp() async throws {
        let server = try await Server(.bytes([]))
        var limits = ClientSession.Limits()
        limits.answer = .milliseconds(20)
        limits.tick = .milliseconds(5)
        let radio = ProxyRadio(try server.place, key: Self.key, limits: limits)
        let error = await Self.error { _ = try await radio.openCentral(waits: false) }
        #expect(error?.message.hasPrefix("\(radio.name) did not answer within") == true)
        await radio.close()
        await server.close()
    }

    @Test func closingEndsTheOpening() async throws {
        let server = try await Server(.bytes([]))
        let radio = Self.radio(at: try server.place)
        async let opening = Self.error { _ = try await radio.openCentral(waits: true) }
        for await _ in server.connections { break }
        await radio.close()
        #expect(await opening?.message == "the radio was closed")
        await server.close()
    }

    @Test func proxyThatDoesNotReadIsGivenUp() async throws {
        let pings = (0..<60_000).flatMap { _ in [0, 0, 7] as [UInt8] }
        let server = try await Server(.bytes(Self.opening + pings))
        let radio = Self.radio(at: try server.place)
        // The session may have ended when this returns.
        _ = try? await radio.openCentral(waits: false)
        for await case .unavailable(let error) in await radio.states() {
            #expect(error.message == "\(radio.name) does not read what is sent to it")
            break
        }
        await radio.close()
        await server.close()
    }

    /// The proxy does not answer the subscription.
    @Test func scanThatIsStoppedEarlyEnds() async throws {
        let server = try await Server(.bytes(Self.opening))
        let radio = Self.radio(at: try server.place)
        _ = try await radio.openCentral(waits: false)
        let hasReturned = Mutex(false)
        async let count = {
            defer { hasReturned.withLock { $0 = true } }
            var count = 0
            for await _ in try await radio.scan(ScanParameters()) { count += 1 }
            return count
        }()
        while !hasReturned.withLock({ $0 }) {
            await radio.stopScanning()
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(try await count == 0)
        await radio.close()
        await server.close()
    }

    @Test func onlyReceivingIsSupported() async throws {
        let server = try await Server(.bytes(Self.opening))
        let radio = Self.radio(at: try server.place)
        #expect(await Self.error { _ = try await radio.scan(ScanParameters()) }?.message == "\(radio.name) is not open")
        _ = try await radio.openCentral(waits: false)
        #expect(await Self.error { _ = try await radio.scan(ScanParameters(isActive: false)) }?.code == .unsupported)
        let device = RemoteAddress(.zero, isRandom: false)
        let error = await Self.error { _ = try await radio.connect(to: device, timeout: .seconds(1)) }
        #expect(error?.code == .unsupported)
        await radio.close()
        await server.close()
    }

    @Test func nameHasBracketsAroundAnAddress() throws {
        #expect(ProxyRadio.name(of: try #require(HostAndPort("[::1]:6053"))) == "esphome:[::1]:6053")
        #expect(ProxyRadio.name(of: try #require(HostAndPort("kitchen.local:6053"))) == "esphome:kitchen.local:6053")
    }
}
