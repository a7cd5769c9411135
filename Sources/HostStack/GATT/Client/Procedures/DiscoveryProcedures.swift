// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// A discovery that repeats one request over the rest of a range of handles. It ends at the end of the range, or when the
/// server has no more such attributes.
protocol SweepingDiscovery: ProcedureMachine {
    /// The rest of the range.
    var search: HandleSearch { get }
    /// What was discovered.
    var result: GATTResult { get }
    /// The request for a range.
    func request(over range: ClosedRange<AttributeHandle>) -> ATTPDU
    /// Takes the attributes of a response, and advances the search over them.
    /// - Throws: `ATTClientError.malformedResponse`, also for a response to another request.
    mutating func take(_ response: ATTPDU) throws(ATTClientError)
}

extension SweepingDiscovery {
    mutating func start(mtu: Int) -> ProcedureStep { next }

    mutating func receive(_ response: Result<ATTPDU, ATTClientError>, mtu: Int) -> ProcedureStep {
        do throws(ATTClientError) {
            try take(try response.get())
            return next
        } catch ATTClientError.refused(.attributeNotFound, _) {
            return .done(result)
        } catch {
            return .failed(error)
        }
    }

    private var next: ProcedureStep { search.range.map { .request(request(over: $0)) } ?? .done(result) }
}

/// Discover All Primary Services (Core 5.4, Vol 3, Part G, 4.4.1), or all secondary ones in the same way.
struct ServiceDiscovery: SweepingDiscovery {
    private let declaration: BluetoothUUID
    private(set) var search = HandleSearch(.all)
    private var services: [RemoteService] = []

    /// - Parameter declaration: the type of the declarations.
    init(_ declaration: BluetoothUUID) { self.declaration = declaration }

    var result: GATTResult { .services(services) }

    func request(over range: ClosedRange<AttributeHandle>) -> ATTPDU {
        .readByGroupTypeRequest(
            ATTReadByGroupTypeRequest(
                startingHandle: range.lowerBound, endingHandle: range.upperBound, type: declaration))
    }

    mutating func take(_ response: ATTPDU) throws(ATTClientError) {
        guard case .readByGroupTypeResponse(let response) = response else { throw .malformedResponse }
        for entry in response.entries {
            try search.advance(over: entry.handle, through: entry.groupEnd)
            let uuid = try BluetoothUUID(attributeTypeBytes: entry.value)
            services.append(RemoteService(uuid: uuid, handles: entry.handle...entry.groupEnd))
        }
    }
}

/// Discover Primary Service by Service UUID (Core 5.4, Vol 3, Part G, 4.4.2).
struct ServiceDiscoveryByUUID: SweepingDiscovery {
    private let uuid: BluetoothUUID
    private(set) var search = HandleSearch(.all)
    private var services: [RemoteService] = []

    init(_ uuid: BluetoothUUID) { self.uuid = uuid }

    var result: GATTResult { .services(services) }

    func request(over range: ClosedRange<AttributeHandle>) -> ATTPDU {
        .findByTypeValueRequest(
            ATTFindByTypeValueRequest(
                startingHandle: range.lowerBound, endingHandle: range.upperBound, type: 0x2800,
                value: uuid.attributeTypeBytes))
    }

    mutating func take(_ response: ATTPDU) throws(ATTClientError) {
        guard case .findByTypeValueResponse(let response) = response else { throw .malformedResponse }
        for entry in response.entries {
            try search.advance(over: entry.found, through: entry.groupEnd)
            services.append(RemoteService(uuid: uuid, handles: entry.found...entry.groupEnd))
        }
    }
}

/// Find Included Services (Core 5.4, Vol 3, Part G, 4.5.1).
///
/// A declaration contains only 16-bit types; any other type is read from the declaration of the included service.
struct InclusionDiscovery: ProcedureMachine {
    private struct Inclusion: Sendable {
        let handle: AttributeHandle
        let service: ClosedRange<AttributeHandle>
        var uuid: BluetoothUUID?
    }

    private var search: HandleSearch
    private var inclusions: [Inclusion] = []

    init(in handles: ClosedRange<AttributeHandle>) { search = HandleSearch(handles) }

    mutating func start(mtu: Int) -> ProcedureStep { next }

    mutating func receive(_ response: Result<ATTPDU, ATTClientError>, mtu: Int) -> ProcedureStep {
        do throws(ATTClientError) {
            switch response {
            case .success(.readByTypeResponse(let response)):
                for entry in response.entries {
                    try search.advance(over: entry.handle, through: entry.handle)
                    inclusions.append(try Self.inclusion(entry))
                }
            case .success(.readResponse(let response)):
                guard let index = unresolved else { throw .malformedResponse }
                inclusions[index].uuid = try BluetoothUUID(attributeTypeBytes: response.value)
            case .success:
                throw .malformedResponse
            case .failure(.refused(.attributeNotFound, _)) where search.range != nil:
                search.finish()
            case .failure(let error):
                throw error
            }
            return next
        } catch { return .failed(error) }
    }

    private var unresolved: Int? { inclusions.firstIndex { $0.uuid == nil } }

    private var next: ProcedureStep {
        if let range = search.range {
            return .request(
                .readByTypeRequest(
                    ATTReadByTypeRequest(
                        startingHandle: range.lowerBound, endingHandle: range.upperBound, type: .include)))
        }
        if let unresolved {
            return .request(.readRequest(ATTReadRequest(handle: inclusions[unresolved].service.lowerBound)))
        }
        return .done(
            .inclusions(
                inclusions.compactMap { inclusion in
                    inclusion.uuid.map {
                        IncludedService(
                            handle: inclusion.handle,
                            service: RemoteService(uuid: $0, handles: inclusion.service))
                    }
                }))
    }

    private static func inclusion(_ entry: ATTReadByTypeResponse.Entry) throws(ATTClientError) -> Inclusion {
        var reader = ByteReader(entry.value)
        guard let start = try? AttributeHandle(parsing: &reader), let end = try? AttributeHandle(parsing: &reader),
            start <= end, reader.isAtEnd || reader.remaining == 2
        else { throw .malformedResponse }
        let short = try? reader.readLittleEndian(UInt16.self)
        return Inclusion(handle: entry.handle, service: start...end, uuid: short.map { .bit16($0) })
    }
}

/// Discover All Characteristics of a Service, and Discover Characteristics by UUID (Core 5.4, Vol 3, Part G, 4.6).
struct CharacteristicDiscovery: SweepingDiscovery {
    private struct Declaration: Sendable {
        let handle: AttributeHandle
        let properties: CharacteristicProperties
        let value: AttributeHandle
        let uuid: BluetoothUUID
    }

    private let handles: ClosedRange<AttributeHandle>
    private let uuid: BluetoothUUID?
    private(set) var search: HandleSearch
    private var declarations: [Declaration] = []

    init(in handles: ClosedRange<AttributeHandle>, uuid: BluetoothUUID?) {
        self.handles = handles
        self.uuid = uuid
        search = HandleSearch(handles)
    }

    var result: GATTResult { .characteristics(characteristics) }

    func request(over range: ClosedRange<AttributeHandle>) -> ATTPDU {
        .readByTypeRequest(
            ATTReadByTypeRequest(
                startingHandle: range.lowerBound, endingHandle: range.upperBound, type: .characteristic))
    }

    mutating func take(_ response: ATTPDU) throws(ATTClientError) {
        guard case .readByTypeResponse(let response) = response else { throw .malformedResponse }
        for entry in response.entries {
            try search.advance(over: entry.handle, through: entry.handle)
            declarations.append(try Self.declaration(entry, in: handles))
        }
    }

    private var characteristics: [RemoteCharacteristic] {
        declarations.indices.compactMap { index in
            let declaration = declarations[index]
            guard uuid == nil || declaration.uuid == uuid else { return nil }
            let successor = index + 1 < declarations.count ? declarations[index + 1].handle : nil
            // A declaration follows another one, so the handle before it is valid.
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

/// Discover All Characteristic Descriptors (Core 5.4, Vol 3, Part G, 4.7.1).
struct DescriptorDiscovery: SweepingDiscovery {
    private(set) var search: HandleSearch
    private var descriptors: [RemoteDescriptor] = []

    init(in handles: ClosedRange<AttributeHandle>) { search = HandleSearch(handles) }

    var result: GATTResult { .descriptors(descriptors) }

    func request(over range: ClosedRange<AttributeHandle>) -> ATTPDU {
        .findInformationRequest(
            ATTFindInformationRequest(startingHandle: range.lowerBound, endingHandle: range.upperBound))
    }

    mutating func take(_ response: ATTPDU) throws(ATTClientError) {
        guard case .findInformationResponse(let response) = response else { throw .malformedResponse }
        for entry in response.entries {
            try search.advance(over: entry.handle, through: entry.handle)
            descriptors.append(RemoteDescriptor(uuid: entry.type, handle: entry.handle))
        }
    }
}
