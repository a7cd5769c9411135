// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
package import Emulator
package import JSON

package struct ListServices: Operation {
    package static let name = "listServices"
    package static let method = OperationMethod.get
    package static let path = "/v1/receivers/{receiver}/connections/{device}/services"
    package static let sentence = "The services of a connected device with their characteristics and descriptors."
    package static let fields: [Field<ListServices>] = ConnectionEnds.fields.map { $0.lifted(to: \.ends) }
    package static let failures: [EmulatorError.Code] = [
        .unknownBeacon, .unknownPeer, .conflict, .refusedAttribute, .radio,
    ]

    package var ends = ConnectionEnds()

    package var patience: Duration? { Patience.ofConnection }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Listed<ServiceRecord> {
        Listed(try await ends.connection(on: run).services())
    }
}

package struct ReadCharacteristic: Operation {
    package static let name = "readCharacteristic"
    package static let method = OperationMethod.get
    package static let path = "/v1/receivers/{receiver}/connections/{device}/characteristics/{characteristic}"
    package static let sentence = "Reads the value of a characteristic of a connected device."
    package static let fields: [Field<ReadCharacteristic>] =
        ConnectionEnds.fields.map { $0.lifted(to: \.ends) } + [
            .required("characteristic", .path, \.characteristic, "the handle of its value, or its UUID")
        ]
    package static let failures: [EmulatorError.Code] = .ofCharacteristic

    package var ends = ConnectionEnds()
    package var characteristic = CharacteristicReference()

    package var patience: Duration? { Patience.ofConnection }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> ValueRecord {
        try await ends.connection(on: run).read(characteristic)
    }
}

package struct WriteCharacteristic: Operation {
    package static let name = "writeCharacteristic"
    package static let method = OperationMethod.put
    package static let path = "/v1/receivers/{receiver}/connections/{device}/characteristics/{characteristic}"
    package static let sentence = "Writes the value of a characteristic of a connected device."
    package static let fields: [Field<WriteCharacteristic>] =
        ConnectionEnds.fields.map { $0.lifted(to: \.ends) } + [
            .required("characteristic", .path, \.characteristic, "the handle of its value, or its UUID"),
            .required("value", .member, \.value, "the bytes in hexadecimal digits, at most 512"),
            .optional(
                "response", .member, \.response,
                "whether the device acknowledges it; without it, true"),
        ]
    package static let failures: [EmulatorError.Code] = .ofCharacteristic

    package var ends = ConnectionEnds()
    package var characteristic = CharacteristicReference()
    package var value = WrittenValue()
    package var response: Bool?

    package var patience: Duration? { Patience.ofConnection }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Nothing {
        try await ends.connection(on: run).write(
            value.bytes, to: characteristic, needsResponse: response ?? true)
        return Nothing()
    }
}

package struct FollowNotifications: Operation {
    package static let name = "notifications"
    package static let method = OperationMethod.get
    package static let path = "/v1/receivers/{receiver}/connections/{device}/notifications"
    package static let sentence =
        "The values that a connected device notifies or indicates, from now on, as server-sent events."
    package static let fields: [Field<FollowNotifications>] =
        ConnectionEnds.fields.map { $0.lifted(to: \.ends) } + [
            .optional(
                "characteristic", .query, \.characteristic,
                "the handle or the UUID of one characteristic, subscribed while the client follows; without it, "
                    + "the values of all characteristics")
        ]
    package static let failures: [EmulatorError.Code] = .ofCharacteristic

    package var ends = ConnectionEnds()
    package var characteristic: CharacteristicReference?

    package var patience: Duration? { Patience.ofConnection }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> RecordStream {
        RecordStream(
            try await ends.connection(on: run).notifications(of: characteristic))
    }
}

package struct Unsubscribe: Operation {
    package static let name = "unsubscribe"
    package static let method = OperationMethod.delete
    package static let path = "/v1/receivers/{receiver}/connections/{device}/notifications"
    package static let sentence =
        "Ends the subscription to a characteristic of a connected device, and the streams of the clients that follow it."
    package static let fields: [Field<Unsubscribe>] =
        ConnectionEnds.fields.map { $0.lifted(to: \.ends) } + [
            .required("characteristic", .query, \.characteristic, "the handle of its value, or its UUID")
        ]
    package static let failures: [EmulatorError.Code] = .ofCharacteristic

    package var ends = ConnectionEnds()
    package var characteristic = CharacteristicReference()

    package var patience: Duration? { Patience.ofConnection }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Nothing {
        try await ends.connection(on: run).unsubscribe(from: characteristic)
        return Nothing()
    }
}

extension ServiceRecord: ListedRecord {
    package static let plural = "services"
    package static let schema = Schema.record(
        "Service",
        [
            .version, .required("uuid", .text, "the type"),
            .required("handle", .handle, "the handle of its declaration"),
            .required("end", .handle, "the handle of its last attribute"),
            .required(
                "characteristics",
                .array(
                    .record(
                        "Characteristic",
                        [
                            .required("handle", .handle, "the handle of its value"),
                            .required("uuid", .text, "the type"),
                            .optional("name", .text, "its name in the profile of the run"),
                            .required(
                                "properties", .array(.choice(CharacteristicProperties.named.map(\.name))),
                                "the operations that it supports"),
                            .required(
                                "descriptors",
                                .array(
                                    .object([
                                        .required("handle", .handle, "the handle"),
                                        .required("uuid", .text, "the type"),
                                    ])), "its descriptors"),
                        ])), "its characteristics"),
        ])
}

extension ValueRecord: ReadableRecord {
    package static let schema = Schema.record(
        "Value",
        [
            .version, .required("time", .text, "when it was received, in UTC"),
            .required("handle", .handle, "the handle of the value"),
            .optional("uuid", .text, "the type of the characteristic"),
            .required("value", .text, "the bytes, in hexadecimal digits"),
        ])
}

extension Schema {
    fileprivate static let handle = integer(1...65535)
}
