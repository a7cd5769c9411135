// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth

/// A characteristic value to notify.
struct SensorTagNotification: Hashable, Sendable {
    let characteristic: BluetoothUUID
    let value: [UInt8]

    init(_ characteristic: BluetoothUUID, _ value: [UInt8]) {
        self.characteristic = characteristic
        self.value = value
    }
}

/// The advertising and the connection of a SensorTag.
///
/// It is in one of three states:
///
/// * Silent. The side key starts advertising.
/// * Advertising. The side key, or a connection, stops it; with the policy `.sideKey`, it also stops after 30.72 s.
/// * Connected to one central; others are disconnected at once. The tag disconnects 100 ms after the central wrote the
///   disconnect request, and when the side key is pressed. After a disconnection it advertises if the policy is
///   `.always` or the side key was pressed; otherwise it is silent.
///
/// When power comes on, and after a reset, it advertises if the policy is `.always`; otherwise it is silent.
struct SensorTagLink: Sendable {
    private enum State: Hashable {
        case silent
        /// - Parameter until: the end of advertising, in uptime; `nil` without a time limit.
        case advertising(until: Duration?)
        case connected(Connection)
    }

    private struct Connection: Hashable {
        let central: Central
        /// Whether the tag advertises after the disconnection.
        var advertisesAfterwards = false
        /// The value of the connection parameters characteristic; `nil` if the radio has not reported them.
        var parameters: [UInt8]?
        /// When the tag disconnects, in uptime.
        var disconnectsAt: Duration?
        /// When the tag requests its preferred connection parameters, in uptime.
        var requestsParametersAt: Duration?
    }

    private struct Subscription: Hashable {
        let central: Central
        let characteristic: CharacteristicIdentifier
    }

    /// How long the tag advertises after the side key was pressed.
    private static let discoverableTime = Duration.milliseconds(30720)
    /// The time from a disconnect request to the disconnection, so that the write response is sent before.
    private static let disconnectDelay = Duration.milliseconds(100)
    /// The time from a connection to the request for the preferred parameters, which leaves time for service discovery.
    private static let parameterRequestDelay = Duration.seconds(8)
    /// The preferred parameters: 100 ms to 1 s, no latency, a timeout of 10 s.
    private static let preferredParameters = ConnectionParameters(
        interval: Ticks(80)...Ticks(800), supervisionTimeout: Ticks(1000))
    private static let silence = "it is silent until its side key is pressed, and then advertises for 30.72 s"

    private var advertisement: Advertisement
    private let policy: SensorTag.AdvertisingPolicy
    private let requestsParameters: Bool
    private var state = State.silent
    /// The subscriptions of all centrals; bluetoothd may report a subscription before the connection.
    private var subscriptions: Set<Subscription> = []

    /// A tag before power-on.
    init(_ configuration: SensorTag.Configuration, advertisement: Advertisement) {
        self.advertisement = advertisement
        policy = configuration.advertisingPolicy
        requestsParameters = configuration.firmware.requestsConnectionParameters
    }

    /// When `advance` is due, in uptime.
    var nextDeadline: Duration? {
        switch state {
        case .silent: nil
        case .advertising(let end): end
        case .connected(let connection):
            [connection.disconnectsAt, connection.requestsParametersAt].compactMap(\.self).min()
        }
    }

    /// The value of the connection parameters characteristic: interval, latency and supervision timeout.
    var parameters: [UInt8] {
        guard case .connected(let connection) = state, let parameters = connection.parameters else {
            return SensorTagWire.exampleConnectionParameters
        }
        return parameters
    }

    private var present: DeviceEffect {
        if case .advertising = state { .advertise(advertisement) } else { .advertise(nil) }
    }

    private func advertising(from now: Duration) -> State {
        .advertising(until: policy == .always ? nil : now + Self.discoverableTime)
    }

    /// Changes the advertisement.
    mutating func advertise(_ advertisement: Advertisement) -> [DeviceEffect] {
        guard advertisement != self.advertisement else { return [] }
        self.advertisement = advertisement
        return [present]
    }

    // MARK: - Power

    /// Starts advertising with the policy `.always`; otherwise the side key starts advertising.
    mutating func powerOn(at now: Duration) -> [DeviceEffect] {
        subscriptions = []
        switch policy {
        case .always:
            state = advertising(from: now)
            return [present]
        case .sideKey:
            state = .silent
            return [present, .report(.waiting(Self.silence, until: ["keys=side", "keys=none"]))]
        }
    }

    /// Disconnects the central, then does the same as at power-on.
    mutating func reset(at now: Duration) -> [DeviceEffect] {
        guard case .connected(let connection) = state else { return powerOn(at: now) }
        return [.disconnect(connection.central)] + powerOn(at: now)
    }

    /// Starts or stops advertising, or ends the connection.
    mutating func pressSideKey(at now: Duration) -> [DeviceEffect] {
        switch state {
        case .silent: state = advertising(from: now)
        case .advertising: state = .silent
        case .connected(var connection):
            connection.advertisesAfterwards = true
            state = .connected(connection)
            return [.disconnect(connection.central)]
        }
        return [present]
    }

    // MARK: - Connection

    /// A central connected.
    mutating func connect(_ central: Central, at now: Duration) -> [DeviceEffect] {
        var connection = Connection(central: central)
        if case .connected(let earlier) = state {
            guard earlier.central == central else { return DeviceEffect.decline(central) }
            connection = earlier
        }
        connection.advertisesAfterwards = policy == .always
        if requestsParameters { connection.requestsParametersAt = now + Self.parameterRequestDelay }
        state = .connected(connection)
        return [present]
    }

    /// A central disconnected.
    /// - Returns: The effects; `nil` if another central is connected, or none.
    mutating func disconnect(_ central: Central, at now: Duration) -> [DeviceEffect]? {
        guard case .connected(let connection) = state, connection.central == central else { return nil }
        subscriptions = []
        state = connection.advertisesAfterwards ? advertising(from: now) : .silent
        return [present]
    }

    /// The central wrote the disconnect request.
    mutating func requestDisconnection(at now: Duration) {
        guard case .connected(var connection) = state else { return }
        connection.disconnectsAt = now + Self.disconnectDelay
        state = .connected(connection)
    }

    /// Ends advertising after its time limit; performs a disconnection or a parameter request that is due.
    mutating func advance(to now: Duration) -> [DeviceEffect] {
        switch state {
        case .silent: return []
        case .advertising(let end):
            guard let end, end <= now else { return [] }
            state = .silent
            return [present]
        case .connected(var connection):
            var effects: [DeviceEffect] = []
            if let deadline = connection.disconnectsAt, deadline <= now {
                connection.disconnectsAt = nil
                effects.append(.disconnect(connection.central))
            }
            if let deadline = connection.requestsParametersAt, deadline <= now {
                connection.requestsParametersAt = nil
                effects.append(.updateConnection(connection.central, Self.preferredParameters))
            }
            state = .connected(connection)
            return effects
        }
    }

    // MARK: - Connection parameters

    /// Requests the connection parameters that the central wrote: shortest and longest interval, latency and timeout.
    func requestParameters(_ value: [UInt8]) -> [DeviceEffect] {
        var reader = ByteReader(value)
        guard case .connected(let connection) = state,
            let shortest: UInt16 = try? reader.readLittleEndian(),
            let longest: UInt16 = try? reader.readLittleEndian(),
            let latency: UInt16 = try? reader.readLittleEndian(), let timeout: UInt16 = try? reader.readLittleEndian(),
            shortest <= longest
        else { return [] }
        let parameters = ConnectionParameters(
            interval: Ticks(UInt32(shortest))...Ticks(UInt32(longest)), latency: latency,
            supervisionTimeout: Ticks(UInt32(timeout)))
        return [.updateConnection(connection.central, parameters)]
    }

    /// The radio reported the parameters of a connection.
    mutating func update(_ parameters: ConnectionParameters, of central: Central) -> [DeviceEffect] {
        guard case .connected(var connection) = state, connection.central == central else { return [] }
        var writer = ByteWriter(capacity: 6)
        writer.writeLittleEndian(UInt16(truncatingIfNeeded: parameters.interval.lowerBound.count))
        writer.writeLittleEndian(parameters.latency)
        writer.writeLittleEndian(UInt16(truncatingIfNeeded: parameters.supervisionTimeout.count))
        connection.parameters = writer.bytes
        state = .connected(connection)
        return notify([SensorTagNotification(SensorTagWire.connectionParameters, writer.bytes)])
    }

    // MARK: - Notifications

    /// A central changed its subscription to a characteristic; `configuration` is empty when the central unsubscribed.
    mutating func subscribe(
        _ central: Central, to characteristic: CharacteristicIdentifier,
        _ configuration: ClientCharacteristicConfiguration
    ) {
        let subscription = Subscription(central: central, characteristic: characteristic)
        if configuration.isEmpty { subscriptions.remove(subscription) } else { subscriptions.insert(subscription) }
    }

    /// Notifies values because of a write. A subscription that came just before the write may not have arrived here yet; the
    /// radio sends nothing to centrals without one.
    static func notifyAfterWrite(_ notifications: [SensorTagNotification]) -> [DeviceEffect] {
        notifications.map { .notify(CharacteristicIdentifier($0.characteristic), value: $0.value, to: nil) }
    }

    /// Notifies the values of the characteristics that have a subscription.
    func notify(_ notifications: [SensorTagNotification]) -> [DeviceEffect] {
        notifications.compactMap { notification in
            let characteristic = CharacteristicIdentifier(notification.characteristic)
            guard subscriptions.contains(where: { $0.characteristic == characteristic }) else { return nil }
            return .notify(characteristic, value: notification.value, to: nil)
        }
    }
}
