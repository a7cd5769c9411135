// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

extension ProfileMistake {
    /// A mistake in the schedule of a plain iBeacon.
    private static func schedule(_ schedule: String, _ key: String, _ message: String) -> ProfileMistake {
        plain("schedule: \(schedule)\n", field: "beacons[0].schedule" + (key.isEmpty ? "" : ".\(key)"), message)
    }

    private static func window(_ text: String) -> ProfileMistake {
        schedule(
            "{ between: ¦\(text) }", "between",
            "\"\(text)\" is not a time of the day; write 09:00-17:00, mon-fri 09:00-17:00, or sat,sun 22:00-02:00")
    }

    static let schedule =
        [
            "9:00-17:00", "09:00", "09:00-25:00", "24:00-01:00", "day 09:00-17:00", "mon-xyz 09:00-17:00", "mon",
            "09:60-10:00",
        ]
        .map(window) + [
            schedule("¦[09:00-17:00]", "", "a mapping of keys and values is expected here"),
            schedule("¦{}", "", "write between, on and off, or rotate"),
            schedule("{ between: ¦[] }", "between", "a list of at least one time of the day is expected here"),
            schedule(
                "{ between: ¦09:00-09:00 }", "between", "\"09:00-09:00\" is empty; write 00:00-24:00 for the whole day"),
            schedule(
                "{ between: ¦[" + [String](repeating: "09:00-10:00", count: 65).joined(separator: ", ") + "] }",
                "between",
                "a schedule has at most 64 times of the day, not 65"),
            schedule("{ on: ¦10s }", "on", "on needs off: write on: 10s, off: 50s"),
            schedule("{ off: ¦10s }", "off", "off needs on: write on: 10s, off: 50s"),
            schedule("{ on: ¦1ms, off: 50s }", "on", "1ms is out of range: write 100ms to 1000h"),
            schedule("{ rotate: ¦{ minor: [1] } }", "rotate", "\"every\" is missing"),
            schedule(
                "{ rotate: ¦{ every: 15m } }", "rotate",
                "write what rotates, such as minor: [1, 2, 3] or address: random"),
            schedule(
                "{ rotate: { every: ¦10ms, minor: [1] } }", "rotate.every", "10ms is out of range: write 1s to 1000h"),
            schedule(
                "{ rotate: { every: 15m, minor: ¦5 } }", "rotate.minor", "a list is expected here, such as [1, 2, 3]"),
            schedule(
                "{ rotate: { every: 15m, minor: ¦[] } }", "rotate.minor",
                "a list of at least one value is expected here"),
            schedule(
                "{ rotate: { every: 15m, address: [¦00:11:22:33:44:55] } }", "rotate.address[0]",
                "\"00:11:22:33:44:55\" is not a static random address, whose first digit is C to F, such as "
                    + "C0:FF:EE:00:00:01"),
            configurable(
                "schedule: { rotate: { every: 15m, minor: ¦[1, 2] } }\n", field: "beacons[0].schedule.rotate.minor",
                "a beacon of this kind saves its settings, so they do not rotate; leave minor out, or use device: "
                    + "ibeacon"),
            configurable(
                "pairing: { private-address: true }\nschedule: { rotate: { every: 15m, address: ¦random } }\n",
                field: "beacons[0].schedule.rotate.address",
                "private-address changes the address already; leave one of them out"),
        ]
}
