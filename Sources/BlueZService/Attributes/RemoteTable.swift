// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Radio

/// The attributes of a device, as they were found over a link.
struct RemoteTable: Hashable, Sendable {
    /// A characteristic with its descriptors.
    struct Characteristic: Hashable, Sendable {
        let characteristic: RemoteCharacteristic
        let descriptors: [RemoteDescriptor]
        /// The properties of the extended properties descriptor.
        let extended: ExtendedCharacteristicProperties
    }

    /// A service with its characteristics.
    struct Service: Hashable, Sendable {
        let service: RemoteService
        let isPrimary: Bool
        /// The handles of the declarations of the services that it includes.
        let included: [AttributeHandle]
        let characteristics: [Characteristic]
    }

    /// The services in the order of their handles.
    let services: [Service]

    /// Finds all attributes.
    /// - Throws: `RemoteError`.
    static func discover(over link: any RemoteLink) async throws(RemoteError) -> RemoteTable {
        let primary = try await link.discoverServices(nil)
        // As bluetoothd: secondary services may be included by none (bluez 5.82 src/shared/gatt-client.c).
        let secondary = try await (link as? any ProcedureLink)?.discoverSecondaryServices() ?? []
        var pending = primary + secondary
        var found: [AttributeHandle: Service] = [:]
        while let service = pending.popLast() {
            let handle = service.handles.lowerBound
            guard found[handle] == nil else { continue }
            let included = try await (link as? any ProcedureLink)?.discoverIncludedServices(of: service) ?? []
            found[handle] = Service(
                service: service, isPrimary: primary.contains(service),
                included: included.map(\.handles.lowerBound),
                characteristics: try await characteristics(of: service, over: link))
            pending += included
        }
        return RemoteTable(
            services: found.values.sorted { $0.service.handles.lowerBound < $1.service.handles.lowerBound })
    }

    private static func characteristics(
        of service: RemoteService, over link: any RemoteLink
    ) async throws(RemoteError) -> [Characteristic] {
        var found: [Characteristic] = []
        for characteristic in try await link.discoverCharacteristics(of: service) {
            let descriptors = try await link.discoverDescriptors(of: characteristic)
            var extended: ExtendedCharacteristicProperties = []
            if characteristic.properties.contains(.extendedProperties),
                let descriptor = descriptors.first(where: { $0.uuid == .bit16(0x2900) }),
                let value = try? await link.read(descriptor.handle), let flags = value.first
            {
                extended = ExtendedCharacteristicProperties(rawValue: UInt16(flags))
            }
            found.append(
                Characteristic(characteristic: characteristic, descriptors: descriptors, extended: extended))
        }
        return found
    }

    /// A characteristic by its type and the type of its service.
    func characteristic(of uuid: BluetoothUUID, in service: BluetoothUUID) -> RemoteCharacteristic? {
        services.first { $0.service.uuid == service }?.characteristics.first { $0.characteristic.uuid == uuid }?
            .characteristic
    }

    /// The handle of the value of a characteristic.
    func value(of uuid: BluetoothUUID, in service: BluetoothUUID) -> AttributeHandle? {
        characteristic(of: uuid, in: service)?.value
    }
}

extension RemoteTable.Characteristic {
    /// The flags of `GattCharacteristic1` (bluez 5.82 src/gatt-client.c, `chrc_prop_data`).
    var flags: [String] {
        let further: [(ExtendedCharacteristicProperties, String)] = [
            (.reliableWrite, "reliable-write"), (.writableAuxiliaries, "writable-auxiliaries"),
        ]
        return characteristic.properties.names + further.filter { extended.contains($0.0) }.map(\.1)
    }
}
