// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Radio

/// A descriptor: `org.bluez.GattDescriptor1` (bluez 5.82 src/gatt-client.c).
@ServiceActor
final class DescriptorObject {
    private static let declaration = InterfaceDeclaration(
        "org.bluez.GattDescriptor1",
        methods: [
            MethodDeclaration("ReadValue", in: ["options": "a{sv}"], out: ["value": "ay"]),
            MethodDeclaration("WriteValue", in: ["value": "ay", "options": "a{sv}"]),
        ],
        properties: [
            PropertyDeclaration("Handle", "q"),
            PropertyDeclaration("UUID", "s"),
            PropertyDeclaration("Characteristic", "o"),
            PropertyDeclaration("Value", "ay"),
        ])

    private let path: ObjectPath
    private let descriptor: RemoteDescriptor
    private let characteristic: ObjectPath
    private let value: RemoteValue

    /// The object of a descriptor.
    init?(
        _ descriptor: RemoteDescriptor, below characteristic: ObjectPath, over connection: DeviceConnection,
        bus: ServiceBus
    ) {
        guard let path = try? characteristic.appending("desc" + descriptor.handle.pathText) else { return nil }
        self.path = path
        self.descriptor = descriptor
        self.characteristic = characteristic
        value = RemoteValue(of: descriptor.handle, over: connection) { value in
            bus.emitPropertiesChanged(path, Self.declaration.name, ["Value": .bytes(value)])
        }
    }

    /// Exports the object.
    func export(on bus: ServiceBus) {
        let interface = ExportedInterface(
            Self.declaration, properties: { ServiceActor.assumeIsolated { self.properties } },
            call: { call, reply in ServiceActor.assumeIsolated { self.handle(call, reply) } })
        bus.export(path, [interface])
    }

    private var properties: [String: DBusValue] {
        [
            "Handle": .uint16(descriptor.handle.rawValue), "UUID": .string(descriptor.uuid.busText),
            "Characteristic": .objectPath(characteristic), "Value": .bytes(value.bytes),
        ]
    }

    private func handle(_ call: MethodCall, _ reply: PendingReply) {
        do throws(DBusError) {
            guard call.member == "WriteValue" else {
                return try value.read(ValueOptions(call.arguments.first), reply)
            }
            _ = try value.requireLink()
            let options = try ValueOptions(call.arguments.last)
            // Programs subscribe with StartNotify.
            guard descriptor.uuid != .clientCharacteristicConfiguration else {
                throw BlueZError.notPermitted("Write not permitted")
            }
            try value.write(call.arguments.first?.bytesValue ?? [], options, .request, reply)
        } catch {
            reply.fail(error)
        }
    }
}
