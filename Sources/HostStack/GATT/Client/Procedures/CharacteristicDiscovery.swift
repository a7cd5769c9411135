// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore

/// Discover All Characteristics of a Service, or those of a type (Core 5.4, Vol 3, Part G, 4.6).
struct CharacteristicDiscovery: ProcedureMachine {
    private struct Declaration: Sendable {
        let handle: AttributeHandle
        let properties: CharacteristicProperties
        let value: AttributeHandle
        let uuid: BluetoothUUID
    }

    private let handles: ClosedRange<AttributeHandle>
    private let uuid: BluetoothUUID?
    private var search: HandleSearch
    private var declarations: [Declaration] = []

    init(in handles: ClosedRange<AttributeHandle>, uuid: BluetoothUUID?) {
        self.handles = handles
        self.uuid = uuid
        search = HandleSearch(handles)
    }

    mutating func start(mtu: Int) -> ProcedureStep { next }

    mutating func receive(_ response: Result<ATTPDU, ATTClientError>, mtu: Int) -> ProcedureStep {
        switch response {
        case .success(.readByTypeResponse(let response)):
            do throws(ATTClientError) {
                for entry in response.entries {
                    try search.advance(over: entry.handle, through: entry.handle)
                    declarations.append(try Self.declaration(entry, in: handles))
                }
                return next
            } catch { return .failed(error) }
        case .success: return .failed(.malformedResponse)
        case .failure(.refused(.attributeNotFound, _)): return .done(.characteristics(characteristics))
        case .failure(let error): return .failed(error)
        }
    }

    private var next: ProcedureStep {
        guard let range = search.range else { return .done(.characteristics(characteristics)) }
        return .request(
            .readByTypeRequest(
                ATTReadByTypeRequest(
                    startingHandle: range.lowerBound, endingHandle: range.upperBound, type: .characteristic)))
    }

    private var characteristics: [RemoteCharacteristic] {
        declarations.indices.compactMap { index in
            let declaration = declarations[index]
            guard uuid == nil || declaration.uuid == uuid else { return nil }
            let successor = index + 1 < declarations.count ? declarations[index + 1].handle : nil
            // A declaration behind another is at least its successor, so there is a handle in front of it.
            let end = successor.map { AttributeHandle($0.rawValue - 1) } ?? handles.upperBound
            return RemoteCharacteristic(
                uuid: declaration.uuid, properties: declaration.properties, declaration: declaration.handle,
                value: declaration.value, end: max(end, declaration.value))
        }
    }

    private static func declaration(
        _ entry: ATTReadByTypeResponse.Entry, in handles: ClosedRange<AttributeHandle>
    ) throws(ATTClientError) -> Declaration {
        var reader = ByteReader(entry.value)
        guard let properties = try? reader.readUInt8(), let value = try? AttributeHandle(parsing: &reader),
            value > entry.handle, value <= handles.upperBound
        else { throw .malformedResponse }
        return Declaration(
            handle: entry.handle, properties: CharacteristicProperties(rawValue: properties), value: value,
            uuid: try BluetoothUUID(attributeTypeBytes: Array(reader.readAll())))
    }
}
