// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices
package import Emulator

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
