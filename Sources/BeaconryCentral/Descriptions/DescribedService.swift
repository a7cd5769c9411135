// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A service of a device, whose values have the types of its description.
///
/// `Peripheral.discover` returns it. It is valid while the connection lasts.
public struct DescribedService<Description: ServiceDescription>: Sendable {
    /// The discovered service.
    public let service: Service
    /// The discovered characteristics.
    public let characteristics: [Characteristic]
    private let description = Description()

    init(_ service: Service, _ characteristics: [Characteristic]) {
        self.service = service
        self.characteristics = characteristics
    }

    /// The characteristic that a property describes.
    /// - Throws: `CentralError` `.notFound` when the device does not have it.
    public func characteristic<Value>(
        _ property: KeyPath<Description, CharacteristicDescription<Value>>
    ) throws(CentralError) -> Characteristic {
        let uuid = description[keyPath: property].uuid
        guard let characteristic = characteristics.first(where: { $0.uuid == uuid }) else {
            throw CentralError(
                .notFound("characteristic \(uuid) in service \(service.uuid)"),
                operation: "find characteristic \(uuid) of \(service.peripheral.address)")
        }
        return characteristic
    }

    /// Reads a value.
    /// - Throws: `CentralError`; `.invalidValue` when it is not as described.
    public func read<Value>(
        _ property: KeyPath<Description, CharacteristicDescription<Value>>,
        timeout: Duration = Central.defaultTimeout
    ) async throws(CentralError) -> Value {
        let characteristic = try characteristic(property)
        let codec = description[keyPath: property].codec
        return try codec.value(of: try await characteristic.read(timeout: timeout), characteristic)
    }

    /// Writes a value and waits for the device's response.
    public func write<Value>(
        _ value: Value, to property: KeyPath<Description, CharacteristicDescription<Value>>,
        timeout: Duration = Central.defaultTimeout
    ) async throws(CentralError) {
        let octets = description[keyPath: property].codec.encode(value)
        try await characteristic(property).write(octets, timeout: timeout)
    }

    /// Writes a value and reads it back.
    /// - Parameters:
    ///   - value: the value.
    ///   - property: the property that describes its characteristic.
    ///   - timeout: the time limit of each step, the write and the read.
    /// - Throws: `CentralError`; `.notAsWritten` if another value is read.
    public func writeAndVerify<Value>(
        _ value: Value, to property: KeyPath<Description, CharacteristicDescription<Value>>,
        timeout: Duration = Central.defaultTimeout
    ) async throws(CentralError) {
        let octets = description[keyPath: property].codec.encode(value)
        let characteristic = try characteristic(property)
        try await characteristic.write(octets, timeout: timeout)
        let found = try await characteristic.read(timeout: timeout)
        guard found == octets else {
            throw CentralError(
                .notAsWritten(
                    "\(Hexadecimal.string(octets)) was written and \(Hexadecimal.string(found)) is read back"),
                operation: characteristic.clause("verify"))
        }
    }

    /// The values that the device notifies. It subscribes when iteration begins (see `Characteristic.notifications`).
    public func notifications<Value>(
        _ property: KeyPath<Description, CharacteristicDescription<Value>>,
        timeout: Duration = Central.defaultTimeout
    ) throws(CentralError) -> DescribedNotifications<Value> {
        let characteristic = try characteristic(property)
        return DescribedNotifications(
            characteristic, codec: description[keyPath: property].codec,
            characteristic.notifications(timeout: timeout))
    }

    /// Subscribes, and returns when the device notifies: no later value is missed (see `Characteristic.subscribe`).
    public func subscribe<Value>(
        _ property: KeyPath<Description, CharacteristicDescription<Value>>,
        timeout: Duration = Central.defaultTimeout
    ) async throws(CentralError) -> DescribedNotifications<Value> {
        let characteristic = try characteristic(property)
        return DescribedNotifications(
            characteristic, codec: description[keyPath: property].codec,
            try await characteristic.subscribe(timeout: timeout))
    }
}

extension Peripheral {
    /// Discovers a described service and its characteristics.
    /// - Parameters:
    ///   - description: the description of the service.
    ///   - timeout: the time limit of each of the two discoveries.
    public func discover<Description: ServiceDescription>(
        _ description: Description.Type, timeout: Duration = Central.defaultTimeout
    ) async throws(CentralError) -> DescribedService<Description> {
        let service = try await discoverService(Description.uuid, timeout: timeout)
        return DescribedService(service, try await service.discoverCharacteristics(timeout: timeout))
    }

    /// Connects and discovers a described service; if the discovery fails, it disconnects.
    /// - Parameters:
    ///   - description: the description of the service.
    ///   - timeout: the time limit of each step.
    ///   - retry: how often to try to connect.
    public func connect<Description: ServiceDescription>(
        to description: Description.Type, timeout: Duration = Central.defaultTimeout, retry: ConnectRetry = .none
    ) async throws(CentralError) -> DescribedService<Description> {
        try await connect(timeout: timeout, retry: retry)
        do throws(CentralError) {
            return try await discover(Description.self, timeout: timeout)
        } catch {
            await disconnect()
            throw error
        }
    }
}

extension ValueCodec {
    /// The value that was read of a characteristic.
    func value(of octets: [UInt8], _ characteristic: Characteristic) throws(CentralError) -> Value {
        do throws(WireError) {
            return try decode(octets)
        } catch {
            throw CentralError(
                .invalidValue("its value \(Hexadecimal.string(octets)) is not as described (\(error))"),
                operation: characteristic.clause("understand"))
        }
    }
}
