// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator

/// What happens while devices pair, in words, for people.
enum PairingText {
    /// One line; without the beacon's name.
    static func line(_ record: EventRecord) -> String {
        let central = record.central ?? "a central"
        switch record.event {
        case "pairing-began": return "\(central) pairs"
        case "passkey-shown": return "passkey for \(central): \(record.passkey ?? "")"
        case "passkey-wanted":
            return "enter the passkey that \(central) shows: beaconry ctl pair \(record.device ?? "ID") PASSKEY"
        case "comparison-wanted":
            return "does \(central) show \(record.passkey ?? "")? beaconry ctl pair \(record.device ?? "ID") accept, "
                + "or reject"
        case "paired": return paired(record, central)
        case "pairing-failed":
            return "\(central) did not pair: \(record.message ?? "") [\(record.code ?? "")]; \(record.hint ?? "")"
        case "encrypted":
            return "the link to \(central) is encrypted" + (record.authenticated == true ? ", and authenticated" : "")
        default: return "\(record.peer ?? "a peer") is forgotten"
        }
    }

    private static func paired(_ record: EventRecord, _ central: String) -> String {
        var words = "\(central) has paired"
        if let peer = record.peer, !central.hasPrefix(peer) { words += ", as \(peer)" }
        if record.authenticated == false { words += ", without protection against a person in the middle" }
        return words + (record.bonded == true ? ", and is remembered" : ", and is not remembered")
    }
}
