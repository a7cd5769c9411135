// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

extension SensorTag {
    /// The text for a quantity that goes as the profile has it.
    private static let automatic = "auto"

    package var settings: [DeviceSetting] {
        let named = SensorTagQuantity.allCases.map { quantity in
            DeviceSetting.named(quantity.rawValue, text(of: quantity))
        }
        return [.interval(Self.interval)] + named
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
    mutating func set(_ settings: [DeviceSetting], at now: Duration) -> DeviceResponse {
        var changed = environment
        for setting in settings {
            guard case .named(let name, let text) = setting, let quantity = SensorTagQuantity(rawValue: name) else {
                let names = SensorTagQuantity.allCases.map(\.rawValue).joined(separator: ", ")
                return .refused("\(setting.key): a SensorTag has no such setting; it has \(names)")
            }
            if text == Self.automatic {
                changed[quantity] = configuration.environment[quantity]
                continue
            }
            guard let value = quantity.value(of: text, with: configuration.firmware) else {
                let possible = quantity.possibleValues(with: configuration.firmware)
                return .refused("\(name): \"\(text)\" is not \(possible)")
            }
            changed[quantity] = .fixed(value)
        }
        environment = changed
        return .done(followKeys(at: now))
    }
}
