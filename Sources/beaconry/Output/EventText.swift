// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator

/// An event in words, for people.
enum EventText {
    /// One line; without the time, which the reader has.
    static func line(_ record: EventRecord) -> String {
        let who = record.device.map { "\($0): " } ?? ""
        switch record.event {
        case "radio-ready": return radioReady(record)
        case "ready":
            let count = record.beacons ?? 0
            return "ready: \(count) beacon\(count == 1 ? " is" : "s are") on the air"
        case "advertising-started", "advertising-changed": return who + onAir(record)
        case "advertising-stopped": return who + "off the air (\(record.reason ?? "no reason known"))"
        case "connected", "disconnected": return who + "\(record.central ?? "a central") \(record.event)"
        case "written":
            return who + "\(record.central ?? "a central") wrote \(record.value ?? "") to "
                + "\(record.characteristic ?? "")"
        case "persisted": return who + "settings are durable in \(record.file ?? "")"
        case "warning":
            return "warning: " + who + "\(record.message ?? "") [\(record.code ?? "")]; \(record.cure ?? "")"
        case "stopping": return "stopping"
        case "pairing-began", "passkey-shown", "passkey-wanted", "comparison-wanted", "paired", "pairing-failed",
            "encrypted", "bond-forgotten":
            return who + PairingText.line(record)
        case "bonds-persisted": return who + "bonds are durable in \(record.file ?? "")"
        default: return who + ([record.event] + details(record)).joined(separator: ": ")
        }
    }

    private static func details(_ record: EventRecord) -> [String] {
        let sentence = [record.message, record.cure].compactMap(\.self).joined(separator: "; ")
        return sentence.isEmpty ? [record.file].compactMap(\.self) : [sentence]
    }

    private static func radioReady(_ record: EventRecord) -> String {
        if record.radio == "virtual" {
            let servers = record.servers ?? []
            let served = servers.isEmpty ? "not served to others" : "served at \(servers.joined(separator: " and "))"
            return "radio virtual is ready: \(record.way ?? "") (\(record.reason ?? "")), \(served)"
        }
        let kind = record.extended == true ? "extended" : "legacy"
        return "radio \(record.radio ?? "") \(record.address ?? "") is ready: \(kind) advertising, "
            + "\(record.freeInstances ?? 0) of \(record.instances ?? 0) instances free, by \(record.way ?? "") "
            + "(\(record.reason ?? ""))"
    }

    private static func onAir(_ record: EventRecord) -> String {
        var words = ["on the air:"]
        words.append(record.pdu ?? "PDU type unknown,")
        if let ticks = record.intervalTicks {
            words.append("every \(ticks) ticks,")
        } else if let range = record.intervalTicksRange, range.count == 2 {
            words.append("every \(range[0]) to \(range[1]) ticks,")
        } else {
            words.append("interval unknown (\(record.requested?.intervalTicks ?? 0) ticks asked),")
        }
        if let power = record.txPower { words.append("\(power) dBm,") }
        if let address = record.address { words.append("from \(address),") }
        words.append("data \(record.advertisingData ?? "unknown (\(record.requested?.advertisingData ?? "") asked)")")
        let scanResponse = record.scanResponse ?? record.requested?.scanResponse ?? ""
        if !scanResponse.isEmpty { words.append("scan response \(scanResponse)") }
        return words.joined(separator: " ")
    }
}
