// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import BluetoothCore

/// A service that says what its characteristics do.
package struct DeclaredService: Hashable, Sendable {
    /// Its type.
    package var uuid: BluetoothUUID
    /// Its characteristics in order.
    package var characteristics: [DeclaredCharacteristic]

    /// A service of these characteristics.
    package init(uuid: BluetoothUUID, characteristics: [DeclaredCharacteristic]) {
        self.uuid = uuid
        self.characteristics = characteristics
    }

    /// The service as a radio is told of it.
    package var declaration: GATTService {
        GATTService(uuid: uuid, characteristics: characteristics.map(\.declaration))
    }
}

/// A characteristic that says what it does: where its value comes from, what may be written, and what is told when.
package struct DeclaredCharacteristic: Hashable, Sendable {
    /// Its name among the characteristics of its device, for settings and flash.
    package var name: String
    /// Its type.
    package var uuid: BluetoothUUID
    /// What can be done with its value.
    package var properties: CharacteristicProperties
    /// What a link must offer for that.
    package var permissions: AttributePermissions
    /// Its descriptors in order.
    package var descriptors: [GATTDescriptor]
    /// The parts of its value in order; only the last one may have a length of its own.
    package var fields: [ValueField]
    /// How many octets may be written; `nil` for what the fields have.
    package var lengths: ClosedRange<Int>?
    /// When its value is told to whoever wants to be told.
    package var telling = Telling.never
    /// Whether what is written survives a power cut.
    package var isStored = false
    /// The name of the characteristic that takes and tells whatever is written here.
    package var echo: String?
    /// The names of characteristics, or of fields as `characteristic.field`, that begin again when this one is written.
    package var restarts: [String] = []
    /// What is answered to a value out of a field's range.
    package var rangeError = ATTError.valueNotAllowed
    /// An error on purpose when it is read.
    package var readFault: AttributeFault?
    /// An error on purpose when it is written.
    package var writeFault: AttributeFault?
    /// How long the answer to a read takes.
    package var readDelay = Duration.zero
    /// How long the answer to a write takes.
    package var writeDelay = Duration.zero

    /// A characteristic that does nothing but have this value.
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

    /// The characteristic as a radio is told of it.
    package var declaration: GATTCharacteristic {
        GATTCharacteristic(uuid: uuid, properties: properties, permissions: permissions, descriptors: descriptors)
    }

    /// Whether it can be written in any way.
    package var isWritable: Bool {
        !properties.isDisjoint(with: [.write, .writeWithoutResponse, .authenticatedSignedWrites])
    }

    /// How many octets its value may have.
    package var possibleLengths: ClosedRange<Int> {
        if let lengths { return lengths }
        let known = fields.compactMap(\.size).reduce(0, +)
        return fields.allSatisfy { $0.size != nil } ? known...known : known...max(known, ValueFormat.longestValue)
    }

    /// The name of a field in settings.
    package func settingName(of field: ValueField) -> String { field.name.isEmpty ? name : "\(name).\(field.name)" }
}

/// When a value is told to the centrals that have subscribed to it.
package enum Telling: Hashable, Sendable {
    /// Only when somebody else has it told, as an echo.
    case never
    /// When it becomes another one.
    case onChange
    /// Again and again, from the first subscription on.
    case every(Duration)
}

/// An error that is answered on purpose.
package struct AttributeFault: Hashable, Sendable {
    /// When it is answered.
    package enum Occasion: Hashable, Sendable {
        /// Each time.
        case always
        /// The time of this number, counted from 1 since power came.
        case time(Int)
        /// Until the characteristic has been written.
        case untilWritten
    }

    /// What is answered.
    package let error: ATTError
    /// When it is answered.
    package let occasion: Occasion

    /// An error on these occasions.
    package init(_ error: ATTError, _ occasion: Occasion = .always) {
        self.error = error
        self.occasion = occasion
    }
}
