// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// A service whose characteristics declare their behaviour.
package struct DeclaredService: Hashable, Sendable {
    /// Its type.
    package var uuid: BluetoothUUID
    /// Its characteristics in order.
    package var characteristics: [DeclaredCharacteristic]
    package init(uuid: BluetoothUUID, characteristics: [DeclaredCharacteristic]) {
        self.uuid = uuid
        self.characteristics = characteristics
    }

    /// The service as a radio hosts it.
    package var declaration: GATTService {
        GATTService(uuid: uuid, characteristics: characteristics.map(\.declaration))
    }
}

/// A characteristic that declares its behaviour: the source of its value, what may be written, and when it is notified.
package struct DeclaredCharacteristic: Hashable, Sendable {
    /// Its name among the characteristics of its device, for settings and flash.
    package var name: String
    /// Its type.
    package var uuid: BluetoothUUID
    /// The properties: read, write, notify and others.
    package var properties: CharacteristicProperties
    /// The security that reads, writes and subscriptions need.
    package var permissions: AttributePermissions
    /// Its descriptors in order.
    package var descriptors: [GATTDescriptor]
    /// The fields of its value in order; only the last one may have a variable length.
    package var fields: [ValueField]
    /// The lengths in bytes that may be written; `nil` for the lengths of the fields.
    package var lengths: ClosedRange<Int>?
    /// When subscribers are notified.
    package var notificationPolicy = NotificationPolicy.never
    /// Whether written values are saved.
    package var isStored = false
    /// The name of the characteristic that takes each written value and notifies it.
    package var echo: String?
    /// The characteristics, or fields as `characteristic.field`, whose generators restart when this one is written.
    package var restarts: [String] = []
    /// The error for a value out of a field's range.
    package var rangeError = ATTError.valueNotAllowed
    /// An injected error of reads.
    package var readFault: AttributeFault?
    /// An injected error of writes.
    package var writeFault: AttributeFault?
    /// The delay of the response to a read.
    package var readDelay = Duration.zero
    /// The delay of the response to a write.
    package var writeDelay = Duration.zero
    /// Its deviations from the specification.
    package var deviations: Set<CharacteristicDeviation> = []

    /// A characteristic with this value.
    package init(
        name: String, uuid: BluetoothUUID, properties: CharacteristicProperties,
        permissions: AttributePermissions = .open,
        descriptors: [GATTDescriptor] = [], fields: [ValueField]
    ) {
        self.name = name
        self.uuid = uuid
        self.properties = properties
        self.permissions = permissions
        self.descriptors = descriptors
        self.fields = fields
    }

    /// The characteristic as a radio hosts it.
    package var declaration: GATTCharacteristic {
        GATTCharacteristic(
            uuid: uuid, properties: properties, permissions: permissions, descriptors: descriptors,
            hasClientConfiguration: !deviations.contains(.noClientConfiguration))
    }

    /// Whether it can be written in any way.
    package var isWritable: Bool {
        !properties.isDisjoint(with: [.write, .writeWithoutResponse, .authenticatedSignedWrites])
    }

    /// The lengths in bytes that its value may have.
    package var possibleLengths: ClosedRange<Int> {
        if let lengths { return lengths }
        let known = fields.compactMap(\.size).reduce(0, +)
        return fields.allSatisfy { $0.size != nil } ? known...known : known...max(known, ValueFormat.longestValue)
    }

    /// The name of a field in settings.
    package func settingName(of field: ValueField) -> String { field.name.isEmpty ? name : "\(name).\(field.name)" }
}

/// A way in which the characteristics of real devices deviate from the specification.
package enum CharacteristicDeviation: String, CaseIterable, Hashable, Sendable {
    /// It has `notify` or `indicate`, and no descriptor 2902; each connected central receives its values.
    case noClientConfiguration = "no-client-configuration"
    /// A write is answered after the notifications that it causes.
    case notifyBeforeResponse = "notify-before-response"
}

/// When the subscribers of a characteristic are notified.
package enum NotificationPolicy: Hashable, Sendable {
    /// Only as an echo of a write.
    case never
    /// When the value changes.
    case onChange
    /// Periodically, from the first subscription on.
    case every(Duration)
}

/// An injected error.
package struct AttributeFault: Hashable, Sendable {
    /// The requests that get an error.
    package enum Occasion: Hashable, Sendable {
        /// Each one.
        case always
        /// The one of this number, counted from 1 since power came on.
        case time(Int)
        /// Those before the characteristic is written.
        case untilWritten
    }

    /// The error.
    package let error: ATTError
    /// The requests that get it.
    package let occasion: Occasion

    /// An error of these requests; of each one by default.
    package init(_ error: ATTError, _ occasion: Occasion = .always) {
        self.error = error
        self.occasion = occasion
    }
}
