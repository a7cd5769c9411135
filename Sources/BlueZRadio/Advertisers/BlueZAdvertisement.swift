// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import DBus
import Radio

/// An advertisement as org.bluez.LEAdvertisement1 objects, and the bytes that bluetoothd composes of them.
///
/// Each requested structure is advertised as requested, advertised in another form or place (`changes`), or not advertised
/// (`losses`). The place of a structure:
///
/// * advertising data: into the advertising data, except the name, which bluetoothd always puts into the scan response;
/// * scan response: into the scan response where this bluetoothd has properties for it (5.80), else into the
///   advertising data if all of it fits there, else into the advertising data of a second object. Appearance and power
///   have no property for the scan response in any version.
struct BlueZAdvertisement: Hashable, Sendable {
    /// A structure that cannot be advertised.
    struct Loss: Hashable, Sendable {
        /// The part of the advertisement that the structure was requested in.
        let field: AdvertisingField
        /// The structure; `nil` for bytes that are not a structure.
        let structure: AdvertisingStructure?
        /// The AD type and the bytes as text.
        let name: String
        /// The reason, as a clause of a sentence.
        let reason: String
    }

    /// A structure that is advertised in another form or place.
    struct Change: Hashable, Sendable {
        /// The part of the advertisement that the structure was requested in.
        let field: AdvertisingField
        /// The place in the first object; `nil` for a structure in the second object.
        let destination: AdvertisingField?
        /// The change, as a clause of a sentence.
        let description: String
    }

    /// The properties of each object to register: one object or two.
    let objects: [[String: DBusValue]]
    /// The PDU type of the first object.
    let pdu: AdvertisingPDU
    /// The advertising data of the first object.
    let advertisingData: AdvertisingData
    /// The scan response of the first object.
    let scanResponse: AdvertisingData
    /// The structures that are not advertised.
    let losses: [Loss]
    /// The structures that are advertised in another form or place; another order alone is not a change.
    let changes: [Change]

    /// Maps an advertisement to objects for a daemon.
    init(_ advertisement: Advertisement, for daemon: DaemonCapabilities) {
        var composition = Composition(daemon: daemon)
        composition.compose(advertisement)
        let isPeripheral = advertisement.pdu.isConnectable || advertisement.advertisingData.flags != nil
        objects = composition.objects.map { object in
            var properties = composition[object.data].properties(inScanResponse: false)
            properties.merge(composition[object.scanResponse].properties(inScanResponse: true)) { first, _ in first }
            properties["Type"] = .string(isPeripheral ? "peripheral" : "broadcast")
            properties["MinInterval"] = .uint32(Self.milliseconds(advertisement.interval))
            properties["MaxInterval"] = .uint32(Self.milliseconds(advertisement.interval))
            if daemon.canSetTransmitPower, let power = advertisement.transmitPower {
                properties["TxPower"] = .int16(Int16(power.decibelMilliwatts))
            }
            return properties
        }
        advertisingData = composition.composed(.advertisingData)
        scanResponse = composition.composed(.scanResponse)
        pdu = isPeripheral ? .connectableScannable : scanResponse.structures.isEmpty ? .nonConnectable : .scannable
        losses = composition.losses
        changes = composition.changes
    }

    /// Whether advertised bytes have the structures of `advertisingData`. Flags and TX power may differ, because they
    /// depend on the adapter.
    func isCarried(by bytes: [UInt8]) -> Bool {
        guard let found = try? AdvertisingData(parsing: bytes).structures.filter(Self.isComposedByUs) else {
            return false
        }
        let expected = advertisingData.structures.filter(Self.isComposedByUs)
        return found.count == expected.count && expected.allSatisfy(found.contains)
    }

    /// The structures of requested data that are not lost.
    func carried(of data: AdvertisingData, _ field: AdvertisingField) -> [AdvertisingStructure] {
        losses.filter { $0.field == field }.reduce(into: data.structures) { structures, loss in
            // Of equal structures the last one is lost.
            guard let structure = loss.structure, let index = structures.lastIndex(of: structure) else { return }
            structures.remove(at: index)
        }
    }

    private static func isComposedByUs(_ structure: AdvertisingStructure) -> Bool {
        switch structure {
        case .flags, .transmitPower: false
        case .serviceUUIDs16, .serviceUUIDs128, .localName, .serviceData16, .manufacturerSpecific, .unknown: true
        }
    }

    /// The interval in bluetoothd's unit, rounded up, so that it is never shorter than requested.
    private static func milliseconds(_ interval: AdvertisingInterval) -> UInt32 {
        (interval.count * 625 + 999) / 1000
    }
}

/// Distributes the structures of an advertisement over the payloads of one or two objects.
private struct Composition {
    /// A payload of one of the objects.
    enum Destination: Hashable {
        case advertisingData
        case scanResponse
        case secondAdvertisingData
        case secondScanResponse
    }

    /// A structure, the part of the advertisement that it was requested in, and the payload that it was placed in.
    private struct Placement {
        let structure: AdvertisingStructure
        let content: BlueZContent
        let field: AdvertisingField
        let destination: Destination
    }

    let daemon: DaemonCapabilities
    /// Whether the scan response needs an object of its own.
    private var usesSecond = false
    private var payloads: [Destination: BlueZPayload] = [:]
    private(set) var losses: [BlueZAdvertisement.Loss] = []
    private var placements: [Placement] = []

    init(daemon: DaemonCapabilities) {
        self.daemon = daemon
    }

    subscript(destination: Destination) -> BlueZPayload { payloads[destination] ?? BlueZPayload() }

    /// The payloads of each object. The second object exists if it has a payload.
    var objects: [(data: Destination, scanResponse: Destination)] {
        let first = (data: Destination.advertisingData, scanResponse: Destination.scanResponse)
        let hasSecond = payloads[.secondAdvertisingData] != nil || payloads[.secondScanResponse] != nil
        return hasSecond ? [first, (.secondAdvertisingData, .secondScanResponse)] : [first]
    }

    mutating func compose(_ advertisement: Advertisement) {
        for structure in advertisement.advertisingData.structures { place(structure, from: .advertisingData) }
        if !daemon.hasScanResponseProperties { usesSecond = !fitsFirst(advertisement.scanResponse.structures) }
        for structure in advertisement.scanResponse.structures { place(structure, from: .scanResponse) }
        if let flags = self[.advertisingData].flags, objects.count > 1 {
            var second = self[.secondAdvertisingData]
            // Without room for the flags the second object has no flags, which bluetoothd allows.
            if (try? second.add(.flags(flags))) != nil { payloads[.secondAdvertisingData] = second }
        }
        for (field, data) in [
            (AdvertisingField.advertisingData, advertisement.advertisingData),
            (.scanResponse, advertisement.scanResponse),
        ] where !data.padding.isEmpty {
            losses.append(
                .init(
                    field: field, structure: nil, name: "\(Hexadecimal.string(data.padding)) after the structures",
                    reason: "bluetoothd composes structures only"))
        }
    }

    /// The payloads that bluetoothd can add a content to, in the order of preference.
    private func destinations(of content: BlueZContent, from field: AdvertisingField) -> [Destination] {
        switch (content, field) {
        case (.localName, .advertisingData): [.scanResponse]
        case (.localName, _): usesSecond ? [.secondScanResponse] : [.scanResponse]
        case (_, .advertisingData): [.advertisingData]
        case (.flags, _): []
        case (.appearance, _), (.transmitPower, _):
            usesSecond ? [.advertisingData, .secondAdvertisingData] : [.advertisingData]
        case (.services, _), (.solicitation, _), (.manufacturerData, _), (.serviceData, _), (.other, _):
            daemon.hasScanResponseProperties
                ? [.scanResponse, .advertisingData] : usesSecond ? [.secondAdvertisingData] : [.advertisingData]
        }
    }

    /// Whether the advertising data of the first object has room for a whole scan response without its name and flags.
    private func fitsFirst(_ structures: [AdvertisingStructure]) -> Bool {
        var payload = self[.advertisingData]
        for structure in structures {
            guard let content = try? BlueZContent(structure, for: daemon) else { continue }
            if case .localName = content { continue }
            if case .flags = content { continue }
            do { try payload.add(content) } catch { return false }
        }
        return true
    }

    /// Adds a structure to the first of its destinations that has room, else to `losses`.
    private mutating func place(_ structure: AdvertisingStructure, from field: AdvertisingField) {
        do throws(BlueZContent.Refusal) {
            let content = try BlueZContent(structure, for: daemon)
            var refusal = BlueZContent.Refusal("flags are possible in the advertising data only")
            for destination in destinations(of: content, from: field) {
                do throws(BlueZContent.Refusal) {
                    var payload = self[destination]
                    try payload.add(content)
                    payloads[destination] = payload
                    placements.append(
                        Placement(structure: structure, content: content, field: field, destination: destination))
                    return
                } catch {
                    refusal = error
                }
            }
            throw refusal
        } catch {
            losses.append(
                .init(field: field, structure: structure, name: structure.blueZName, reason: error.reason))
        }
    }

    /// The data that the daemon composes for a destination, with the flags that the daemon computes.
    func composed(_ destination: Destination) -> AdvertisingData {
        AdvertisingData(
            self[destination].structures.compactMap { structure in
                guard case .flags(let flags) = structure else { return structure }
                let isGeneral = flags.contains(.generalDiscoverable)
                guard isGeneral || daemon.writesFlagsOfUndiscoverable else { return nil }
                var composed: AdvertisingFlags = isGeneral ? .generalDiscoverable : []
                if !daemon.isAdapterDiscoverable { composed.insert(.classicNotSupported) }
                return composed.isEmpty ? nil : .flags(composed)
            })
    }

    /// The structures that are not advertised as requested.
    var changes: [BlueZAdvertisement.Change] {
        placements.compactMap { placement in
            let destination: AdvertisingField? =
                switch placement.destination {
                case .advertisingData: .advertisingData
                case .scanResponse: .scanResponse
                case .secondAdvertisingData, .secondScanResponse: nil
                }
            return description(of: placement).map {
                .init(field: placement.field, destination: destination, description: $0)
            }
        }
    }

    private func description(of placement: Placement) -> String? {
        let name = placement.structure.blueZName
        switch (placement.destination, placement.field) {
        case (.secondAdvertisingData, _), (.secondScanResponse, _): return "\(name) goes into a second advertisement"
        case (.scanResponse, .advertisingData): return "\(name) goes into the scan response"
        case (.advertisingData, .scanResponse): return "\(name) goes into the advertising data"
        case (.advertisingData, _), (.scanResponse, _): break
        }
        if case .transmitPower = placement.content { return "\(name) gets the power that the controller reports" }
        let composed = composed(placement.destination).structures
        guard !composed.contains(placement.structure) else { return nil }
        var alone = BlueZPayload()
        guard (try? alone.add(placement.content)) != nil else { return nil }
        let types = alone.structures.map(\.type)
        let forms = composed.filter { types.contains($0.type) }.map(\.blueZName)
        return forms.isEmpty ? nil : "\(name) becomes \(forms.joined(separator: " and "))"
    }
}

extension AdvertisingStructure {
    /// The AD type and the bytes: `service-data-16 (16 aafe00)`.
    fileprivate var blueZName: String {
        let bytes = "\(Hexadecimal.string([type])) \(Hexadecimal.string(data))"
        return "\(Self.name(ofType: type) ?? "the structure") (\(bytes))"
    }
}
