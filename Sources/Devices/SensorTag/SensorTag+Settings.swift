// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

extension SensorTag {
    /// The text of a quantity that has the value or generator of the profile.
    private static let automatic = "auto"

    package var settings: [SettingValue] {
        let quantities = SensorTagQuantity.allCases.map { SettingValue($0.rawValue, text(of: $0)) }
        return [SettingValue(.interval, Self.interval)] + quantities
    }

    package func presentValues(at now: DeviceTime) -> [String: String] {
        var values: [String: String] = [:]
        for quantity in SensorTagQuantity.allCases {
            if case .fixed = environment[quantity] { continue }
            let value = environment[quantity].value(at: now.uptime - poweredAt)
            values[quantity.rawValue] = quantity.text(of: (value * 1000).rounded() / 1000)
        }
        return values
    }

    private func text(of quantity: SensorTagQuantity) -> String {
        guard case .fixed(let value) = environment[quantity] else { return Self.automatic }
        return quantity.text(of: value)
    }

    /// Changes what is around the tag, all or none.
    mutating func set(_ changes: [SettingChange], at now: Duration) -> DeviceResponse {
        var changed = environment
        for change in changes {
            guard let quantity = SensorTagQuantity(rawValue: change.key) else {
                let names = SensorTagQuantity.allCases.map(\.rawValue).joined(separator: ", ")
                return .refused("\(change.key): a SensorTag has no such setting; it has \(names)")
            }
            if change.text == Self.automatic {
                changed[quantity] = configuration.environment[quantity]
                continue
            }
            guard let value = quantity.value(of: change.text, with: configuration.firmware) else {
                let possible = quantity.possibleValues(with: configuration.firmware)
                return .refused("\(change.key): \"\(change.text)\" is not \(possible)")
            }
            changed[quantity] = .fixed(value)
        }
        environment = changed
        return .done(followKeys(at: now))
    }
}
