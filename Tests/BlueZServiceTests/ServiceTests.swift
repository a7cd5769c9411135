// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Foundation
import Glibc
import HCIRadio
import Radio
import Synchronization
import TestSupport
import TestTraits
import Testing
import VirtualRadio

@testable import BlueZService
@testable import DBus

/// The service on a bus of its own, with the beacons of an air, as a program sees it.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct ServiceTests {
    private static let hci0: ObjectPath = "/org/bluez/hci0"
    private static let device: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
    private static let adapter1 = "org.bluez.Adapter1"
    private static let device1 = "org.bluez.Device1"
    private static let characteristic1 = "org.bluez.GattCharacteristic1"

    private static let services = [
        GATTService(
            uuid: .bit16(0xFFF0),
            characteristics: [
                GATTCharacteristic(
                    uuid: .bit16(0xFFF1), properties: [.read, .write, .writeWithoutResponse, .notify]),
                // Its value takes longer than a test.
                GATTCharacteristic(uuid: .bit16(0xFFF2), properties: [.read]),
            ]),
        GATTService(
            uuid: .bit16(0x180A), characteristics: [GATTCharacteristic(uuid: .bit16(0x2A50), properties: [.read])]),
    ]

    private static func beacon(_ services: [GATTService], _ pdu: AdvertisingPDU = .connectableScannable) -> HostedBeacon
    {
        HostedBeacon(
            identifier: BeaconIdentifier("a"), services: services,
            advertisement: Advertisement(
                pdu: pdu,
                advertisingData: AdvertisingData([
                    .flags(.beacon), .manufacturerSpecific(CompanyIdentifier(0x4C), [2, 0x15]),
                ]), interval: AdvertisingInterval(32), address: BluetoothAddress("C0:FF:EE:00:00:01")))
    }

    /// A service, its air and a program.
    private struct Rig: Sendable {
        let busAddress: String
        let air: VirtualAirRadio
        let service: BlueZService
        let client: DBusConnection
        let signals: AsyncStream<DBusMessage>
        /// The requests for the value 0xFFF2, which are not answered.
        let pendingReads: AsyncStream<Void>

        func call(
            _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue] = []
        ) async throws -> [DBusValue] {
            try await client.call("org.bluez", path, interface, member, arguments)
        }

        func get(_ path: ObjectPath, _ interface: String, _ property: String) async throws -> DBusValue? {
            try await call(path, "org.freedesktop.DBus.Properties", "Get", [.string(interface), .string(property)])
                .first?.unwrapped
        }

        func set(_ path: ObjectPath, _ interface: String, _ property: String, _ value: DBusValue) async throws {
            _ = try await call(
                path, "org.freedesktop.DBus.Properties", "Set",
                [.string(interface), .string(property), .variant(value)])
        }

        /// The first signal with this member that meets a condition.
        @discardableResult
        func signal(_ member: String, where condition: (DBusMessage) -> Bool = { _ in true }) async throws
            -> DBusMessage
        {
            for await signal in signals where signal.member == member && condition(signal) { return signal }
            throw DBusError.notConnected()
        }

        /// Waits until a property of the device was signalled with this value.
        func property(_ name: String, is value: DBusValue, at path: ObjectPath = device) async throws {
            try await signal("PropertiesChanged") {
                $0.path == path && $0.body[1].dictionaryValue?[name] == value
            }
        }

        func discover() async throws {
            _ = try await call(hci0, adapter1, "StartDiscovery")
            try await signal("InterfacesAdded") { $0.body.first == .objectPath(device) }
        }

        func connect() async throws {
            try await discover()
            _ = try await call(device, device1, "Connect")
            try await property("ServicesResolved", is: true)
        }

        /// Whether the service makes a link to the device.
        @ServiceActor var isConnecting: Bool {
            service.adapters.first?.devices.device(at: device)?.connection.isActive ?? false
        }

        /// The path of a characteristic.
        /// - Parameter uuid: its four digits in lower case.
        func characteristic(_ uuid: String = "fff1") async throws -> ObjectPath {
            let reply = try await call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
            let path = reply.first?.entriesValue?.first { entry in
                entry.value.dictionaryValue?[characteristic1]?.dictionaryValue?["UUID"]
                    == .string("0000\(uuid)-0000-1000-8000-00805f9b34fb")
            }?.key.objectPathValue
            return try #require(path)
        }
    }

    /// Runs a test with one beacon on the air, whose value is what was written last; 1, 2, 3 before.
    private static func with(
        _ options: BlueZServiceOptions = BlueZServiceOptions(), pdu: AdvertisingPDU = .connectableScannable,
        _ body: (Rig) async throws -> Void
    ) async throws {
        try await TestBus.with { bus in
            let air = VirtualAirRadio(VirtualAirOptions(timing: .immediate, servers: []))
            let beacon = beacon(services, pdu)
            let value = Value()
            let (pendingReads, pendingRead) = AsyncStream.makeStream(of: Void.self)
            _ = try await air.open([beacon], waits: false) { request in
                if request.characteristic == CharacteristicIdentifier(.bit16(0xFFF2)) {
                    pendingRead.yield()
                    return .later {
                        try? await Task.sleep(for: .seconds(60))
                        return .failure(.unlikely)
                    }
                }
                if request.characteristic == CharacteristicIdentifier(.bit16(0x2A50)) {
                    return .success([2, 0x6B, 0x1D, 0x46, 0x02, 0x42, 0x05])
                }
                return switch request.operation {
                case .read(let offset): .success(Array(value.bytes.dropFirst(offset)))
                case .write(_, let bytes):
                    bytes == [0xFF] ? .failure(ATTError(rawValue: 0x80)) : value.set(bytes)
                }
            }
            await air.advertise(beacon.advertisement, for: beacon.identifier)
            let host = try await air.addHost(AirHost("hci0"))
            let service = try await BlueZService.start(
                on: .address(bus.address), radios: [AdapterRadio(host)], options: options)
            let client = try await DBusConnection.connect(to: .address(bus.address), limitsCalls: false)
            let signals = try await client.subscribe(MatchRule(sender: "org.bluez"))
            try await body(
                Rig(
                    busAddress: bus.address, air: air, service: service, client: client, signals: signals,
                    pendingReads: pendingReads))
            await client.close()
            await service.stop()
            await air.close()
        }
    }

    // MARK: - The adapter

    @Test func adapterHasThePropertiesThatProgramsRead() async throws {
        try await Self.with { rig in
            let reply = try await rig.call(
                Self.hci0, "org.freedesktop.DBus.Properties", "GetAll", [.string(Self.adapter1)])
            let properties = try #require(reply.first?.dictionaryValue)
            #expect(properties["Address"]?.stringValue?.count == 17)
            #expect(properties["Roles"] == .strings(["central", "peripheral"]))
            #expect(properties["Powered"] == true)
            #expect(properties["Class"] == .uint32(0))
        }
    }

    @Test func emptyAliasIsTheName() async throws {
        try await Self.with(BlueZServiceOptions(name: "museum")) { rig in
            for (alias, result) in [("hall", "hall"), ("", "museum")] {
                _ = try await rig.call(
                    Self.hci0, "org.freedesktop.DBus.Properties", "Set",
                    [.string(Self.adapter1), "Alias", .variant(.string(alias))])
                #expect(try await rig.get(Self.hci0, Self.adapter1, "Alias") == .string(result))
            }
        }
    }

    @Test func adapterThatIsOffIsNotReady() async throws {
        try await Self.with { rig in
            let set: [DBusValue] = [.string(Self.adapter1), "Powered", .variant(false)]
            _ = try await rig.call(Self.hci0, "org.freedesktop.DBus.Properties", "Set", set)
            await #expect(throws: BlueZError.notReady) {
                _ = try await rig.call(Self.hci0, Self.adapter1, "StartDiscovery")
            }
        }
    }

    // MARK: - Discovery

    @Test func discoveryReportsADeviceWithItsData() async throws {
        try await Self.with { rig in
            _ = try await rig.call(Self.hci0, Self.adapter1, "StartDiscovery")
            try await rig.property("Discovering", is: true, at: Self.hci0)
            let added = try await rig.signal("InterfacesAdded")
            let properties = try #require(added.body[1].dictionaryValue?[Self.device1]?.dictionaryValue)
            #expect(properties["Address"] == "C0:FF:EE:00:00:01")
            #expect(properties["AddressType"] == "random")
            #expect(properties["Alias"] == "C0-FF-EE-00-00-01")
            #expect(properties["Name"] == nil)
            #expect(properties["RSSI"]?.int16Value != nil)
            #expect(properties["ManufacturerData"]?.entriesValue?.first?.value.unwrapped == .bytes([2, 0x15]))
            _ = try await rig.call(Self.hci0, Self.adapter1, "StopDiscovery")
            let changed = try await rig.signal("PropertiesChanged") { $0.path == Self.device }
            #expect(changed.body[2] == .strings(["RSSI"]))
            try await rig.property("Discovering", is: false, at: Self.hci0)
        }
    }

    @Test func discoveryEndsWithItsCaller() async throws {
        try await Self.with { rig in
            let other = try await DBusConnection.connect(to: .address(rig.busAddress), limitsCalls: false)
            _ = try await other.call("org.bluez", Self.hci0, Self.adapter1, "StartDiscovery")
            try await rig.property("Discovering", is: true, at: Self.hci0)
            await other.close()
            try await rig.property("Discovering", is: false, at: Self.hci0)
        }
    }

    @Test func deviceThatIsNotReceivedIsRemoved() async throws {
        try await Self.with(BlueZServiceOptions(temporaryTimeout: .milliseconds(300))) { rig in
            try await rig.discover()
            await rig.air.advertise(nil, for: BeaconIdentifier("a"))
            try await rig.signal("InterfacesRemoved") { $0.body.first == .objectPath(Self.device) }
        }
    }

    @Test func trustedDeviceStays() async throws {
        try await Self.with(BlueZServiceOptions(temporaryTimeout: .seconds(3))) { rig in
            try await rig.discover()
            try await rig.set(Self.device, Self.device1, "Trusted", true)
            await rig.air.advertise(nil, for: BeaconIdentifier("a"))
            try await Task.sleep(for: .seconds(5))
            #expect(try await rig.get(Self.device, Self.device1, "Trusted") == true)
        }
    }

    @Test func discoveryConnectsToADeviceAutomatically() async throws {
        try await Self.with { rig in
            let filter: DBusValue = .variants(["Pattern": "C0:FF:EE:00:00:01", "AutoConnect": true])
            _ = try await rig.call(Self.hci0, Self.adapter1, "SetDiscoveryFilter", [filter])
            try await rig.discover()
            try await rig.property("Connected", is: true)
            try await rig.property("ServicesResolved", is: true)
        }
    }

    @Test func deviceThatCannotBeConnectedToEndsWithTheDiscovery() async throws {
        try await Self.with(pdu: .nonConnectable) { rig in
            try await rig.discover()
            _ = try await rig.call(Self.hci0, Self.adapter1, "StopDiscovery")
            try await rig.signal("InterfacesRemoved") { $0.body.first == .objectPath(Self.device) }
        }
    }

    @Test func removedDeviceIsFoundAgain() async throws {
        try await Self.with { rig in
            try await rig.discover()
            _ = try await rig.call(Self.hci0, Self.adapter1, "RemoveDevice", [.objectPath(Self.device)])
            try await rig.signal("InterfacesRemoved") { $0.body.first == .objectPath(Self.device) }
            try await rig.signal("InterfacesAdded") { $0.body.first == .objectPath(Self.device) }
            await #expect(throws: BlueZError.doesNotExist) {
                _ = try await rig.call(
                    Self.hci0, Self.adapter1, "RemoveDevice", [.objectPath("/org/bluez/hci0/dev_00")])
            }
        }
    }

    @Test func devicesAndAdaptersAreReleased() async throws {
        let adapter = Weak<Adapter>()
        let device = Weak<RemoteDevice>()
        try await Self.with { rig in
            try await rig.connect()
            await adapter.refer { rig.service.adapters.first }
            await device.refer { rig.service.adapters.first?.devices.device(at: Self.device) }
            #expect(await adapter.isReferring)
            #expect(await device.isReferring)
        }
        await device.waitUntilReleased()
        await adapter.waitUntilReleased()
    }

    @Test func removedDeviceEndsTheCallsThatItHas() async throws {
        try await Self.with { rig in
            try await rig.connect()
            let path = try await rig.characteristic("fff2")
            let device = Weak<RemoteDevice>()
            await device.refer { rig.service.adapters.first?.devices.device(at: Self.device) }
            let reading = Task { try await rig.call(path, Self.characteristic1, "ReadValue", [.variants([:])]) }
            for await _ in rig.pendingReads { break }
            _ = try await rig.call(Self.hci0, Self.adapter1, "StopDiscovery")
            _ = try await rig.call(Self.hci0, Self.adapter1, "RemoveDevice", [.objectPath(Self.device)])
            await #expect(throws: BlueZError.noLink) { _ = try await reading.value }
            let error = await #expect(throws: DBusError.self) {
                _ = try await rig.call(path, Self.characteristic1, "ReadValue", [.variants([:])])
            }
            #expect(error?.name == "org.freedesktop.DBus.Error.UnknownObject")
            await device.waitUntilReleased()
        }
    }

    @Test func removedDeviceEndsTheAttemptToConnect() async throws {
        try await Self.with(pdu: .nonConnectable) { rig in
            try await rig.discover()
            let device = Weak<RemoteDevice>()
            await device.refer { rig.service.adapters.first?.devices.device(at: Self.device) }
            for (member, error) in [
                ("Connect", BlueZError.connection(.cancelled)), ("Pair", BlueZError.pairing(.cancelled)),
            ] {
                let connecting = Task { try await rig.call(Self.device, Self.device1, member) }
                while await !rig.isConnecting { try await Task.sleep(for: .milliseconds(1)) }
                _ = try await rig.call(Self.hci0, Self.adapter1, "RemoveDevice", [.objectPath(Self.device)])
                await #expect(throws: error) { _ = try await connecting.value }
                try await rig.signal("InterfacesAdded") { $0.body.first == .objectPath(Self.device) }
            }
            _ = try await rig.call(Self.hci0, Self.adapter1, "StopDiscovery")
            await device.waitUntilReleased()
        }
    }

    // MARK: - Connections

    @Test func blockedDeviceIsNotConnected() async throws {
        try await Self.with { rig in
            try await rig.connect()
            try await rig.set(Self.device, Self.device1, "Blocked", true)
            try await rig.property("Connected", is: false)
            await #expect(throws: BlueZError.notPermitted("Blocked")) {
                _ = try await rig.call(Self.device, Self.device1, "Connect")
            }
            try await rig.set(Self.device, Self.device1, "Blocked", false)
            _ = try await rig.call(Self.device, Self.device1, "ConnectProfile", [.string("180f")])
            try await rig.property("Connected", is: true)
            _ = try await rig.call(Self.device, Self.device1, "DisconnectProfile", [.string("180f")])
            try await rig.property("Connected", is: false)
        }
    }

    @Test func settingThatIsEqualIsNotSignalled() async throws {
        try await Self.with { rig in
            try await rig.discover()
            for _ in 1...2 { try await rig.set(Self.device, Self.device1, "Trusted", true) }
            try await rig.set(Self.device, Self.device1, "Alias", "Door")
            var count = 0
            try await rig.signal("PropertiesChanged") { signal in
                let changed = signal.body[1].dictionaryValue
                if changed?["Trusted"] != nil { count += 1 }
                return changed?["Alias"] == "Door"
            }
            #expect(count == 1)
        }
    }

    @Test func connectedDeviceHasItsServices() async throws {
        try await Self.with { rig in
            try await rig.connect()
            let uuids = try await rig.get(Self.device, Self.device1, "UUIDs")
            #expect(uuids?.stringsValue?.contains("0000fff0-0000-1000-8000-00805f9b34fb") == true)
            let path = try await rig.characteristic()
            #expect(
                try await rig.get(path, Self.characteristic1, "Flags")
                    == .strings(["read", "write-without-response", "write", "notify"]))
            #expect(try await rig.get(path, Self.characteristic1, "MTU") == .uint16(517))
            _ = try await rig.call(Self.device, Self.device1, "Disconnect")
            #expect(try await rig.get(Self.device, Self.device1, "Connected") == false)
        }
    }

    @Test func connectedDeviceHasItsProductAndNoUnknownAppearance() async throws {
        try await Self.with { rig in
            try await rig.connect()
            try await rig.property("Modalias", is: "usb:v1D6Bp0246d0542")
            await #expect(throws: (any Error).self) {
                _ = try await rig.get(Self.device, Self.device1, "Appearance")
            }
        }
    }

    @Test func changedServicesReplaceTheirObjects() async throws {
        try await Self.with { rig in
            try await rig.connect()
            let former = try await rig.characteristic()
            let services = [
                GATTService(
                    uuid: .bit16(0xFFE0),
                    characteristics: [GATTCharacteristic(uuid: .bit16(0xFFE1), properties: [.read])])
            ]
            try await rig.air.replan([Self.beacon(services)])
            try await rig.signal("InterfacesRemoved") { $0.body.first == .objectPath(former) }
            let uuids = try await rig.signal("PropertiesChanged") {
                $0.path == Self.device && $0.body[1].dictionaryValue?["UUIDs"] != nil
            }
            #expect(uuids.body[1].dictionaryValue?["ServicesResolved"] == nil)
            let value = try await rig.characteristic("ffe1")
            #expect(
                try await rig.call(value, Self.characteristic1, "ReadValue", [.variants([:])]) == [.bytes([1, 2, 3])])
            #expect(try await rig.get(Self.device, Self.device1, "ServicesResolved") == true)
        }
    }

    @Test func valueIsReadAndWritten() async throws {
        try await Self.with { rig in
            try await rig.connect()
            let path = try await rig.characteristic()
            let options = DBusValue.variants([:])
            #expect(try await rig.call(path, Self.characteristic1, "ReadValue", [options]) == [.bytes([1, 2, 3])])
            #expect(
                try await rig.call(
                    path, Self.characteristic1, "ReadValue", [.variants(["offset": .uint16(1)])]) == [.bytes([2, 3])])
            #expect(try await rig.get(path, Self.characteristic1, "Value") == .bytes([1, 2, 3]))
            _ = try await rig.call(path, Self.characteristic1, "WriteValue", [.bytes([9]), options])
            #expect(try await rig.call(path, Self.characteristic1, "ReadValue", [options]) == [.bytes([9])])
            await #expect(throws: BlueZError.failed("Operation failed with ATT error: 0x80")) {
                _ = try await rig.call(path, Self.characteristic1, "WriteValue", [.bytes([0xFF]), options])
            }
        }
    }

    @Test func notificationsAreSignals() async throws {
        try await Self.with { rig in
            try await rig.connect()
            let path = try await rig.characteristic()
            _ = try await rig.call(path, Self.characteristic1, "StartNotify")
            for value in [[7], [7], [8]] as [[UInt8]] {
                await rig.air.notify(
                    value, of: CharacteristicIdentifier(.bit16(0xFFF1)), on: BeaconIdentifier("a"), to: nil)
                try await rig.property("Value", is: .bytes(value), at: path)
            }
            _ = try await rig.call(path, Self.characteristic1, "StopNotify")
            #expect(try await rig.get(path, Self.characteristic1, "Notifying") == false)
        }
    }

    @Test func acquiredSocketHasTheNotifications() async throws {
        try await Self.with { rig in
            try await rig.connect()
            let path = try await rig.characteristic()
            let reply = try await rig.call(path, Self.characteristic1, "AcquireNotify", [.variants([:])])
            let descriptor = try #require(reply.first?.fileDescriptorValue)
            #expect(reply.last == .uint16(517))
            await #expect(throws: BlueZError.notPermitted("Notify acquired")) {
                _ = try await rig.call(path, Self.characteristic1, "StartNotify")
            }
            await rig.air.notify(
                [5, 6], of: CharacteristicIdentifier(.bit16(0xFFF1)), on: BeaconIdentifier("a"), to: nil)
            #expect(try await SocketReader.read(descriptor) == [5, 6])
        }
    }

    @Test func lostLinkIsSignalled() async throws {
        try await Self.with { rig in
            try await rig.connect()
            _ = await rig.air.endConnections(of: "a", with: nil, .remoteUser)
            try await rig.property("ServicesResolved", is: false)
            let ended = try await rig.signal("Disconnected")
            #expect(ended.body.first == "org.bluez.Reason.Remote")
            try await rig.property("Connected", is: false)
        }
    }

    @Test func pendingConnectIsCancelledByDisconnect() async throws {
        try await Self.with { rig in
            try await rig.discover()
            await rig.air.advertise(nil, for: BeaconIdentifier("a"))
            let ended = Flag()
            let connecting = Task {
                defer { ended.set() }
                return try await rig.call(Self.device, Self.device1, "Connect")
            }
            // The first that follows the call of Connect cancels it.
            while !ended.isSet { _ = try await rig.call(Self.device, Self.device1, "Disconnect") }
            await #expect(throws: BlueZError.connection(.cancelled)) { _ = try await connecting.value }
            await rig.air.advertise(
                Advertisement(
                    pdu: .connectableScannable, advertisingData: AdvertisingData([.flags(.beacon)]),
                    interval: AdvertisingInterval(32), address: BluetoothAddress("C0:FF:EE:00:00:01")),
                for: BeaconIdentifier("a"))
            _ = try await rig.call(Self.device, Self.device1, "Connect")
        }
    }
}

/// The value of the beacon.
private final class Value: Sendable {
    private let storage = Mutex<[UInt8]>([1, 2, 3])

    var bytes: [UInt8] { storage.withLock { $0 } }

    /// Sets the value, and answers the request.
    func set(_ bytes: [UInt8]) -> AttributeAnswer {
        storage.withLock { $0 = bytes }
        return .success([])
    }
}

/// A weak reference to an object of the service.
@ServiceActor
private final class Weak<Object: AnyObject> {
    private weak var object: Object?

    nonisolated init() {}

    var isReferring: Bool { object != nil }

    func refer(to object: @ServiceActor () -> Object?) { self.object = object() }

    /// Returns when the object does not exist any more; the time limit of the test is the time limit.
    func waitUntilReleased() async {
        while object != nil { try? await Task.sleep(for: .milliseconds(5)) }
    }
}

/// Something that happens once.
private final class Flag: Sendable {
    private let storage = Mutex(false)

    var isSet: Bool { storage.withLock { $0 } }
    func set() { storage.withLock { $0 = true } }
}

/// Reads a packet of a socket on a thread of its own.
private enum SocketReader {
    static func read(_ descriptor: DBusFileDescriptor) async throws -> [UInt8] {
        await withCheckedContinuation { continuation in
            let thread = Thread {
                var state = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
                var buffer = [UInt8](repeating: 0, count: 512)
                let count = poll(&state, 1, 300_000) > 0 ? recv(descriptor.rawValue, &buffer, 512, 0) : 0
                continuation.resume(returning: Array(buffer.prefix(max(0, count))))
            }
            thread.start()
        }
    }
}
