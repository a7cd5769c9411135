// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Radio

/// A characteristic: `org.bluez.GattCharacteristic1` (bluez 5.82 src/gatt-client.c).
///
/// The device is subscribed to while there is any subscriber (`NotifySessions`). Changes of the subscription are requests
/// like others (`RequestOrder`); each makes the device's state what it should be at that time. Sessions outlast the link, and
/// are subscribed again over the next one; sockets end with it.
@ServiceActor
final class CharacteristicObject {
    private static let declaration = InterfaceDeclaration(
        "org.bluez.GattCharacteristic1",
        methods: [
            MethodDeclaration("ReadValue", in: ["options": "a{sv}"], out: ["value": "ay"]),
            MethodDeclaration("WriteValue", in: ["value": "ay", "options": "a{sv}"]),
            MethodDeclaration("AcquireWrite", in: ["options": "a{sv}"], out: ["fd": "h", "mtu": "q"]),
            MethodDeclaration("AcquireNotify", in: ["options": "a{sv}"], out: ["fd": "h", "mtu": "q"]),
            MethodDeclaration("StartNotify"),
            MethodDeclaration("StopNotify"),
        ],
        properties: [
            PropertyDeclaration("Handle", "q"),
            PropertyDeclaration("UUID", "s"),
            PropertyDeclaration("Service", "o"),
            PropertyDeclaration("Value", "ay"),
            PropertyDeclaration("Notifying", "b"),
            PropertyDeclaration("Flags", "as"),
            PropertyDeclaration("WriteAcquired", "b"),
            PropertyDeclaration("NotifyAcquired", "b"),
            PropertyDeclaration("MTU", "q"),
        ])

    /// The object.
    let path: ObjectPath
    private let table: RemoteTable.Characteristic
    private let service: ObjectPath
    private let value: RemoteValue
    private let descriptors: [DescriptorObject]
    private let flags: [String]
    private let bus: ServiceBus
    private let warn: @Sendable (String) -> Void
    private var mtu: UInt16?
    private var sessions = NotifySessions()
    private var observers: [@ServiceActor ([UInt8]) -> Void] = []
    /// Whether the device has our subscription.
    private var isSubscribed = false
    private var notifySocket: ValueSocket?
    private var writeSocket: ValueSocket?
    private var isNotifying = false
    private var losesValues = false

    /// The object of a characteristic.
    init?(
        _ table: RemoteTable.Characteristic, below service: ObjectPath, over connection: DeviceConnection,
        _ context: AdapterContext
    ) {
        guard let path = try? service.appending("char" + table.characteristic.declaration.pathText) else { return nil }
        self.path = path
        self.table = table
        self.service = service
        flags = table.flags
        bus = context.bus
        warn = context.options.warn
        descriptors = table.descriptors.compactMap {
            DescriptorObject($0, below: path, over: connection, bus: context.bus)
        }
        let bus = bus
        value = RemoteValue(of: table.characteristic.value, over: connection) { value in
            // At once, and equal values too: each is a notification (G_DBUS_PROPERTY_CHANGED_FLAG_FLUSH).
            bus.emitPropertiesChanged(path, Self.declaration.name, ["Value": .bytes(value)])
        }
    }

    /// The handle of the value.
    var handle: AttributeHandle { table.characteristic.value }
    /// Whether it is Service Changed.
    var isServiceChanged: Bool { table.characteristic.uuid == .bit16(0x2A05) }

    private var canNotify: Bool { table.characteristic.properties.contains(.notify) }
    private var canSubscribe: Bool { canNotify || table.characteristic.properties.contains(.indicate) }
    private var canWriteCommands: Bool { table.characteristic.properties.contains(.writeWithoutResponse) }

    // MARK: - The object

    /// Exports the characteristic, then its descriptors.
    func export(on bus: ServiceBus) {
        let interface = ExportedInterface(
            Self.declaration, properties: { ServiceActor.assumeIsolated { self.properties } },
            call: { call, reply in ServiceActor.assumeIsolated { self.handle(call, reply) } })
        bus.export(path, [interface])
        for descriptor in descriptors { descriptor.export(on: bus) }
    }

    private var properties: [String: DBusValue] {
        var properties: [String: DBusValue] = [
            "Handle": .uint16(table.characteristic.declaration.rawValue),
            "UUID": .string(table.characteristic.uuid.busText), "Service": .objectPath(service),
            "Value": .bytes(value.bytes), "Flags": .strings(flags),
        ]
        // Programs decide by their existence which methods they use.
        if canSubscribe { properties["Notifying"] = .boolean(isNotifying) }
        if canNotify { properties["NotifyAcquired"] = .boolean(notifySocket != nil) }
        if canWriteCommands { properties["WriteAcquired"] = .boolean(writeSocket != nil) }
        properties["MTU"] = mtu.map(DBusValue.uint16)
        return properties
    }

    private func changed(_ name: String) { bus.propertiesChanged([name], of: Self.declaration.name, at: path) }

    private func handle(_ call: MethodCall, _ reply: PendingReply) {
        do throws(DBusError) {
            switch call.member {
            case "ReadValue": try value.read(ValueOptions(call.arguments.first), reply)
            case "WriteValue": try write(call, reply)
            case "AcquireWrite": try acquireWrite(reply)
            case "AcquireNotify": try acquireNotify(call.sender, reply)
            case "StartNotify": try startNotify(call.sender, reply)
            default: try stopNotify(call.sender, reply)
            }
        } catch {
            reply.fail(error)
        }
    }

    private func write(_ call: MethodCall, _ reply: PendingReply) throws(DBusError) {
        _ = try value.requireLink()
        guard writeSocket == nil else { throw BlueZError.notPermitted("Write acquired") }
        let options = try ValueOptions(call.arguments.last)
        let procedure = try WriteProcedure(options, flags: flags)
        try value.write(call.arguments.first?.bytesValue ?? [], options, procedure, reply)
    }

    // MARK: - Values from the device

    /// Takes a value that the device sent.
    func receive(_ bytes: [UInt8]) {
        for observer in observers { observer(bytes) }
        if let notifySocket {
            if !notifySocket.send(bytes), !losesValues {
                losesValues = true
                warn("a program does not read the values of \(path): some are lost")
            }
        } else if sessions.hasSessions {
            value.set(bytes)
        }
    }

    /// Sets the ATT_MTU of the link.
    func setMTU(_ mtu: UInt16) {
        guard mtu != self.mtu else { return }
        self.mtu = mtu
        changed("MTU")
    }

    // MARK: - Subscriptions

    /// Subscribes for the service itself.
    func observe(_ take: @escaping @ServiceActor ([UInt8]) -> Void) async {
        guard canSubscribe else { return }
        observers = [take]
        sessions.isObserved = true
        await subscribe().value
    }

    /// Subscribes again to what was subscribed to over a former link.
    func subscribeAgain() async {
        guard sessions.isWanted, !isSubscribed else { return }
        await subscribe().value
    }

    /// Makes the device's subscription what it should be, after the requests that are under way.
    /// - Parameters:
    ///   - pairs: whether it pairs if the device requires security, as for a program.
    ///   - finish: takes the error of the device, before the values that the device sends then.
    @discardableResult
    private func subscribe(
        pairs: Bool = false, then finish: @escaping @ServiceActor (DBusError?) -> Void = { _ in }
    ) -> Task<Void, Never> {
        value.requests.add { finish(await self.setSubscription(pairs: pairs)) }
    }

    private func setSubscription(pairs: Bool) async -> DBusError? {
        let isWanted = sessions.isWanted
        guard isWanted != isSubscribed else { return nil }
        do throws(DBusError) {
            try await value.setNotifying(isWanted, for: table.characteristic, pairs: pairs)
            isSubscribed = isWanted
            return nil
        } catch {
            return error
        }
    }

    private func startNotify(_ caller: String, _ reply: PendingReply) throws(DBusError) {
        _ = try value.requireLink()
        guard canSubscribe else { throw BlueZError.notSupported }
        guard case .subscribe = try sessions.start(caller) else { return reply.succeed() }
        subscribe(pairs: true) { error in
            self.sessions.finishStart(caller, isSubscribed: error == nil)
            self.updateNotifying()
            reply.send(error.map { .failure($0) } ?? .success([]))
        }
    }

    private func stopNotify(_ caller: String, _ reply: PendingReply) throws(DBusError) {
        if notifySocket != nil, sessions.socketOwner == caller {
            releaseNotifySocket()
            return reply.succeed()
        }
        try sessions.stop(caller)
        subscribe { _ in
            self.updateNotifying()
            reply.succeed()
        }
    }

    private func updateNotifying() {
        guard sessions.isNotifying != isNotifying else { return }
        isNotifying = sessions.isNotifying
        changed("Notifying")
    }

    // MARK: - Sockets

    private func acquireNotify(_ caller: String, _ reply: PendingReply) throws(DBusError) {
        _ = try value.requireLink()
        guard canNotify else { throw BlueZError.notSupported }
        try sessions.acquire(caller)
        subscribe(pairs: true) { error in
            do throws(DBusError) {
                if let error { throw error }
                reply.succeed(try self.openNotifySocket(for: caller))
            } catch {
                self.sessions.releaseSocket()
                reply.fail(error)
            }
        }
    }

    /// Opens the socket of `AcquireNotify`.
    /// - Returns: what the call replies with.
    private func openNotifySocket(for caller: String) throws(DBusError) -> [DBusValue] {
        guard sessions.socketOwner == caller, let mtu else { throw BlueZError.noLink }
        let (socket, descriptor) = try ValueSocket.makePair { [weak self] in self?.releaseNotifySocket() }
        notifySocket = socket
        losesValues = false
        changed("NotifyAcquired")
        return [.unixFileDescriptor(descriptor), .uint16(mtu)]
    }

    private func releaseNotifySocket() {
        guard sessions.socketOwner != nil else { return }
        sessions.releaseSocket()
        notifySocket?.close()
        notifySocket = nil
        changed("NotifyAcquired")
        subscribe()
    }

    private func acquireWrite(_ reply: PendingReply) throws(DBusError) {
        let link = try value.requireLink()
        guard writeSocket == nil else { throw BlueZError.notPermitted("Write acquired") }
        guard canWriteCommands else { throw BlueZError.notSupported }
        guard let mtu else { throw BlueZError.noLink }
        let handle = handle
        let (socket, descriptor) = try ValueSocket.makePair(
            take: { [warn, path] value in
                do throws(RemoteError) {
                    try await link.writeWithoutResponse(value, to: handle)
                } catch {
                    warn("a value that a program wrote to \(path) was not sent: \(error)")
                }
            }, ended: { [weak self] in self?.releaseWriteSocket() })
        writeSocket = socket
        changed("WriteAcquired")
        reply.succeed([.unixFileDescriptor(descriptor), .uint16(mtu)])
    }

    private func releaseWriteSocket() {
        guard let writeSocket else { return }
        writeSocket.close()
        self.writeSocket = nil
        changed("WriteAcquired")
    }

    // MARK: - Ends

    /// Closes the sockets, because the link has ended; sessions wait for the next one.
    func disconnected() {
        isSubscribed = false
        mtu = nil
        observers = []
        sessions.isObserved = false
        releaseNotifySocket()
        releaseWriteSocket()
    }

    /// Ends the session of a caller that has left the bus. Its sockets end by themselves.
    func ownerVanished(_ name: String) {
        guard sessions.remove(name) else { return }
        updateNotifying()
        subscribe()
    }
}
