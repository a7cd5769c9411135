// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import DBus
import GATT
import Radio

/// A beacon's services as bluetoothd takes them: an object manager with GattService1 and GattCharacteristic1 objects.
///
/// Requests are handed on one at a time, in the order in which they came.
struct AttributeApplication: Sendable {
    static let root: ObjectPath = "/org/beaconry/application"
    private static let managerInterface = "org.bluez.GattManager1"

    let beacon: BeaconIdentifier
    let services: [GATTService]
    /// Answers a central's request.
    let respond: @Sendable (AttributeRequest) async -> AttributeResponse

    /// Exports the objects and has the daemon serve them on an adapter.
    /// - Throws: `DBusError`, the daemon's or the bus's.
    func register(with daemon: BlueZDaemon, on adapter: BlueZAdapter) async throws(DBusError) {
        try await daemon.connection.export(ExportedObject(path: Self.root, isObjectManager: true))
        for (serviceNumber, service) in services.enumerated() {
            let servicePath = try Self.root.appending("service\(serviceNumber)")
            let properties: [String: DBusValue] = [
                "UUID": .string(service.uuid.expanded.description.lowercased()), "Primary": true,
            ]
            let interface = ExportedInterface("org.bluez.GattService1", properties: { properties })
            try await daemon.connection.export(ExportedObject(path: servicePath, interfaces: [interface]))
            for (number, characteristic) in service.characteristics.enumerated() {
                let path = try servicePath.appending("characteristic\(number)")
                let interface = self.interface(of: characteristic, in: servicePath)
                try await daemon.connection.export(ExportedObject(path: path, interfaces: [interface]))
            }
        }
        _ = try await daemon.connection.call(
            BlueZDaemon.busName, adapter.path, Self.managerInterface, "RegisterApplication",
            [.objectPath(Self.root), .variants([:])], timeout: .seconds(10))
    }

    /// Takes the services back.
    func unregister(from daemon: BlueZDaemon, on adapter: BlueZAdapter) async {
        // A daemon that is gone, or has dropped them already, leaves nothing to do.
        _ = try? await daemon.connection.call(
            BlueZDaemon.busName, adapter.path, Self.managerInterface, "UnregisterApplication",
            [.objectPath(Self.root)], timeout: .seconds(5))
    }

    private func interface(of characteristic: GATTCharacteristic, in service: ObjectPath) -> ExportedInterface {
        let properties: [String: DBusValue] = [
            "UUID": .string(characteristic.uuid.expanded.description.lowercased()), "Service": .objectPath(service),
            "Flags": .strings(Self.flags(characteristic.properties)),
        ]
        let uuid = characteristic.uuid
        return ExportedInterface(
            "org.bluez.GattCharacteristic1", properties: { properties },
            methods: [
                "ReadValue": { call in await read(uuid, call) },
                "WriteValue": { call in await write(uuid, call) },
            ])
    }

    private func read(_ characteristic: BluetoothUUID, _ call: MethodCall) async -> Result<[DBusValue], DBusError> {
        let options = Options(call.arguments.first)
        let response = await respond(
            AttributeRequest(
                beacon: beacon, characteristic: characteristic, central: options.central,
                operation: .read(offset: options.offset)))
        return response.map { [.bytes($0)] }.mapError(Self.busError)
    }

    private func write(_ characteristic: BluetoothUUID, _ call: MethodCall) async -> Result<[DBusValue], DBusError> {
        guard let value = call.arguments.first?.bytesValue else {
            return .failure(.invalidArgument("WriteValue takes an array of bytes and options"))
        }
        let options = Options(call.arguments.dropFirst().first)
        // The daemon asks whether a queued write would be allowed; the write itself follows.
        if options.isAuthorizationOnly { return .success([]) }
        let response = await respond(
            AttributeRequest(
                beacon: beacon, characteristic: characteristic, central: options.central,
                operation: .write(offset: options.offset, value: value)))
        return response.map { _ in [] }.mapError(Self.busError)
    }

    /// What comes with a request.
    private struct Options {
        let offset: Int
        let central: String
        let isAuthorizationOnly: Bool

        init(_ value: DBusValue?) {
            let options = value?.dictionaryValue ?? [:]
            offset = Int(options["offset"]?.uint16Value ?? 0)
            central = options["device"]?.objectPathValue.flatMap(BlueZDevice.address)?.description ?? "unknown"
            isAuthorizationOnly = options["prepare-authorize"]?.boolValue ?? false
        }
    }

    private static func flags(_ properties: CharacteristicProperties) -> [String] {
        let names: [(CharacteristicProperties, String)] = [
            (.read, "read"), (.writeWithoutResponse, "write-without-response"), (.write, "write"),
            (.notify, "notify"), (.indicate, "indicate"),
        ]
        return names.filter { properties.contains($0.0) }.map(\.1)
    }

    /// bluetoothd turns error names into ATT codes; one that it does not know becomes 0x0E, Unlikely Error.
    private static func busError(_ error: ATTError) -> DBusError {
        let name =
            switch error {
            case .readNotPermitted, .writeNotPermitted: "NotPermitted"
            case .invalidOffset: "InvalidOffset"
            case .invalidAttributeValueLength: "InvalidValueLength"
            case .insufficientResources: "InsufficientResources"
            default: "UnlikelyError"
            }
        return DBusError(name: "org.bluez.Error.\(name)", message: "ATT error \(error.rawValue)")
    }
}

/// The paths that bluetoothd gives to peers: `/org/bluez/hci0/dev_00_AA_01_00_00_00`.
enum BlueZDevice {
    /// The peer's address.
    static func address(of path: ObjectPath) -> BluetoothAddress? {
        let component = path.lastComponent
        guard component.hasPrefix("dev_") else { return nil }
        return BluetoothAddress(component.dropFirst(4).split(separator: "_").joined(separator: ":"))
    }

    /// The path of a peer of an adapter.
    static func path(of address: String, on adapter: BlueZAdapter) -> ObjectPath? {
        try? adapter.path.appending("dev_" + address.split(separator: ":").joined(separator: "_"))
    }
}
