// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import Radio
import Testing

@testable import BlueZRadio

/// An advertisement, how it was put on which controller, what was seen of it, and the warnings that follow.
struct RuleCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let rules: AdvertisingRules
    let requested: Advertisement
    /// `nil` when the air cannot be read back.
    let sighting: AirWitness.Sighting?
    let codes: [String]

    init(
        _ description: String, _ way: AdvertisingWay, isExtended: Bool = false, instances: Int = 1,
        _ requested: Advertisement = Self.connectable, seen sighting: AirWitness.Sighting? = nil,
        warnings codes: [String] = []
    ) {
        testDescription = description
        rules = AdvertisingRules(
            way: way, isExtended: isExtended, adapterAddress: Self.adapter, instancesOnAir: instances)
        self.requested = requested
        self.sighting = sighting
        self.codes = codes
    }

    static let adapter = BluetoothAddress(octets: [0, 0xAA, 1, 0, 0, 0]) ?? .zero
    static let address = BluetoothAddress(octets: [0xC0, 0xFF, 0xEE, 0, 0, 1])
    static let service = UUID128("2173E519-9155-4862-AB64-7953AB146156").map { [$0] } ?? []

    static let old = AdvertisingWay.bus(.init(version: BlueZVersion(5, 66), isExperimental: false))
    static let oldExperimental = AdvertisingWay.bus(.init(version: BlueZVersion(5, 66), isExperimental: true))
    static let middle = AdvertisingWay.bus(.init(version: BlueZVersion(5, 79), isExperimental: false))
    static let new = AdvertisingWay.bus(.init(version: BlueZVersion(5, 82), isExperimental: false))
    static let unknown = AdvertisingWay.bus(.init())
    static let unknownExperimental = AdvertisingWay.bus(.init(isExperimental: true))

    /// As long as an iBeacon's.
    private static let frame: AdvertisingStructure = .manufacturerSpecific(
        .apple, [0x02, 0x15] + [UInt8](repeating: 7, count: 21))

    /// A frame with flags, connectable, services in the scan response.
    static let connectable = Advertisement(
        pdu: .connectableScannable, advertisingData: [.flags(.beacon), frame],
        scanResponse: [.serviceUUIDs128(service, isComplete: true)], interval: AdvertisingInterval(160))

    /// A frame with flags alone, not connectable.
    static let plain = Advertisement(
        pdu: .nonConnectable, advertisingData: [.flags(.beacon), frame], interval: AdvertisingInterval(160))

    static func with(
        _ advertisement: Advertisement, _ change: (inout Advertisement) -> Void
    ) -> Advertisement {
        var changed = advertisement
        change(&changed)
        return changed
    }

    /// What is seen when the controller was told just what was asked for, but for a change.
    static func seen(
        _ advertisement: Advertisement, _ change: (inout AirWitness.Sighting) -> Void = { _ in }
    ) -> AirWitness.Sighting {
        var sighting = AirWitness.Sighting(
            sequence: 1, advertisingData: advertisement.advertisingData.serialized(),
            scanResponse: advertisement.scanResponse.serialized(), pdu: advertisement.pdu,
            interval: advertisement.interval...advertisement.interval, transmitPower: nil, randomAddress: nil)
        change(&sighting)
        return sighting
    }

    private static let powered = with(connectable) { $0.transmitPower = TransmitPower(-7) }
    private static let addressed = with(connectable) { $0.address = address }
    private static let serviceless = with(connectable) { $0.scanResponse = [.localName("N", isComplete: true)] }
    private static let flagless = with(plain) { $0.advertisingData = [frame] }
    private static let defaultInterval = AdvertisingInterval(0x0800)...AdvertisingInterval(0x0800)
    private static let forcedInterval = AdvertisingInterval(160)...AdvertisingInterval(240)
    private static let flagsLast = AdvertisingData([frame, .flags(.beacon)]).serialized()

    static let exact = [
        RuleCase("management, legacy, connectable, seen", .management, seen: seen(connectable)),
        RuleCase("management, legacy, connectable, not seen", .management),
        RuleCase("management, extended, plain, seen", .management, isExtended: true, plain, seen: seen(plain)),
        RuleCase("management, extended, plain, not seen", .management, isExtended: true, plain),
        RuleCase(
            "management, extended, power as asked", .management, isExtended: true, powered,
            seen: seen(powered) { $0.transmitPower = TransmitPower(-7) }),
        RuleCase("management, extended, power not told", .management, isExtended: true, powered, seen: seen(powered)),
        RuleCase(
            "power that nobody asked for", .management, isExtended: true,
            seen: seen(connectable) { $0.transmitPower = TransmitPower(9) }),
        RuleCase(
            "random address that nobody asked for", .management,
            seen: seen(connectable) { $0.randomAddress = address }),
        RuleCase(
            "the adapter's own address asked for", .management, with(connectable) { $0.address = adapter },
            seen: seen(connectable)),
        RuleCase(
            "address as asked", .management, isExtended: true, addressed,
            seen: seen(addressed) { $0.randomAddress = address }),
        RuleCase(
            "scan response of a PDU that has none", .management, isExtended: true, plain,
            seen: seen(plain) { $0.scanResponse = [2, 10, 0] }),
        RuleCase(
            "data told before it was watched", .management,
            seen: seen(connectable) {
                $0.advertisingData = nil
                $0.scanResponse = nil
            }),
        RuleCase("bus, experimental, seen exact", oldExperimental, seen: seen(connectable)),
        RuleCase("bus, new, no flags, not seen", new, isExtended: true, flagless),
        RuleCase("bus, unknown version, no flags, not seen", unknown, flagless),
        RuleCase("bus, unknown version but experimental, seen", unknownExperimental, seen: seen(connectable)),
    ]

    static let intervals = [
        RuleCase("forced, not seen", .management, plain, warnings: ["interval-forced"]),
        RuleCase(
            "forced, seen", .management, plain, seen: seen(plain) { $0.interval = forcedInterval },
            warnings: ["interval-forced"]),
        RuleCase("forced would be, but is exact", .management, plain, seen: seen(plain)),
        RuleCase("ignored, not seen", old, serviceless, warnings: ["flags-last", "interval-ignored"]),
        RuleCase(
            "ignored, seen", old, serviceless, seen: seen(serviceless) { $0.interval = defaultInterval },
            warnings: ["interval-ignored"]),
        RuleCase("ignored would be, but is exact", old, serviceless, seen: seen(serviceless)),
        RuleCase(
            "changed over the bus", new, seen: seen(connectable) { $0.interval = forcedInterval },
            warnings: ["interval-changed"]),
        RuleCase(
            "changed over the management socket", .management,
            seen: seen(connectable) { $0.interval = defaultInterval }, warnings: ["interval-changed"]),
        RuleCase(
            "a range that has the interval in it", .management, isExtended: true,
            seen: seen(connectable) { $0.interval = AdvertisingInterval(160)...AdvertisingInterval(161) },
            warnings: ["interval-changed"]),
    ]

    static let power = [
        RuleCase("legacy, not seen", .management, powered, warnings: ["tx-power-ignored"]),
        RuleCase("legacy, seen", .management, powered, seen: seen(powered), warnings: ["tx-power-ignored"]),
        RuleCase("legacy, bus", oldExperimental, powered, seen: seen(powered), warnings: ["tx-power-ignored"]),
        RuleCase(
            "extended, another", .management, isExtended: true, powered,
            seen: seen(powered) { $0.transmitPower = TransmitPower(-8) }, warnings: ["tx-power-changed"]),
    ]

    static let addresses = [
        RuleCase("not seen", .management, addressed, warnings: ["address-not-settable"]),
        RuleCase("the adapter's", .management, addressed, seen: seen(addressed), warnings: ["address-not-settable"]),
        RuleCase(
            "another random one", .management, isExtended: true, addressed,
            seen: seen(addressed) { $0.randomAddress = BluetoothAddress(octets: [0xC0, 0, 0, 0, 0, 0]) },
            warnings: ["address-not-settable"]),
    ]

    static let data = [
        RuleCase("flags last, not seen", new, warnings: ["flags-last"]),
        RuleCase("flags last, unknown version, not seen", unknown, serviceless, warnings: ["flags-last"]),
        RuleCase(
            "flags last, seen", new, seen: seen(connectable) { $0.advertisingData = flagsLast },
            warnings: ["flags-last"]),
        RuleCase(
            "flags missing", new,
            seen: seen(connectable) { $0.advertisingData = AdvertisingData([frame]).serialized() },
            warnings: ["flags-missing"]),
        RuleCase(
            "other flags", new,
            seen: seen(connectable) {
                $0.advertisingData = AdvertisingData([.flags(.generalDiscoverable), frame]).serialized()
            }, warnings: ["data-changed"]),
        RuleCase(
            "no data", .management, flagless, seen: seen(flagless) { $0.advertisingData = [] },
            warnings: ["data-changed"]),
        RuleCase(
            "data that is none", .management, seen: seen(connectable) { $0.advertisingData = [9, 1] },
            warnings: ["data-changed"]),
    ]

    private static let strap = with(connectable) {
        $0.advertisingData = [
            .flags(.beacon), .serviceUUIDs16([0x180D, 0x180F], isComplete: true),
            .unknown(type: 0x19, data: [0x41, 0x03]), .localName("Heart Strap", isComplete: true),
        ]
        $0.scanResponse = []
    }
    private static let twice = with(connectable) {
        $0.advertisingData = [.flags(.beacon), .manufacturerSpecific(.apple, [1]), .manufacturerSpecific(.apple, [2])]
        $0.scanResponse = []
    }
    private static let ranged = with(connectable) {
        $0.advertisingData = [.flags(.beacon), .unknown(type: 0x12, data: [6, 0, 12, 0])]
        $0.scanResponse = [.unknown(type: 0x12, data: [6, 0, 12, 0])]
    }
    private static let incomplete = with(connectable) {
        $0.advertisingData = [.serviceUUIDs16([0x180D], isComplete: false)]
        $0.scanResponse = []
    }
    private static let padded = with(connectable) {
        $0.advertisingData = AdvertisingData(verbatim: [3, 3, 0x0D, 0x18, 0, 0])
        $0.scanResponse = []
    }
    private static let served = with(connectable) { $0.advertisingData = [.flags(.beacon)] }
    private static let named = with(plain) { $0.advertisingData = [frame, .localName("N", isComplete: true)] }

    static let composed = [
        RuleCase(
            "name moved, not seen", new, strap, warnings: ["flags-last", "data-changed", "scan-response-changed"]),
        RuleCase(
            "name moved, seen", new, strap,
            seen: seen(strap) {
                $0.advertisingData = [5, 3, 0x0D, 0x18, 0x0F, 0x18, 3, 0x19, 0x41, 0x03, 2, 1, 6]
                $0.scanResponse = [12, 9] + Array("Heart Strap".utf8)
            }, warnings: ["flags-last", "data-changed", "scan-response-changed"]),
        RuleCase(
            "a second structure of a manufacturer, not seen", new, twice, warnings: ["not-carried", "flags-last"]),
        RuleCase(
            "a second structure of a manufacturer, seen", new, twice,
            seen: seen(twice) { $0.advertisingData = [4, 0xFF, 0x4C, 0, 1, 2, 1, 6] },
            warnings: ["not-carried", "flags-last"]),
        RuleCase("lost from both, not seen", new, ranged, warnings: ["not-carried", "not-carried"]),
        RuleCase(
            "lost from both, seen", new, ranged,
            seen: seen(ranged) {
                $0.advertisingData = [2, 1, 6]
                $0.scanResponse = []
            }, warnings: ["not-carried", "not-carried"]),
        RuleCase("incomplete list, not seen", new, incomplete, warnings: ["data-changed"]),
        RuleCase(
            "incomplete list, seen", new, incomplete,
            seen: seen(incomplete) { $0.advertisingData = [3, 3, 0x0D, 0x18] },
            warnings: ["data-changed"]),
        RuleCase("padding, not seen", new, padded, warnings: ["not-carried"]),
        RuleCase(
            "name of a broadcast, not seen", new, named,
            warnings: ["pdu-changed", "data-changed", "scan-response-changed"]),
        RuleCase(
            "scan response that old BlueZ puts into the advertising data, not seen", middle, served,
            warnings: ["flags-last", "data-changed", "scan-response-changed"]),
        RuleCase("management carries it all, not seen", .management, isExtended: true, twice),
        RuleCase("management carries it all, seen", .management, isExtended: true, padded, seen: seen(padded)),
    ]

    static let scanResponses = [
        RuleCase("second instance, not seen", middle, warnings: ["flags-last", "second-instance"]),
        RuleCase(
            "second instance, seen", middle, seen: seen(connectable) { $0.scanResponse = [] },
            warnings: ["second-instance"]),
        RuleCase("changed", new, seen: seen(connectable) { $0.scanResponse = [] }, warnings: ["scan-response-changed"]),
        RuleCase(
            "changed over the management socket", .management,
            seen: seen(connectable) { $0.scanResponse = connectable.scanResponse.serialized() + [2, 10, 0] },
            warnings: ["scan-response-changed"]),
    ]

    static let types = [
        RuleCase("bus, plain, not seen", new, plain, warnings: ["pdu-changed", "flags-last"]),
        RuleCase(
            "bus, plain, seen", new, plain, seen: seen(plain) { $0.pdu = .connectableScannable },
            warnings: ["pdu-changed"]),
        RuleCase(
            "management, another", .management, seen: seen(connectable) { $0.pdu = .scannable },
            warnings: ["pdu-changed"]),
    ]

    static let sharing = [
        RuleCase("two on legacy", .management, instances: 2, seen: seen(connectable), warnings: ["time-shared"]),
        RuleCase(
            "five on legacy, plain", .management, instances: 5, plain, warnings: ["interval-forced", "time-shared"]),
        RuleCase("five on extended", .management, isExtended: true, instances: 5, seen: seen(connectable)),
    ]

    static let several = [
        RuleCase(
            "old bus, everything asked, nothing seen", old, instances: 2,
            with(powered) { $0.address = address },
            warnings: [
                "flags-last", "second-instance", "interval-ignored", "tx-power-ignored", "address-not-settable",
                "time-shared",
            ])
    ]
}

@Suite struct AdvertisingRulesTests {
    /// What the warnings of a code are about.
    private static let fields: [String: Set<AdvertisingField>] = [
        "interval-forced": [.interval], "interval-ignored": [.interval], "interval-changed": [.interval],
        "tx-power-ignored": [.transmitPower], "tx-power-changed": [.transmitPower], "address-not-settable": [.address],
        "flags-last": [.advertisingData], "flags-missing": [.advertisingData], "data-changed": [.advertisingData],
        "not-carried": [.advertisingData, .scanResponse], "second-instance": [.scanResponse],
        "scan-response-changed": [.scanResponse], "pdu-changed": [.pdu],
    ]

    @Test(
        arguments: RuleCase.exact + RuleCase.intervals + RuleCase.power + RuleCase.addresses + RuleCase.data
            + RuleCase.composed + RuleCase.scanResponses + RuleCase.types + RuleCase.sharing + RuleCase.several)
    func warningsFollow(_ test: RuleCase) {
        let report = test.rules.report(on: test.requested, sighting: test.sighting, unseenBecause: "nobody looked")
        let codes = report.warnings.map(\.code)
        #expect(codes == test.codes)
        #expect(report.requested == test.requested)
        // Every difference has a warning, and there is no warning of another.
        let fields = codes.compactMap { Self.fields[$0] }
        #expect(report.differences.isSubset(of: fields.reduce([]) { $0.union($1) }))
        #expect(fields.allSatisfy { !$0.isDisjoint(with: report.differences) })
        #expect(fields.count == codes.count { $0 != "time-shared" })
        #expect(report.effective.differences(from: test.requested).isSubset(of: report.differences))
        for warning in report.warnings {
            #expect(!warning.message.isEmpty)
            #expect(!warning.hint.isEmpty)
        }
    }

    @Test func seenIsTold() {
        let requested = RuleCase.plain
        let sighting = RuleCase.seen(requested) {
            $0.interval = AdvertisingInterval(160)...AdvertisingInterval(240)
            $0.randomAddress = RuleCase.address
        }
        let rules = AdvertisingRules(
            way: .management, isExtended: false, adapterAddress: RuleCase.adapter, instancesOnAir: 1)
        let report = rules.report(on: requested, sighting: sighting, unseenBecause: "nobody looked")
        #expect(report.effective.advertisingData == .known(requested.advertisingData.serialized()))
        #expect(report.effective.scanResponse == .known([]))
        #expect(report.effective.pdu == .known(.nonConnectable))
        #expect(report.effective.interval == .known(sighting.interval))
        #expect(report.effective.address.value == RuleCase.address)
        #expect(report.effective.transmitPower.value == nil)
        #expect(report.differences == [.interval])
        #expect(
            report.warnings.first?.message
                == "160 ticks (100 ms) were asked for, but on a legacy controller the kernel advertises "
                + "non-connectable PDUs every 160 to 240 ticks")
    }

    @Test func lossNamesTheStructureAndTheReason() throws {
        let rules = AdvertisingRules(
            way: .bus(.bluez582), isExtended: false, adapterAddress: RuleCase.adapter, instancesOnAir: 1)
        let requested = RuleCase.with(RuleCase.plain) {
            $0.advertisingData = [
                .serviceUUIDs16([0x180D], isComplete: false), .unknown(type: 0x12, data: [6, 0, 12, 0]),
            ]
        }
        let report = rules.report(on: requested, sighting: nil, unseenBecause: "nobody looked")
        #expect(report.differences == [.advertisingData])
        let loss = try #require(report.warnings.first)
        #expect(loss.code == "not-carried")
        #expect(
            loss.message
                == "peripheral-connection-interval-range (12 06000c00) of the advertising data is not on the air: "
                + "bluetoothd has no property for it, and refuses its type in Data")
        #expect(loss.hint.contains("CAP_NET_ADMIN"))
        #expect(
            report.warnings.last?.message
                == "the advertising data is not what was asked for, but 03030d18 as far as is known without reading it "
                + "back: incomplete-service-uuids-16 (02 0d18) becomes complete-service-uuids-16 (03 0d18)")
    }

    @Test func flagsLastNamesThePrefixOfIBeaconsOnly() {
        let rules = AdvertisingRules(
            way: .bus(.bluez582), isExtended: false, adapterAddress: RuleCase.adapter, instancesOnAir: 1)
        for (structure, isFrame) in [
            (AdvertisingStructure.manufacturerSpecific(.apple, [2, 0x15]), true),
            (.serviceUUIDs16([0x180D], isComplete: true), false),
        ] {
            let requested = RuleCase.with(RuleCase.connectable) {
                $0.advertisingData = [.flags(.beacon), structure]
                $0.scanResponse = []
            }
            let warnings = rules.report(on: requested, sighting: nil, unseenBecause: "").warnings
            #expect(warnings.map(\.code) == ["flags-last"])
            #expect(warnings.first?.message.contains("1A FF 4C 00") == isFrame)
        }
    }

    @Test func unseenIsNotKnownAndWhy() {
        let rules = AdvertisingRules(
            way: .management, isExtended: true, adapterAddress: RuleCase.adapter, instancesOnAir: 1)
        let report = rules.report(on: RuleCase.connectable, sighting: nil, unseenBecause: "nobody looked")
        #expect(report.effective == EffectiveAdvertisement(unknown: "nobody looked"))
        #expect(report.differences.isEmpty)
    }

    @Test func publicAddressIsTheAdapters() {
        let rules = AdvertisingRules(
            way: .management, isExtended: true, adapterAddress: RuleCase.adapter, instancesOnAir: 1)
        let sighting = RuleCase.seen(RuleCase.connectable)
        let report = rules.report(on: RuleCase.connectable, sighting: sighting, unseenBecause: "")
        #expect(report.effective.address == .known(RuleCase.adapter))
    }
}
