// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Testing

@Suite struct TicksTests {
    @Test(
        arguments: [
            (Duration.zero, 0), (.milliseconds(20), 32), (.milliseconds(100), 160), (.microseconds(152_500), 244),
            (.milliseconds(1000), 1600), (.milliseconds(10240), 16384), (.seconds(30), 48000),
            (.microseconds(625), 1), (.microseconds(312), 0), (.microseconds(313), 1), (.microseconds(937), 1),
            (.microseconds(938), 2), (.nanoseconds(312_499), 0), (.nanoseconds(312_500), 1), (.nanoseconds(312_501), 1),
            (.nanoseconds(937_499), 1), (.nanoseconds(937_500), 2), (.nanoseconds(1), 0),
            (.microseconds(2_684_354_559_375), UInt32.max), (.nanoseconds(2_684_354_559_687_499), UInt32.max),
        ] as [(Duration, UInt32)])
    func durationsAreRoundedToTicks(_ duration: Duration, count: UInt32) {
        #expect(AdvertisingInterval(nearest: duration)?.count == count)
    }

    @Test(arguments: [
        Duration.nanoseconds(-1), .seconds(-1), .milliseconds(-100), .seconds(Int64.min), .seconds(Int64.max),
        .nanoseconds(2_684_354_559_687_500), .microseconds(2_684_354_560_000), .seconds(Int64(1) << 32),
        Duration(secondsComponent: 0, attosecondsComponent: -1),
    ])
    func otherDurationsAreRefused(_ duration: Duration) {
        #expect(AdvertisingInterval(nearest: duration) == nil)
        #expect(AdvertisingInterval(exactly: duration) == nil)
    }

    @Test func onlyWholeTicksAreExact() {
        #expect(AdvertisingInterval(exactly: .milliseconds(100))?.count == 160)
        #expect(AdvertisingInterval(exactly: .microseconds(625))?.count == 1)
        for duration in [Duration.milliseconds(99), .microseconds(624), .nanoseconds(625_001), .nanoseconds(1)] {
            #expect(AdvertisingInterval(exactly: duration) == nil, "\(duration)")
        }
    }

    @Test func unitIsPartOfTheType() {
        #expect(Ticks<1250>(nearest: .microseconds(7500))?.count == 6)
        #expect(Ticks<625>(12).duration == Ticks<1250>(6).duration)
        #expect(Ticks<10000>(exactly: .milliseconds(100))?.count == 10)
    }

    @Test(
        arguments: [
            (0, "0 ms"), (1, "0.625 ms"), (2, "1.25 ms"), (4, "2.5 ms"), (8, "5 ms"), (32, "20 ms"), (160, "100 ms"),
            (161, "100.625 ms"), (244, "152.5 ms"), (16384, "10240 ms"), (65535, "40959.375 ms"),
            (UInt32.max, "2684354559.375 ms"),
        ] as [(UInt32, String)])
    func descriptionHasMilliseconds(_ count: UInt32, text: String) {
        #expect(AdvertisingInterval(count).description == text)
    }

    @Test func durationAndTicksAgree() {
        for count: UInt32 in [0, 1, 31, 32, 160, 16384, 65535, .max] {
            let ticks = AdvertisingInterval(count)
            #expect(AdvertisingInterval(exactly: ticks.duration) == ticks)
        }
        #expect(AdvertisingInterval(160).duration == .milliseconds(100))
    }

    @Test(arguments: [(31, false), (32, true), (160, true), (16384, true), (16385, false)] as [(UInt32, Bool)])
    func legacyRangeMatchesTheSpecification(_ count: UInt32, isPossible: Bool) {
        #expect(AdvertisingInterval.legacyRange.contains(AdvertisingInterval(count)) == isPossible)
    }

    @Test func ticksAreOrdered() {
        #expect(AdvertisingInterval(1) < AdvertisingInterval(2))
        #expect([AdvertisingInterval(9), AdvertisingInterval(3)].min() == AdvertisingInterval(3))
    }
}
