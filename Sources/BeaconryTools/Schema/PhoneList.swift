// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import JSON
import Receiving

/// The presets of phones and the handsets as JSON, for `schema phones`.
enum PhoneList {
    static var document: JSONValue {
        .object([
            "v": .number(1), "presets": .array(PhoneModel.presets.map(preset)),
            "handsets": .array(Handset.all.map(handset)), "sources": .object(sources),
        ])
    }

    private static func preset(_ phone: PhoneModel) -> JSONValue {
        var members: [String: JSONValue] = [
            "name": .text(phone.name),
            "handsets": .array(Handset.all.filter { phone.with($0) != nil }.map { .text($0.name) }),
        ]
        members["system"] = phone.system.map { .text($0.rawValue) }
        members["sensitivity"] = phone.sensitivity.map { .number($0) }
        return .object(members)
    }

    private static func handset(_ handset: Handset) -> JSONValue {
        var members: [String: JSONValue] = [
            "name": .text(handset.name), "model": .text(handset.model), "system": .text(handset.system.rawValue),
            "rssiOffset": .number(handset.offset), "source": .text(handset.source.rawValue),
            "confidence": .text(handset.source.confidence),
        ]
        members["txPower"] = handset.transmitPower.map { .number(Double($0)) }
        return .object(members)
    }

    private static var sources: [String: JSONValue] {
        Dictionary(
            uniqueKeysWithValues: Handset.Source.allCases.map { source in
                (
                    source.rawValue,
                    .object(["licence": .text(source.licence), "address": .text(source.address)])
                )
            })
    }
}
