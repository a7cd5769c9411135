// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import JSON

/// The JSON Schema of sweeps.
enum SweepSchema {
    static var document: JSONValue {
        Schema.object([
            .required("sweep", .value(.name), "the name of the sweep"),
            .required("scenario", .value(.text(1...4096)), "the file of the scenario, beside this file"),
            .required("seeds", .single, "the seeds of the runs of each variant, such as 1..200 or 1,5,9"),
            .optional("estimator", .value(.text(1...4096)), "the estimator: a name, or exec:COMMAND (default: none)"),
            .optional(
                "variants", factors,
                "factors, each with paths of keys and their values, such as "
                    + "{ interval: { beacons.*.interval: [100ms, 1s] } }"
            ),
            .optional(
                "zip", .value(.boolean),
                "whether the values of the factors are used in pairs, not in all combinations (default: false)"),
            .optional(
                "baseline", .anyOf([.single, .anyObject]),
                "what variants are compared with: a variant, or values of factors (default: the first values)"),
            .optional("include", .oneOrMore(.value(.text(1...4096))), "files whose contents are added"),
        ]).with(ProfileSchema.anchors).document(title: "A sweep of beaconry", definitions: [])
    }

    private static let factors = Schema.dictionary(keys: .name, .dictionary(.array(.any, 1...Int.max)))
}
