// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
package import Devices
package import Emulator
package import JSON
import Profiles
package import Radio
package import Space

package struct ListLinks: Operation {
    package static let name = "listLinks"
    package static let method = OperationMethod.get
    package static let path = "/v1/links"
    package static let sentence = "The radio links from each advertiser to each host that scans: distance, RSSI, loss."
    package static let failures: [EmulatorError.Code] = [.unsupported]

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Listed<LinkRecord> {
        let air = run.emulator.air
        let scanners = try await air.scanners()
        return Listed(pages: scanners.count) { page in
            ((try? await air.paths(to: scanners[page])) ?? []).map(LinkRecord.init)
        }
    }
}

package struct ShowLinkHistory: Operation {
    package static let name = "showLinkHistory"
    package static let method = OperationMethod.get
    package static let path = "/v1/links/history"
    package static let sentence = "The RSSI on the paths in the last two minutes of the run."
    package static let fields: [Field<ShowLinkHistory>] = [
        .optional("name", .query, \.end, "the beacon or the host of the paths"),
        .optional("after", .query, \.time, "a time of the run in seconds, after which samples are selected"),
    ]

    package var end: AirName?
    package var time: RunTime?

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> LinkHistory.Record {
        let elapsed = await run.emulator.clockRecord.elapsed
        return await run.samples.record(at: elapsed, after: time?.seconds ?? -.infinity, of: end?.text)
    }
}

/// A time of the run in seconds.
package struct RunTime: Parameter, Hashable {
    private static let limits = 0...1_000_000_000.0

    package var seconds: Double

    package init(json: JSONValue) throws(ValueFault) {
        guard let seconds = json.setting.flatMap({ Double($0) }), Self.limits.contains(seconds) else {
            throw ValueFault("write a number of seconds from 0 to 1,000,000,000, such as 12.5")
        }
        self.seconds = seconds
    }

    package var json: JSONValue { .number(seconds) }
    package static var schema: Schema { .number(limits) }
}

package struct OverrideLink: Operation {
    package static let name = "overrideLink"
    package static let method = OperationMethod.put
    package static let path = "/v1/links/{from}/{to}"
    package static let sentence = "Overrides the model on a path of the virtual air."
    package static let fields: [Field<OverrideLink>] = [
        .required("from", .path, \.from, "the beacon, or another advertiser"),
        .required("to", .path, \.to, "the host or the receiver that scans"),
        .optional("rssi", .member, \.rssi, "the RSSI of all packets in dBm, -127 to 20, instead of a loss"),
        .optional("loss", .member, \.loss, "an additional loss in dB, 0 to 100"),
        .optional("packet-loss", .member, \.packetLoss, "the percentage of packets that are lost, 0 to 100"),
        .optional("blocked", .member, \.isBlocked, "whether all packets are lost, instead of a percentage"),
        .optional("for", .member, \.duration, "the time until the override ends, 1ms to 1000h"),
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon, .unsupported]

    package var from = AirName()
    package var to = AirName()
    package var rssi: SettingText?
    package var loss: SettingText?
    package var packetLoss: SettingText?
    package var isBlocked: SettingText?
    package var duration: SettingText?

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> LinkChangeRecord {
        let pairs: [(LinkOverride.Key, SettingText?)] = [
            (.rssi, rssi), (.loss, loss), (.packetLoss, packetLoss), (.blocked, isBlocked), (.duration, duration),
        ]
        let values = Dictionary(
            pairs.compactMap { key, value in value.map { (key, $0.text) } }, uniquingKeysWith: { $1 })
        let change: LinkOverride?
        do throws(ValueFault) {
            change = try LinkOverride(values)
        } catch {
            throw EmulatorError(.badProfile, error.message)
        }
        guard let change else {
            throw EmulatorError(.badProfile, "a link needs rssi, loss, packet-loss or blocked")
        }
        try await run.emulator.overrideLink(from: from.text, to: to.text, change)
        return LinkChangeRecord(from: from.text, to: to.text, change)
    }
}

package struct ResetLink: Operation {
    package static let name = "resetLink"
    package static let method = OperationMethod.delete
    package static let path = "/v1/links/{from}/{to}"
    package static let sentence = "Removes the override of a path."
    package static let fields: [Field<ResetLink>] = [
        .required("from", .path, \.from, "the beacon, or another advertiser"),
        .required("to", .path, \.to, "the host or the receiver that scans"),
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon, .unsupported]

    package var from = AirName()
    package var to = AirName()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Nothing {
        try await run.emulator.overrideLink(from: from.text, to: to.text, nil)
        return Nothing()
    }
}

extension OverrideRecord {
    static let schema = Schema.record(
        "LinkOverride",
        [
            .optional("rssi", .integer(-127...20), "the RSSI of all packets in dBm"),
            .optional("loss", .number, "the additional loss in dB"),
            .optional("packet-loss", .number(0...100), "the percentage of the packets that are lost in addition"),
            .optional("for", .text, "the time until it ends, such as 9.500s"),
        ])
}

/// A path on the virtual air whose override was changed, as JSON.
package struct LinkChangeRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    /// The one end.
    package let from: String
    /// The other end.
    package let to: String
    /// The override; absent if it was removed.
    package let override: OverrideRecord?

    package init(from: String, to: String, _ override: LinkOverride?) {
        self.from = from
        self.to = to
        self.override = override.map(OverrideRecord.init)
    }
}

extension LinkChangeRecord: ReadableRecord {
    package static let schema = Schema.record(
        "LinkChange",
        [
            .version, .required("from", .text, "the advertiser"), .required("to", .text, "the host that scans"),
            .optional("override", OverrideRecord.schema, "the override; absent if it was removed"),
        ])
}

/// A path on the virtual air as JSON.
package struct LinkRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    /// The beacon, or another advertiser.
    package let from: String
    /// The host that scans.
    package let to: String
    /// In metres; absent unless both have a position.
    package let distance: Double?
    /// The RSSI in dBm without shadowing, fading and noise, with the override.
    package let meanRSSI: Double
    /// The RSSI in dBm of the last packet that was received; absent before the first, and where all have the mean.
    package let lastRSSI: Int8?
    /// The fraction of the packets that were lost, 0 to 1; absent where none is lost.
    package let lost: Double?
    /// The override of the path; absent for none.
    package let override: OverrideRecord?

    package init(_ path: AirPath) {
        from = path.transmitter
        to = path.receiver
        distance = path.distance
        meanRSSI = path.meanRSSI
        lastRSSI = path.lastRSSI?.decibelMilliwatts
        lost = path.loss
        self.override = path.override.map(OverrideRecord.init)
    }
}

extension LinkRecord: ListedRecord, ReadableRecord {
    package static let plural = "links"
    package static let schema = Schema.record(
        "Link",
        [
            .version, .required("from", .text, "the beacon, or another advertiser"),
            .required("to", .text, "the host that scans"),
            .optional("distance", .number, "in metres; absent unless both have a position: then it is 1 m"),
            .required("meanRSSI", .number, "the RSSI in dBm without shadowing, fading and noise, with the override"),
            .optional(
                "lastRSSI", .integer,
                "the RSSI in dBm of the last packet that was received; absent where all packets have the mean"),
            .optional("lost", .number(0...1), "the fraction of the packets that were lost; absent where none is lost"),
            .optional(
                "override", OverrideRecord.schema,
                "as in a request: rssi in dBm, loss in dB, packet-loss in per cent, and in for the time that is left; each "
                    + "absent if it does not apply"),
        ])
}
