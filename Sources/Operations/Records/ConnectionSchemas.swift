// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
package import Emulator

extension Schema {
    private static let handles = 1...65535

    fileprivate static let handle = integer(handles)
}

extension ConnectionRecord: ListedRecord {
    package static let plural = "connections"
    package static let schema = Schema.record(
        "Connection",
        [
            .version, .required("address", .text, "the address of the device"),
            .required("addressType", .choice(DeviceAddressType.self), "the type of the address"),
            .optional("device", .text, "the beacon of the run that the device is"),
            .required("mtu", .integer(from: 23), "the ATT_MTU, in bytes"),
            .required("since", .text, "when it was established, in UTC"),
        ])
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

extension ValueRecord: Record {
    package static let schema = Schema.record(
        "Value",
        [
            .version, .required("time", .text, "when it was received, in UTC"),
            .required("handle", .handle, "the handle of the value"),
            .optional("uuid", .text, "the type of the characteristic"),
            .required("value", .text, "the bytes, in hexadecimal digits"),
        ])
}
