// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BlueZRadio
import HCIRadio
import Radio

/// A radio that receives; both kinds are actors.
typealias HarnessRadio = any CentralRadio & Actor

enum HarnessRadios {
    /// The radio with this name: `bluez:hciN`, `hci-socket:N` or `tcp-client:HOST:PORT`; `nil` for any other.
    static func make(_ name: String) -> HarnessRadio? {
        let parts = name.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "bluez": return AdapterSelector(parts[1]).map { BlueZCentral($0) }
        case "hci-socket": return Int(parts[1]).map { HCIRadio(.userChannel($0)) }
        case "tcp-client":
            let place = parts[1].split(separator: ":").map(String.init)
            guard place.count == 2, let port = Int(place[1]) else { return nil }
            return HCIRadio(.tcp(host: place[0], port: port))
        default: return nil
        }
    }
}
