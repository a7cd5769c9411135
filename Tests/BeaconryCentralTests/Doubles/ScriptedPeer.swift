// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Glibc
import HCI
import HostStack
import Synchronization

/// A peripheral behind a TCP port of the virtual air, which answers by a script: our own host stack, with the attribute
/// protocol under the script's control.
final class ScriptedPeer: Sendable {
    /// The reaction to a PDU of the central.
    enum Answer: Sendable {
        /// The answer of a valid device.
        case asUsual
        /// These PDUs at once; none for silence.
        case these([[UInt8]])
        /// These PDUs after a time.
        case late(Duration, [[UInt8]])
        /// The answer of a valid device, followed at once by these PDUs.
        case usualAnd([[UInt8]])
        /// The device loses its power.
        case vanish
        /// The device ends the connection.
        case hangUp
    }

    typealias Script = @Sendable ([UInt8]) -> Answer

    static let service = BluetoothUUID.bit16(0xFFF0)
    /// Can be read, written with and without response, and notified.
    static let value = BluetoothUUID.bit16(0xFFF1)
    /// Can only be indicated.
    static let indicated = BluetoothUUID.bit16(0xFFF2)
    /// Can only be read.
    static let constant = BluetoothUUID.bit16(0xFFF3)

    static let services = [
        GATTService(
            uuid: service,
            characteristics: [
                GATTCharacteristic(
                    uuid: value, properties: [.read, .write, .writeWithoutResponse, .notify],
                    descriptors: [.userDescription("Value")]),
                GATTCharacteristic(uuid: indicated, properties: [.indicate]),
                GATTCharacteristic(uuid: constant, properties: [.read]),
            ])
    ]

    let address: BluetoothAddress
    private let database: AttributeDatabase
    private let descriptor: Int32
    private let inner: Mutex<Inner>

    private struct Inner {
        var host = LEHost()
        var decoder = H4Decoder()
        var script: Script = { _ in .asUsual }
        var connection: (identifier: ConnectionIdentifier, handle: ConnectionHandle?)?
        var values: [BluetoothUUID: [UInt8]] = [:]
        var received: [[UInt8]] = []
        var subscriptions: [BluetoothUUID: ClientCharacteristicConfiguration] = [:]
        var late: [(time: Duration, pdus: [[UInt8]])] = []
        var isGone = false
    }

    struct Unreachable: Error {}

    /// A peripheral that advertises on the air behind this port.
    init(
        port: Int, address: BluetoothAddress, services: [GATTService] = ScriptedPeer.services,
        advertising service: BluetoothUUID = service
    ) throws {
        self.address = address
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.descriptor = descriptor
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = in_port_t(port).bigEndian
        place.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Unreachable() }
        var isOn: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        var inner = Inner()
        guard let set = AdvertisingSetIdentifier(1) else { throw Unreachable() }
        database = try AttributeDatabase(services: services, genericAccess: GenericAccess(name: "Scripted"))
        inner.host.setDatabase(database, for: set)
        inner.host.setAdvertising(
            Advertisement(
                pdu: .connectableScannable,
                advertisingData: [.flags(.beacon), .localName("Scripted", isComplete: true)],
                scanResponse: [.service(service)], interval: AdvertisingInterval(32)),
            for: set, address: .random(address))
        inner.host.start(at: Self.now)
        self.inner = Mutex(inner)
        startThread()
    }

    /// Sets the script for PDUs from now on.
    func follow(_ script: @escaping Script) { inner.withLock { $0.script = script } }

    /// Answers like a valid device from now on.
    func behave() { follow { _ in .asUsual } }

    /// The value of a characteristic.
    subscript(characteristic: BluetoothUUID) -> [UInt8] {
        get { inner.withLock { $0.values[characteristic] ?? [] } }
        set { inner.withLock { $0.values[characteristic] = newValue } }
    }

    /// The handle of a characteristic's value.
    func handle(of characteristic: BluetoothUUID) -> AttributeHandle {
        database.valueHandle(of: characteristic) ?? .none
    }

    /// Notifies a value, even without a subscription.
    func notify(_ value: [UInt8], of characteristic: BluetoothUUID = value) {
        send([[0x1B] + handle(of: characteristic).serialized() + value])
    }

    /// The subscription of the central.
    func subscription(to characteristic: BluetoothUUID) -> ClientCharacteristicConfiguration {
        inner.withLock { $0.subscriptions[characteristic] ?? [] }
    }

    /// The attribute PDUs that were received.
    var received: [[UInt8]] { inner.withLock(\.received) }

    /// Whether a central is connected.
    var isConnected: Bool { inner.withLock { $0.connection != nil } }

    /// Sends attribute PDUs.
    func send(_ pdus: [[UInt8]]) {
        inner.withLock { inner in
            for pdu in pdus { write(pdu, inner) }
        }
    }

    /// Loses power.
    func vanish() {
        inner.withLock { inner in
            guard !inner.isGone else { return }
            inner.isGone = true
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
    }

    /// Ends the connection.
    func hangUp() {
        inner.withLock { inner in
            guard let connection = inner.connection else { return }
            inner.host.disconnect(connection.identifier)
            settle(&inner)
        }
    }

    private static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    // MARK: - The host

    /// Starts a separate thread, so that many peers do not wait for each other.
    private func startThread() {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self).toOpaque()
        pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<ScriptedPeer>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context)
        pthread_detach(thread)
    }

    private func run() {
        var deadline = inner.withLock { inner in
            settle(&inner)
            return Self.nextDeadline(of: inner)
        }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let pause = min(max(deadline - Self.now, .zero), Self.longestPause)
            _ = poll(&waiting, 1, Int32(pause / .milliseconds(1)) + 1)
            if waiting.revents != 0 {
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0 else { break }
                inner.withLock { inner in
                    inner.decoder.append(buffer[..<count])
                    while let packet = try? inner.decoder.next() { receive(packet, &inner) }
                    settle(&inner)
                }
            }
            deadline = inner.withLock { inner in
                let now = Self.now
                inner.host.advance(to: now)
                settle(&inner)
                for pdu in inner.late.filter({ $0.time <= now }).flatMap(\.pdus) { write(pdu, inner) }
                inner.late.removeAll { $0.time <= now }
                return Self.nextDeadline(of: inner)
            }
        }
        // The system gives the number of a closed descriptor to the next file, so the others must know.
        inner.withLock { inner in
            inner.isGone = true
            close(descriptor)
        }
    }

    /// The longest time until deadlines are looked at that another thread has set.
    private static let longestPause = Duration.milliseconds(200)

    private static func nextDeadline(of inner: Inner) -> Duration {
        (inner.late.map(\.time) + [inner.host.nextDeadline].compactMap(\.self)).min() ?? now + longestPause
    }

    private func receive(_ packet: HCIPacket, _ inner: inout Inner) {
        guard case .acl(let data) = packet, let frame = try? L2CAPFrame(parsing: data.payload),
            frame.channel == .attribute
        else { return inner.host.receive(packet, at: Self.now) }
        inner.connection?.handle = data.handle
        inner.received.append(frame.payload)
        switch inner.script(frame.payload) {
        case .asUsual: inner.host.receive(packet, at: Self.now)
        case .these(let pdus): for pdu in pdus { write(pdu, inner) }
        case .late(let delay, let pdus):
            inner.late.append((Self.now + delay, pdus))
        case .usualAnd(let pdus):
            inner.host.receive(packet, at: Self.now)
            settle(&inner)
            for pdu in pdus { write(pdu, inner) }
        case .vanish:
            inner.isGone = true
            shutdown(descriptor, Int32(SHUT_RDWR))
        case .hangUp:
            if let connection = inner.connection { inner.host.disconnect(connection.identifier) }
        }
    }

    private func settle(_ inner: inout Inner) {
        while true {
            let outputs = inner.host.takeOutputs()
            guard !outputs.isEmpty else { return }
            for output in outputs {
                switch output {
                case .send(let packet): write(packet, inner)
                case .event(let event): take(event, &inner)
                }
            }
        }
    }

    private func take(_ event: LEHostEvent, _ inner: inout Inner) {
        switch event {
        case .connected(let connection): inner.connection = (connection.id, nil)
        case .disconnected: (inner.connection, inner.subscriptions) = (nil, [:])
        case .subscriptionChanged(_, _, _, let uuid, let configuration): inner.subscriptions[uuid] = configuration
        case .attributeRequest(let request):
            let result: Result<[UInt8], ATTError>
            switch request.operation {
            case .read(let offset): result = .success(Array((inner.values[request.uuid] ?? []).dropFirst(offset)))
            case .write(_, let value, _):
                inner.values[request.uuid] = value
                result = .success([])
            }
            inner.host.respond(to: request.token, of: request.connection, with: result)
        default: break
        }
    }

    private func write(_ pdu: [UInt8], _ inner: Inner) {
        guard let handle = inner.connection?.handle else { return }
        let frame = L2CAPFrame(channel: .attribute, payload: pdu)
        write(.acl(ACLDataPacket(handle: handle, boundary: .firstNonFlushable, payload: frame.serialized())), inner)
    }

    private func write(_ packet: HCIPacket, _ inner: Inner) {
        guard !inner.isGone else { return }
        let bytes = packet.serialized()
        _ = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }
}

extension AdvertisingStructure {
    /// The list of services with this one.
    fileprivate static func service(_ uuid: BluetoothUUID) -> AdvertisingStructure {
        if case .bit16(let number) = uuid { return .serviceUUIDs16([number], isComplete: true) }
        return .serviceUUIDs128([uuid.expanded], isComplete: true)
    }
}
