// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore

// How a session begins and ends.

extension ANCSConsumer {
    mutating func secured(_ result: ClientResult) -> [Output] {
        var outputs: [Output] = []
        if result != .done {
            outputs.append(
                .warn(
                    Warning(
                        code: "not-encrypted",
                        message: "the connection to the phone is not encrypted (\(Self.clause(result))); a real phone "
                            + "tells its notifications to paired accessories only",
                        hint: "pair with the phone, on a radio that can")))
        }
        return outputs + find()
    }

    /// Looks for all that is needed.
    private mutating func find() -> [Output] {
        [
            ask(.discover(.genericAttribute), for: .findingChanges),
            ask(.discover(ANCSService.uuid), for: .finding),
        ]
    }

    mutating func foundChanges(_ result: ClientResult) -> [Output] {
        guard case .found(let found?) = result,
            let characteristic = found.first(where: {
                $0.uuid == .serviceChanged && $0.properties.contains(.indicate)
            })
        else { return [] }
        serviceChanged = characteristic.value
        return [ask(.subscribe(characteristic.value, true), for: .hearingChanges)]
    }

    mutating func found(_ result: ClientResult) -> [Output] {
        guard case .found(let service) = result else { return [.report(.unavailable(Self.clause(result)))] }
        guard let service else { return [.report(.unavailable("the phone has no notification service"))] }
        func handle(_ uuid: BluetoothUUID, _ property: CharacteristicProperties) -> AttributeHandle? {
            service.first { $0.uuid == uuid && $0.properties.contains(property) }?.value
        }
        guard let source = handle(ANCSService.notificationSource, .notify) else {
            return [.report(.unavailable("the phone's notification service has no notification source"))]
        }
        self.source = source
        controlPoint = handle(ANCSService.controlPoint, .write)
        dataSource = handle(ANCSService.dataSource, .notify)
        var outputs: [Output] = []
        // The phone answers as soon as it is asked, so the way for answers comes first.
        if let dataSource { outputs.append(ask(.subscribe(dataSource, true), for: .hearingData)) }
        return outputs + [ask(.subscribe(source, true), for: .hearingNotifications)]
    }

    mutating func hearsData(_ result: ClientResult) -> [Output] {
        guard result != .done else { return [] }
        dataSource = nil
        return []
    }

    mutating func hearsNotifications(_ result: ClientResult, at now: Duration) -> [Output] {
        guard result == .done else {
            source = nil
            isReady = false
            return [.report(.unavailable("the phone does not tell its notifications (\(Self.clause(result)))"))]
        }
        return becomeReady() + next(at: now)
    }

    /// Notes that notifications are told: when the phone says so, or by the first of them, which may be heard before.
    mutating func becomeReady() -> [Output] {
        guard !isReady else { return [] }
        isReady = true
        return [.report(.available(canAsk: canAsk))]
    }

    var canAsk: Bool { controlPoint != nil && dataSource != nil }

    /// The phone's services are others: what was known of them counts no more, and no notification of before.
    mutating func startAnew(_ reason: String) -> [Output] {
        generation += 1
        let wasReady = isReady
        isReady = false
        (source, controlPoint, dataSource) = (nil, nil, nil)
        notifications = [:]
        order = []
        jobs = []
        work = nil
        return (wasReady ? [.report(.unavailable(reason))] : []) + find()
    }

    /// A result that is not the one hoped for, as a clause for people.
    static func clause(_ result: ClientResult) -> String {
        switch result {
        case .refused(let error): "ATT error \(error)"
        case .failed(let reason): reason
        case .found, .value, .done: "the answer is that to another request"
        }
    }
}
