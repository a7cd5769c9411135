// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ShowBench: Operation {
    package static let name = "showBench"
    package static let method = OperationMethod.get
    package static let path = "/v1/bench"
    package static let sentence =
        "The walk on the bench: what the receiver gets of each beacon, and the measured power that stands in for it on the radio."
    package static let failures: [EmulatorError.Code] = [.unsupported]

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> BenchRecord {
        try run.emulator.benchRecord()
    }
}

extension BenchRecord: ReadableRecord {
    package static let schema = Schema.record(
        "Bench",
        [
            .version, .required("receiver", .text, "the receiver that walks"),
            .required("rssi", .integer(-127...20), "the RSSI of the phone on the bench, in dBm"),
            .required("app", .text, "the method by which the app computes distances"),
            .required("seed", .integer(from: 0), "the seed of the virtual air on which the receiver walks"),
            .required(
                "beacons",
                .array(
                    .record(
                        "BenchBeacon",
                        [
                            .required("beacon", .text, "the beacon"),
                            .required("state", .choice(BenchState.self), "whether it is on the radio"),
                            .optional("rssi", .number, "the filtered RSSI of the beacon at the receiver, in dBm"),
                            .optional(
                                "measuredPower", .integer(-128...127), "the measured power of the device, in dBm"),
                            .optional("benchPower", .integer(-128...127), "the measured power on the radio, in dBm"),
                            .required(
                                "clamped", .boolean,
                                "whether benchPower is the nearest possible value instead of the exact one"),
                        ])), "those that request an advertisement, in the order of their names"),
        ])
}
