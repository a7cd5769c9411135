// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// The configuration of an IoT Design Shop beacon.
public struct IoTDesignShopClient: Sendable {
    /// The settings of a beacon.
    public struct Settings: Hashable, Sendable {
        /// The proximity UUID.
        public var uuid: UUID128
        /// The major and the minor number.
        public var numbers: IoTDesignShopService.MajorMinor
        /// The power and the interval.
        public var transmit: IoTDesignShopService.TransmitSettings

        /// These settings.
        public init(
            uuid: UUID128, numbers: IoTDesignShopService.MajorMinor, transmit: IoTDesignShopService.TransmitSettings
        ) {
            self.uuid = uuid
            self.numbers = numbers
            self.transmit = transmit
        }
    }

    /// The scan options: such beacons advertise their configuration service in the scan response.
    public static let scan = ScanOptions(services: [IoTDesignShopService.uuid])

    /// The beacon.
    public let peripheral: Peripheral
    private let service: DescribedService<IoTDesignShopService>
    private let timeout: Duration

    /// Connects to a beacon and discovers its configuration service.
    /// - Parameters:
    ///   - peripheral: the beacon.
    ///   - timeout: the time limit of each step, here and later.
    ///   - retry: the attempts to connect.
    public init(
        _ peripheral: Peripheral, timeout: Duration = Central.defaultTimeout, retry: ConnectRetry = .none
    ) async throws(CentralError) {
        self.peripheral = peripheral
        self.timeout = timeout
        service = try await peripheral.connect(to: IoTDesignShopService.self, timeout: timeout, retry: retry)
    }

    /// Reads all settings.
    public func read() async throws(CentralError) -> Settings {
        Settings(
            uuid: try await service.read(\.beaconUUID, timeout: timeout),
            numbers: try await service.read(\.majorMinor, timeout: timeout),
            transmit: try await service.read(\.transmitSettings, timeout: timeout))
    }

    /// Writes the settings that differ, each with response, and reads each back.
    ///
    /// After a failure it can be called again: it writes only what still differs.
    /// - Returns: the settings before.
    /// - Throws: `CentralError`; `.notAsWritten` if the beacon has another value afterwards.
    @discardableResult
    public func write(_ wanted: Settings) async throws(CentralError) -> Settings {
        let found = try await read()
        if found.uuid != wanted.uuid {
            try await service.writeAndVerify(wanted.uuid, to: \.beaconUUID, timeout: timeout)
        }
        if found.numbers != wanted.numbers {
            try await service.writeAndVerify(wanted.numbers, to: \.majorMinor, timeout: timeout)
        }
        if found.transmit != wanted.transmit {
            try await service.writeAndVerify(wanted.transmit, to: \.transmitSettings, timeout: timeout)
        }
        return found
    }

    /// Disconnects: the beacon advertises again.
    public func close() async { await peripheral.disconnect() }
}
