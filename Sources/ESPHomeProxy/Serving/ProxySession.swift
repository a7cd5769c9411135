// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import NIOCore
import Radio

/// The session of one client with a proxy: from the connection to its end.
///
/// The client greets first. Its requests are answered in their order, those about one device one after the other. Responses
/// wait in `outgoing` until the client takes them: while many do, no more requests are read, and advertisements are left
/// out, so that a client that stops reading delays no other and needs no more memory.
actor ProxySession {
    typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// A device that is connected, or being connected.
    private struct Device {
        /// The attempt to connect.
        var attempt: Task<Void, Never>?
        var link: (any RemoteLink)?
        var mtu = 0
        /// The value handles of the characteristics whose notifications the client gets.
        var notifying: Set<UInt32> = []
        /// The latest operation; the next one waits for it.
        var latest: Task<Void, Never>?
    }

    /// The time between two looks at the silence of a client that has greeted.
    private static let watchPeriod = Duration.seconds(30)
    /// Silence after which the client is asked whether it is there, and after which the session ends (esphome 2025.8,
    /// api_connection.cpp).
    private static let pingTime = Duration.seconds(60)
    private static let silenceLimit = Duration.seconds(150)
    /// Bytes that wait for the client: beyond the first number, advertisements are left out and no requests are read; beyond
    /// the second, which notifications of devices reach, the session ends.
    private static let outgoingLimit = 65_536
    private static let outgoingMaximum = 1_048_576
    /// Operations on devices that wait.
    private static let operationLimit = 64
    /// The time that an attempt to connect takes at most.
    private static let connectionTime = Duration.seconds(20)
    /// The time for the last bytes at the end.
    private static let lingering = Duration.seconds(2)

    private nonisolated let proxy: BluetoothProxy
    private let number: Int
    private let peer: String
    private let identity: ProxyIdentity
    private let host: any CentralRadio
    private let channel: any Channel
    private var messages: MessageChannel
    private var hasGreeted = false
    private var usesShortUUIDs = false
    private var isOver = false
    private var lastInput = ContinuousClock.now

    private var outgoing = ByteBuffer()
    private var writer: CheckedContinuation<Void, Never>?
    private var reader: CheckedContinuation<Void, Never>?
    private var devices: [UInt64: Device] = [:]
    private var waitingOperations = 0
    private var hasWarnedOfSlowness = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { proxy.unownedExecutor }

    init(
        _ number: Int, peer: String, of proxy: BluetoothProxy, _ identity: ProxyIdentity, host: any CentralRadio,
        channel: any Channel
    ) {
        self.number = number
        self.peer = peer
        self.proxy = proxy
        self.identity = identity
        self.host = host
        self.channel = channel
        messages = MessageChannel(key: proxy.settings.key, name: identity.name, address: identity.address)
    }

    /// Closes a connection that is not served.
    static func discard(_ connection: Connection) async { try? await connection.executeThenClose { _, _ in } }

    // MARK: - Bytes

    /// Serves the client until the end of its connection.
    func serve(_ connection: Connection) async {
        proxy.post(.joined, peer)
        let watch = Task { await watchSilence() }
        try? await connection.executeThenClose { input, output in
            let writing = Task { await write(to: output) }
            do {
                for try await bytes in input {
                    receive(bytes)
                    await waitUntilReadable()
                    if isOver { break }
                }
            } catch {
                // The connection was lost; that is the end of the session, too.
            }
            isOver = true
            wake()
            await writing.value
        }
        watch.cancel()
        await endDevices()
        proxy.post(.left, peer)
    }

    private func receive(_ bytes: ByteBuffer) {
        guard !isOver else { return }
        lastInput = .now
        messages.append(bytes.readableBytesView)
        while !isOver, let input = messages.next() {
            switch input {
            case .send(let bytes): enqueue(bytes)
            case .end(let reason): refuse(reason)
            case .message(let type, let body):
                do throws(WireError) {
                    handle(try ClientMessage(type: type, body: body))
                } catch {
                    refuse("its message of type \(type) is malformed (\(error))")
                }
            }
        }
    }

    /// Ends the session for a reason.
    private func refuse(_ reason: String) {
        guard !isOver else { return }
        proxy.post(.refused(reason: reason), peer)
        end()
    }

    private func end() {
        isOver = true
        wake()
        // A client that does not take the last bytes is not waited for.
        let channel = channel
        Task {
            try? await Task.sleep(for: Self.lingering)
            channel.close(promise: nil)
        }
    }

    /// Ends the session because other clients connect, and this one has not greeted.
    func makeRoom() { refuse("it did not greet while \(BluetoothProxy.strangerLimit) others connected") }

    /// Ends the session because the proxy ends.
    func shutDown() {
        guard !isOver else { return }
        if hasGreeted { send(.disconnect) }
        end()
    }

    /// Sends a message.
    func send(_ message: ServerMessage) {
        guard !isOver else { return }
        guard let frame = messages.frame(type: message.type, body: message.body) else {
            return refuse("a message of \(message.body.count) bytes for it is too long")
        }
        enqueue(frame)
    }

    /// Sends a batch of advertisements, unless the client has not taken earlier bytes.
    func sendAdvertisements(_ body: [UInt8]) {
        guard !isOver else { return }
        guard outgoing.readableBytes < Self.outgoingLimit else { return leaveOut() }
        if let frame = messages.frame(type: ServerMessage.advertisementsType, body: body) { enqueue(frame) }
    }

    private func leaveOut() {
        guard !hasWarnedOfSlowness else { return }
        hasWarnedOfSlowness = true
        proxy.warn(
            Warning(
                code: "esphome-slow-client",
                message:
                    "\(peer) does not read from \(identity.friendlyName): advertisements are left out until it does",
                hint: "check the client"))
    }

    private func enqueue(_ bytes: [UInt8]) {
        guard outgoing.readableBytes + bytes.count <= Self.outgoingMaximum else {
            outgoing.clear()
            return refuse("it does not read")
        }
        outgoing.writeBytes(bytes)
        writer?.resume()
        writer = nil
    }

    private func write(to output: NIOAsyncChannelOutboundWriter<ByteBuffer>) async {
        while true {
            if outgoing.readableBytes == 0 {
                if isOver { break }
                await withCheckedContinuation { writer = $0 }
                continue
            }
            let bytes = outgoing
            outgoing = ByteBuffer()
            wakeReader()
            do {
                try await output.write(bytes)
            } catch {
                isOver = true
                break
            }
        }
        wakeReader()
        // The reader of a session that ends here waits for the client.
        channel.close(promise: nil)
    }

    /// Waits while much waits for the client, or for its devices.
    private func waitUntilReadable() async {
        while !isOver, outgoing.readableBytes >= Self.outgoingLimit || waitingOperations >= Self.operationLimit {
            await withCheckedContinuation { reader = $0 }
        }
    }

    private func wakeReader() {
        reader?.resume()
        reader = nil
    }

    private func wake() {
        writer?.resume()
        writer = nil
        wakeReader()
    }

    private func watchSilence() async {
        while !Task.isCancelled, !isOver {
            try? await Task.sleep(for: hasGreeted ? Self.watchPeriod : proxy.settings.greetingTime)
            guard !Task.isCancelled else { return }
            let silence = lastInput.duration(to: .now)
            if !hasGreeted {
                refuse("it did not greet within \(proxy.settings.greetingTime)")
            } else if silence >= Self.silenceLimit {
                refuse("it was silent for \(Self.silenceLimit)")
            } else if silence >= Self.pingTime {
                send(.ping)
            }
        }
    }

    // MARK: - Requests

    private func handle(_ message: ClientMessage) {
        guard hasGreeted || message.mayBeFirst else { return refuse("it did not greet first") }
        switch message {
        case .hello(_, _, let minor):
            guard hasGreeted || proxy.admit(number) else {
                return refuse("the proxy has \(BluetoothProxy.sessionLimit) clients already")
            }
            hasGreeted = true
            usesShortUUIDs = minor >= ProxyIdentity.apiVersion.minor
            send(.hello(ProxyGreeting(identity)))
        case .authentication: send(.authenticated(true))
        case .disconnect:
            send(.disconnected)
            end()
        case .disconnected: end()
        case .ping: send(.pong)
        case .pong, .ignored: break
        case .deviceInfo: send(.deviceInfo(identity))
        case .capabilities: send(.capabilities(identity.features, identity.address))
        case .entities: send(.entitiesDone)
        case .subscribeAdvertisements: proxy.assumeIsolated { [number] in $0.subscribe(number) }
        case .unsubscribeAdvertisements: proxy.assumeIsolated { [number] in $0.unsubscribe(number) }
        case .subscribeConnectionsFree: proxy.assumeIsolated { [number] in $0.observeSlots(number) }
        case .scannerMode(let isActive): proxy.assumeIsolated { $0.setScanning(isActive: isActive) }
        case .device(let address, let request, let isRandom): handle(request, of: address, isRandom: isRandom)
        case .services(let address):
            operate(on: address, handle: 0) { [usesShortUUIDs] link in
                await DeviceOperations.services(of: link, address, usesShortUUIDs: usesShortUUIDs)
            }
        case .read(let address, let handle), .readDescriptor(let address, let handle):
            operate(on: address, handle: handle) { await DeviceOperations.read(from: $0, address, handle) }
        case .write(let address, let handle, let value, let withResponse):
            operate(on: address, handle: handle) {
                await DeviceOperations.write(value, to: $0, address, handle, withResponse: withResponse)
            }
        case .writeDescriptor(let address, let handle, let value):
            operate(on: address, handle: handle) {
                await DeviceOperations.write(value, to: $0, address, handle, withResponse: true)
            }
        case .notify(let address, let handle, let isOn): setNotifying(isOn, handle, of: address)
        case .connectionParameters(let address, let request):
            guard devices[address]?.link != nil else { return send(.parametersSet(address, error: Self.notConnected)) }
            operate(on: address, handle: 0) { await DeviceOperations.update($0, address, request) }
        }
    }

    /// The code of requests about a device that is not connected (aioesphomeapi, ESPHOME_GATT_ERRORS).
    private static let notConnected: Int32 = -1

    private func setNotifying(_ isOn: Bool, _ handle: UInt32, of address: UInt64) {
        guard devices[address]?.link != nil else {
            return send(.gattError(address, handle: handle, Self.notConnected))
        }
        guard handle <= UInt16.max else {
            return send(.gattError(address, handle: handle, Int32(ATTError.invalidHandle.rawValue)))
        }
        // The client writes the descriptor that turns notifications on at the device.
        if isOn {
            devices[address]?.notifying.insert(handle)
        } else {
            devices[address]?.notifying.remove(handle)
        }
        send(.notifying(address, handle: handle))
    }

    /// Runs an operation on a device after those before it, and sends the answers.
    private func operate(
        on address: UInt64, handle: UInt32, _ operation: @escaping @Sendable (any RemoteLink) async -> [ServerMessage]
    ) {
        guard let link = devices[address]?.link else {
            return send(.gattError(address, handle: handle, Self.notConnected))
        }
        let former = devices[address]?.latest
        waitingOperations += 1
        devices[address]?.latest = Task {
            await former?.value
            let answers = await operation(link)
            waitingOperations -= 1
            wakeReader()
            for answer in answers { send(answer) }
        }
    }

    // MARK: - Devices

    private func handle(_ request: ClientMessage.DeviceRequest, of address: UInt64, isRandom: Bool) {
        switch request {
        case .connect: connect(address, isRandom: isRandom)
        case .disconnect: disconnect(address)
        case .pair:
            guard devices[address]?.link != nil else {
                return send(.paired(address, isPaired: false, error: Self.notConnected))
            }
            operate(on: address, handle: 0) { await DeviceOperations.pair($0, address) }
        case .unpair:
            let connected = devices[address]?.link?.device
            guard let host = host as? any BondingCentralRadio, let device = BluetoothAddress(number: address) else {
                return send(.unpaired(address, isSuccessful: false, error: Self.notConnected))
            }
            Task {
                for isRandom in [false, true] where connected == nil || connected?.isRandom == isRandom {
                    await host.forgetBond(with: RemoteAddress(device, isRandom: isRandom))
                }
                send(.unpaired(address, isSuccessful: true, error: 0))
            }
        case .clearCache:
            // There is no cache: services are discovered at each request for them.
            send(.cacheCleared(address))
        }
    }

    private func connect(_ address: UInt64, isRandom: Bool) {
        if let device = devices[address] {
            if device.link != nil { send(.connection(address, isConnected: true, mtu: device.mtu)) }
            return
        }
        guard let target = BluetoothAddress(number: address).map({ RemoteAddress($0, isRandom: isRandom) }) else {
            return send(.connection(address, isConnected: false, error: DeviceOperations.connectionError))
        }
        devices[address] = Device()
        devices[address]?.attempt = Task { [host] in
            guard await proxy.takeSlot(for: address, number) else {
                devices[address] = nil
                return send(.connection(address, isConnected: false))
            }
            do throws(RadioError) {
                let link = try await host.connect(to: target, timeout: Self.connectionTime)
                let mtu = (try? await link.maximumTransmissionUnit()) ?? 23
                guard !Task.isCancelled, !isOver else {
                    await link.disconnect()
                    return await connectionEnded(address, error: 0)
                }
                devices[address]?.attempt = nil
                devices[address]?.link = link
                devices[address]?.mtu = mtu
                send(.connection(address, isConnected: true, mtu: mtu))
                Task { await follow(link, address) }
            } catch {
                await connectionEnded(address, error: Task.isCancelled ? 0 : DeviceOperations.connectionError)
            }
        }
    }

    /// Passes on the notifications of a device, until its connection ends.
    private func follow(_ link: any RemoteLink, _ address: UInt64) async {
        for await notification in link.notifications {
            let handle = UInt32(notification.handle.rawValue)
            guard devices[address]?.notifying.contains(handle) == true else { continue }
            send(.notification(address, handle: handle, notification.value))
        }
        _ = await link.waitForEnd()
        await connectionEnded(address, error: (link as? any ReasonedLink)?.endCode.map(Int32.init) ?? 0)
    }

    private func connectionEnded(_ address: UInt64, error: Int32) async {
        devices[address] = nil
        send(.connection(address, isConnected: false, error: error))
        await proxy.freeSlot(of: address)
    }

    private func disconnect(_ address: UInt64) {
        guard let device = devices[address] else { return send(.connection(address, isConnected: false)) }
        if let link = device.link {
            Task { await link.disconnect() }
        } else {
            device.attempt?.cancel()
        }
    }

    /// Ends the connections of the client.
    private func endDevices() async {
        for (address, device) in devices {
            device.attempt?.cancel()
            await device.attempt?.value
            await device.link?.disconnect()
            await proxy.freeSlot(of: address)
        }
        devices = [:]
    }
}

extension ClientMessage {
    /// Whether a client may send it before it greets.
    fileprivate var mayBeFirst: Bool {
        switch self {
        case .hello, .disconnect, .disconnected, .ping, .pong: true
        default: false
        }
    }
}
