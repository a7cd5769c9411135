// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// An accessory's subscriptions to a phone's notification service, from the new connection on.
///
/// 1. It secures the connection, and continues if that fails: not every phone requires it.
/// 2. It discovers Service Changed and the notification service.
/// 3. It subscribes to Service Changed, to the data source, and then to the notification source.
///
/// Notifications are available when the last subscription is confirmed, or when a notification is received before. When
/// the phone's services change, it continues with step 2.
struct ANCSSubscriptions: Sendable {
    /// The purpose of a request.
    enum Step: Hashable, Sendable {
        case securing
        case discoveringServiceChanged, subscribingToServiceChanged
        case discoveringService, subscribingToData, subscribingToNotifications
    }

    /// An action; actions are performed in order.
    enum Action: Hashable, Sendable {
        /// Send a request, and pass its result to `take(_:of:)`.
        case request(ClientRequest, Step)
        /// Notifications are available.
        case available(canAsk: Bool)
        /// Notifications are not available, or not any more; a clause with the reason.
        case unavailable(String)
        /// Warn the owner.
        case warn(Warning)
    }

    /// A characteristic with a subscription.
    enum Source: Hashable, Sendable {
        case serviceChanged, notificationSource, dataSource
    }

    private var serviceChanged: AttributeHandle?
    private var notificationSource: AttributeHandle?
    private var dataSource: AttributeHandle?
    /// The handle for commands; `nil` if the phone has no control point.
    private(set) var controlPoint: AttributeHandle?
    /// Whether notifications are available.
    private(set) var isAvailable = false

    /// Whether attributes can be requested: the responses need the data source.
    var canRequestAttributes: Bool { controlPoint != nil && dataSource != nil }

    /// The characteristic with a handle; `nil` if there is no subscription to it.
    func source(of handle: AttributeHandle) -> Source? {
        switch handle {
        case serviceChanged: .serviceChanged
        case notificationSource: .notificationSource
        case dataSource: .dataSource
        default: nil
        }
    }

    /// Starts with step 1.
    func begin() -> [Action] { [.request(.secure, .securing)] }

    /// Discards the handles of the notification service and continues with step 2.
    mutating func restart() -> [Action] {
        let wasAvailable = isAvailable
        isAvailable = false
        (notificationSource, controlPoint, dataSource) = (nil, nil, nil)
        return (wasAvailable ? [.unavailable("the phone's services have changed")] : []) + discover()
    }

    /// A notification was received, perhaps before its subscription is confirmed.
    mutating func notificationReceived() -> [Action] {
        guard !isAvailable else { return [] }
        isAvailable = true
        return [.available(canAsk: canRequestAttributes)]
    }

    /// Takes the result of a request.
    mutating func take(_ result: ClientResult, of step: Step) -> [Action] {
        switch step {
        case .securing: return (result == .done ? [] : [.warn(Self.notEncrypted(result))]) + discover()
        case .discoveringServiceChanged: return takeServiceChanged(result)
        case .subscribingToServiceChanged: return []
        case .discoveringService: return takeService(result)
        case .subscribingToData:
            if result != .done { dataSource = nil }
            return []
        case .subscribingToNotifications:
            guard result == .done else {
                notificationSource = nil
                isAvailable = false
                return [.unavailable("the subscription to the phone's notifications failed (\(result.failure))")]
            }
            return notificationReceived()
        }
    }

    private func discover() -> [Action] {
        [
            .request(.discover(.genericAttribute), .discoveringServiceChanged),
            .request(.discover(ANCSService.uuid), .discoveringService),
        ]
    }

    private mutating func takeServiceChanged(_ result: ClientResult) -> [Action] {
        guard case .found(let found?) = result,
            let characteristic = found.first(where: {
                $0.uuid == .serviceChanged && $0.properties.contains(.indicate)
            })
        else { return [] }
        serviceChanged = characteristic.value
        return [.request(.subscribe(characteristic.value, true), .subscribingToServiceChanged)]
    }

    private mutating func takeService(_ result: ClientResult) -> [Action] {
        guard case .found(let service) = result else { return [.unavailable(result.failure)] }
        guard let service else { return [.unavailable("the phone has no notification service")] }
        func handle(_ uuid: BluetoothUUID, _ property: CharacteristicProperties) -> AttributeHandle? {
            service.first { $0.uuid == uuid && $0.properties.contains(property) }?.value
        }
        guard let source = handle(ANCSService.notificationSource, .notify) else {
            return [.unavailable("the phone's notification service has no notification source")]
        }
        notificationSource = source
        controlPoint = handle(ANCSService.controlPoint, .write)
        dataSource = handle(ANCSService.dataSource, .notify)
        var actions: [Action] = []
        // The data source is first, so that it is subscribed when the first notification leads to a request.
        if let dataSource { actions.append(.request(.subscribe(dataSource, true), .subscribingToData)) }
        return actions + [.request(.subscribe(source, true), .subscribingToNotifications)]
    }

    private static func notEncrypted(_ result: ClientResult) -> Warning {
        Warning(
            code: "not-encrypted",
            message: "the connection to the phone is not encrypted (\(result.failure)); a real phone sends "
                + "notifications to paired accessories only",
            hint: "pair with the phone, on a radio that can")
    }
}
