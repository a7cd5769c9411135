// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth

/// The sentences of verdicts.
extension AdvertisementExpectation {
    /// The sentence of a verdict after this time.
    func sentence(_ isFulfilled: Bool, after time: Duration) -> String {
        isFulfilled ? fulfilledSentence(after: time.secondsText) : failedSentence(after: time.secondsText)
    }

    private func fulfilledSentence(after time: String) -> String {
        switch condition.presence {
        case .present: "received \(countedText) within \(time)\(rssiText)"
        case .absent where reached == 0: "received no \(wanted) for \(limit); \(everythingText)"
        case .absent: "received only \(countedText) for \(limit); expected fewer than \(goal)"
        }
    }

    private func failedSentence(after time: String) -> String {
        switch condition.presence {
        case .present: "expected \(goal) within \(limit), but \(missText)"
        case .absent where condition.count == 1:
            "expected no \(wanted) for \(limit), but received \(countedText) after \(time)\(rssiText)"
        case .absent:
            "expected fewer than \(goal) for \(limit), but received \(countedText) after \(time)\(rssiText)"
        }
    }

    private var limit: String { condition.within.secondsText }

    /// `advertisement of E2C5… major 1 in near proximity`
    private var wanted: String { "advertisement of \(subjectText)" }

    /// The subject with all criteria.
    package var subjectText: String {
        let names = condition.criteria.compactMap { criterion -> String? in
            switch criterion {
            case .uuid(let uuids): uuids.map(\.description).joined(separator: " or ")
            case .format(let name): name
            default: nil
            }
        }
        return ([names.first ?? anyText] + names.dropFirst().map { "of \($0)" } + phrases).joined(separator: " ")
    }

    private var phrases: [String] { condition.criteria.map(\.phrase).filter { !$0.isEmpty } }

    /// `3 beacons of E2C5… major 1`, `2 devices named "Thermo"`
    private func senders(_ count: Int) -> String {
        let number = Self.count(count, senderText)
        return condition.subject == .devices
            ? ([number] + phrases).joined(separator: " ") : "\(number) of \(subjectText)"
    }

    private var anyText: String {
        switch condition.subject {
        case .iBeacons: "any iBeacon"
        case .frames: "any beacon"
        case .devices: "any device"
        }
    }

    /// What is expected, for people: `3 advertisements of E2C5…`, `no advertisement of any device named "Thermo"`.
    package var text: String {
        switch condition.presence {
        case .present: goal
        case .absent: condition.count == 1 ? "no \(wanted)" : "fewer than \(goal)"
        }
    }

    /// What must be received.
    private var goal: String {
        switch condition.unit {
        case .advertisements: "\(Self.count(condition.count, "advertisement")) of \(subjectText)"
        case .beacons: senders(condition.count)
        }
    }

    private var senderText: String { condition.subject == .iBeacons ? "beacon" : "device" }

    /// What counted.
    private var countedText: String {
        let seen = senders.values.filter { $0.counted > 0 }
        let advertisements = Self.count(counted, "advertisement")
        guard seen.count == 1, let only = seen.first else {
            return "\(advertisements) of \(senders(seen.count))"
        }
        return "\(advertisements) of \(Self.text(only))"
    }

    /// `E2C5… major 1 minor 2`, or `C0:FF:EE:00:00:01 "Thermo" eddystone-url`
    private static func text(_ seen: Seen) -> String {
        if case .beacon(let beacon) = seen.sender { return beacon.description }
        let parts = [seen.device.address.description, seen.name.map { "\"\($0)\"" }, seen.frame?.format]
        return parts.compactMap(\.self).joined(separator: " ")
    }

    /// The RSSI of what counted, if it is one sender: `, mean -59 dBm, 1.01 m, near`; else empty.
    private var rssiText: String {
        let seen = senders.values.filter { $0.counted > 0 }
        guard seen.count == 1, let only = seen.first, let text = estimateText(only) else { return "" }
        return ", \(text)"
    }

    /// `mean -59 dBm, 1.01 m, near`; `nil` without a known RSSI.
    private func estimateText(_ seen: Seen) -> String? {
        let estimate = estimate(seen)
        guard let mean = estimate.meanRSSI else { return nil }
        let rssi = "mean \(Int(mean.rounded())) dBm"
        guard seen.frame?.measuredPower != nil else { return rssi }
        let proximity = condition.thresholds.proximity(at: estimate.distance).rawValue
        return "\(rssi), " + (estimate.distance.map { "\($0.twoDecimals) m, \(proximity)" } ?? "distance unknown")
    }

    /// Everything that was received.
    private var everythingText: String {
        let known =
            senders.hasForgotten
            ? "more than \(Self.maximumSenders) \(senderText)s" : Self.count(senders.count, senderText)
        switch (advertisements, others) {
        case (0, 0): return "received nothing at all"
        case (0, _):
            let what = condition.subject == .iBeacons ? "an iBeacon" : "a known format"
            return "received \(Self.count(others, "advertisement")), none of \(what)"
                + (almost.map { "; nearest miss: \($0)" } ?? "")
        default: return "received \(Self.count(advertisements, "advertisement")) of \(known)"
        }
    }

    /// Why the expectation was not met.
    private var missText: String {
        guard advertisements > 0 else { return everythingText }
        guard counted == 0 else { return "received only \(countedText)" }
        guard let miss = nearestMiss, condition.criteria.indices ~= miss.matches else { return everythingText }
        let text = estimateText(miss).map { " (\($0))" } ?? ""
        let reason = condition.criteria[miss.matches].reason
        return "\(everythingText), none \(reason); nearest miss: \(Self.text(miss))\(text)"
    }

    private static func count(_ count: Int, _ what: String) -> String { "\(count) \(what)\(count == 1 ? "" : "s")" }
}
