// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Radio
import Testing

@testable import BlueZRadio

/// A requested advertisement, the way to the controller, what was observed, and the expected warnings.
struct RuleCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let rules: AdvertisingRules
    let requested: Advertisement
    /// `nil` without read-back.
    let observation: AdvertisingObserver.Observation?
    let codes: [String]

    init(
        _ description: String, _ way: AdvertisingWay, isExtended: Bool = false, instances: Int = 1,
        settings: AdvertisingRules.KnownSettings = .init(), _ requested: Advertisement = Self.connectable,
        observed observation: AdvertisingObserver.Observation? = nil, warnings codes: [String] = []
    ) {
        testDescription = description
        rules = AdvertisingRules(
            way: way, isExtended: isExtended, adapterAddress: Self.adapter, instancesOnAir: instances,
            settings: settings)
        self.requested = requested
        self.observation = observation
        self.codes = codes
    }

    static let adapter = BluetoothAddress(octets: [0, 0xAA, 1, 0, 0, 0]) ?? .zero
    static let address = BluetoothAddress(octets: [0xC0, 0xFF, 0xEE, 0, 0, 1])
    static let service = [UUID128("2173E519-9155-4862-AB64-7953AB146156")]

    static let old = AdvertisingWay.bus(.init(version: BlueZVersion(5, 66), isExperimental: false))
    static let oldExperimental = AdvertisingWay.bus(.init(version: BlueZVersion(5, 66), isExperimental: true))
    static let middle = AdvertisingWay.bus(.init(version: BlueZVersion(5, 79), isExperimental: false))
    static let new = AdvertisingWay.bus(.init(version: BlueZVersion(5, 82), isExperimental: false))
    static let unknown = AdvertisingWay.bus(.init())
    static let unknownExperimental = AdvertisingWay.bus(.init(isExperimental: true))

    /// A frame of the length of an iBeacon frame.
    private static let frame: AdvertisingStructure = .manufacturerSpecific(
        .apple, [0x02, 0x15] + [UInt8](repeating: 7, count: 21))

    /// Connectable: flags and a frame, services in the scan response.
    static let connectable = Advertisement(
        pdu: .connectableScannable, advertisingData: [.flags(.beacon), frame],
        scanResponse: [.serviceUUIDs128(service, isComplete: true)], interval: AdvertisingInterval(160))

    /// Not connectable: flags and a frame.
    static let plain = Advertisement(
        pdu: .nonConnectable, advertisingData: [.flags(.beacon), frame], interval: AdvertisingInterval(160))

    static func with(
        _ advertisement: Advertisement, _ change: (inout Advertisement) -> Void
    ) -> Advertisement {
        var changed = advertisement
        change(&changed)
        return changed
    }

    /// The observation of a controller that advertises the requested values, with a change.
    static func observed(
        _ advertisement: Advertisement, _ change: (inout AdvertisingObserver.Observation) -> Void = { _ in }
    ) -> AdvertisingObserver.Observation {
        var observation = AdvertisingObserver.Observation(
            sequence: 1, advertisingData: advertisement.advertisingData.serialized(),
            scanResponse: advertisement.scanResponse.serialized(), pdu: advertisement.pdu,
            interval: advertisement.interval...advertisement.interval, transmitPower: nil, randomAddress: nil)
        change(&observation)
        return observation
    }

    private static let powered = with(connectable) { $0.transmitPower = TransmitPower(-7) }
    private static let addressed = with(connectable) { $0.address = address }
    private static let serviceless = with(connectable) { $0.scanResponse = [.localName("N", isComplete: true)] }
    private static let flagless = with(plain) { $0.advertisingData = [frame] }
    private static let defaultInterval = AdvertisingInterval(0x0800)...AdvertisingInterval(0x0800)
    private static let forcedInterval = AdvertisingInterval(160)...AdvertisingInterval(240)
    private static let flagsLast = AdvertisingData([frame, .flags(.beacon)]).serialized()

    static let exact = [
        RuleCase("management, legacy, connectable, observed", .management, observed: observed(connectable)),
        RuleCase("management, legacy, connectable, not observed", .management),
        RuleCase(
            "management, extended, plain, observed", .management, isExtended: true, plain, observed: observed(plain)),
        RuleCase("management, extended, plain, not observed", .management, isExtended: true, plain),
        RuleCase(
            "management, extended, power as requested", .management, isExtended: true, powered,
            observed: observed(powered) { $0.transmitPower = TransmitPower(-7) }),
        RuleCase(
            "management, extended, power not reported", .management, isExtended: true, powered,
            observed: observed(powered)),
        RuleCase(
            "power that was not requested", .management, isExtended: true,
            observed: observed(connectable) { $0.transmitPower = TransmitPower(9) }),
        RuleCase(
            "random address that was not requested", .management,
            observed: observed(connectable) { $0.randomAddress = address }),
        RuleCase(
            "the adapter's own address requested", .management, with(connectable) { $0.address = adapter },
            observed: observed(connectable)),
        RuleCase(
            "address as requested", .management, isExtended: true, addressed,
            observed: observed(addressed) { $0.randomAddress = address }),
        RuleCase(
            "scan response of a PDU without one", .management, isExtended: true, plain,
            observed: observed(plain) { $0.scanResponse = [2, 10, 0] }),
        RuleCase(
            "data set before the observer", .management,
            observed: observed(connectable) {
                $0.advertisingData = nil
                $0.scanResponse = nil
            }),
        RuleCase("bus, experimental, observed exact", oldExperimental, observed: observed(connectable)),
        RuleCase("bus, new, no flags, not observed", new, isExtended: true, flagless),
        RuleCase("bus, unknown version, no flags, not observed", unknown, flagless),
        RuleCase(
            "bus, unknown version but experimental, observed", unknownExperimental, observed: observed(connectable)),
    ]

    static let intervals = [
        RuleCase("forced, not observed", .management, plain, warnings: ["interval-forced"]),
        RuleCase(
            "forced, observed", .management, plain, observed: observed(plain) { $0.interval = forcedInterval },
            warnings: ["interval-forced"]),
        RuleCase("not forced", .management, plain, observed: observed(plain)),
        RuleCase("ignored, not observed", old, serviceless, warnings: ["flags-last", "interval-ignored"]),
        RuleCase(
            "ignored, observed", old, serviceless, observed: observed(serviceless) { $0.interval = defaultInterval },
            warnings: ["interval-ignored"]),
        RuleCase("not ignored", old, serviceless, observed: observed(serviceless)),
        RuleCase(
            "changed over the bus", new, observed: observed(connectable) { $0.interval = forcedInterval },
            warnings: ["interval-changed"]),
        RuleCase(
            "changed over the management socket", .management,
            observed: observed(connectable) { $0.interval = defaultInterval }, warnings: ["interval-changed"]),
        RuleCase(
            "a range that contains the interval", .management, isExtended: true,
            observed: observed(connectable) { $0.interval = AdvertisingInterval(160)...AdvertisingInterval(161) },
            warnings: ["interval-changed"]),
    ]

    static let power = [
        RuleCase("legacy, not observed", .management, powered, warnings: ["tx-power-ignored"]),
        RuleCase("legacy, observed", .management, powered, observed: observed(powered), warnings: ["tx-power-ignored"]),
        RuleCase("legacy, bus", oldExperimental, powered, observed: observed(powered), warnings: ["tx-power-ignored"]),
        RuleCase(
            "extended, another", .management, isExtended: true, powered,
            observed: observed(powered) { $0.transmitPower = TransmitPower(-8) }, warnings: ["tx-power-changed"]),
    ]

    static let addresses = [
        RuleCase("not observed", .management, addressed, warnings: ["address-not-settable"]),
        RuleCase(
            "the adapter's", .management, addressed, observed: observed(addressed), warnings: ["address-not-settable"]),
        RuleCase(
            "another random one", .management, isExtended: true, addressed,
            observed: observed(addressed) { $0.randomAddress = BluetoothAddress(octets: [0xC0, 0, 0, 0, 0, 0]) },
            warnings: ["address-not-settable"]),
    ]

    static let data = [
        RuleCase("flags last, not observed", new, warnings: ["flags-last"]),
        RuleCase("flags last, unknown version, not observed", unknown, serviceless, warnings: ["flags-last"]),
        RuleCase(
            "flags last, observed", new, observed: observed(connectable) { $0.advertisingData = flagsLast },
            warnings: ["flags-last"]),
        RuleCase(
            "flags missing", new,
            observed: observed(connectable) { $0.advertisingData = AdvertisingData([frame]).serialized() },
            warnings: ["flags-missing"]),
        RuleCase(
            "other flags", new,
            observed: observed(connectable) {
                $0.advertisingData = AdvertisingData([.flags(.generalDiscoverable), frame]).serialized()
            }, warnings: ["data-changed"]),
        RuleCase(
            "no data", .management, flagless, observed: observed(flagless) { $0.advertisingData = [] },
            warnings: ["data-changed"]),
        RuleCase(
            "malformed data", .management, observed: observed(connectable) { $0.advertisingData = [9, 1] },
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
            "name moved, not observed", new, strap, warnings: ["flags-last", "data-changed", "scan-response-changed"]),
        RuleCase(
            "name moved, observed", new, strap,
            observed: observed(strap) {
                $0.advertisingData = [5, 3, 0x0D, 0x18, 0x0F, 0x18, 3, 0x19, 0x41, 0x03, 2, 1, 6]
                $0.scanResponse = [12, 9] + Array("Heart Strap".utf8)
            }, warnings: ["flags-last", "data-changed", "scan-response-changed"]),
        RuleCase(
            "a second structure of a manufacturer, not observed", new, twice, warnings: ["not-carried", "flags-last"]),
        RuleCase(
            "a second structure of a manufacturer, observed", new, twice,
            observed: observed(twice) { $0.advertisingData = [4, 0xFF, 0x4C, 0, 1, 2, 1, 6] },
            warnings: ["not-carried", "flags-last"]),
        RuleCase("lost from both, not observed", new, ranged, warnings: ["not-carried", "not-carried"]),
        RuleCase(
            "lost from both, observed", new, ranged,
            observed: observed(ranged) {
                $0.advertisingData = [2, 1, 6]
                $0.scanResponse = []
            }, warnings: ["not-carried", "not-carried"]),
        RuleCase("incomplete list, not observed", new, incomplete, warnings: ["data-changed"]),
        RuleCase(
            "incomplete list, observed", new, incomplete,
            observed: observed(incomplete) { $0.advertisingData = [3, 3, 0x0D, 0x18] },
            warnings: ["data-changed"]),
        RuleCase("padding, not observed", new, padded, warnings: ["not-carried"]),
        RuleCase(
            "name of a broadcast, not observed", new, named,
            warnings: ["pdu-changed", "data-changed", "scan-response-changed"]),
        RuleCase(
            "scan response that old BlueZ puts into the advertising data, not observed", middle, served,
            warnings: ["flags-last", "data-changed", "scan-response-changed"]),
        RuleCase("management carries everything, not observed", .management, isExtended: true, twice),
        RuleCase(
            "management carries everything, observed", .management, isExtended: true, padded, observed: observed(padded)
        ),
    ]

    static let scanResponses = [
        RuleCase("second instance, not observed", middle, warnings: ["flags-last", "second-instance"]),
        RuleCase(
            "second instance, observed", middle, observed: observed(connectable) { $0.scanResponse = [] },
            warnings: ["second-instance"]),
        RuleCase(
            "changed", new, observed: observed(connectable) { $0.scanResponse = [] },
            warnings: ["scan-response-changed"]),
        RuleCase(
            "changed over the management socket", .management,
            observed: observed(connectable) { $0.scanResponse = connectable.scanResponse.serialized() + [2, 10, 0] },
            warnings: ["scan-response-changed"]),
    ]

    private static let discoverable = AdvertisingRules.KnownSettings(isConnectable: true, isDiscoverable: true)
    private static let connectableSetting = AdvertisingRules.KnownSettings(isConnectable: true)
    private static let lowEnergyOnly = AdvertisingRules.KnownSettings(isLowEnergyOnly: true)

    static let settings = [
        RuleCase(
            "discoverable, legacy, plain, not observed", .management, settings: discoverable, plain,
            warnings: ["pdu-changed"]),
        RuleCase(
            "discoverable, legacy, plain, observed", .management, settings: discoverable, plain,
            observed: observed(plain) { $0.pdu = .connectableScannable }, warnings: ["pdu-changed"]),
        RuleCase(
            "connectable by btmgmt, extended, plain, not observed", .management, isExtended: true,
            settings: connectableSetting, plain, warnings: ["pdu-changed"]),
        RuleCase("discoverable, connectable", .management, settings: discoverable),
        RuleCase(
            "discoverable, bus, without flags", new, settings: discoverable, flagless, warnings: ["pdu-changed"]),
        RuleCase(
            "LE only, without flags, not observed", .management, isExtended: true, settings: lowEnergyOnly, flagless,
            warnings: ["data-changed"]),
        RuleCase(
            "LE only, without flags, observed", .management, isExtended: true, settings: lowEnergyOnly, flagless,
            observed: observed(flagless) { $0.advertisingData = [2, 1, 4] + ($0.advertisingData ?? []) },
            warnings: ["data-changed"]),
        RuleCase("LE only, with flags", .management, settings: lowEnergyOnly),
    ]

    static let types = [
        RuleCase("bus, plain, not observed", new, plain, warnings: ["pdu-changed", "flags-last"]),
        RuleCase(
            "bus, plain, observed", new, plain, observed: observed(plain) { $0.pdu = .connectableScannable },
            warnings: ["pdu-changed"]),
        RuleCase(
            "management, another", .management, observed: observed(connectable) { $0.pdu = .scannable },
            warnings: ["pdu-changed"]),
    ]

    static let sharing = [
        RuleCase(
            "two on legacy", .management, instances: 2, observed: observed(connectable), warnings: ["time-shared"]),
        RuleCase(
            "five on legacy, plain", .management, instances: 5, plain, warnings: ["interval-forced", "time-shared"]),
        RuleCase("five on extended", .management, isExtended: true, instances: 5, observed: observed(connectable)),
    ]

    static let several = [
        RuleCase(
            "old bus, everything requested, nothing observed", old, instances: 2,
            with(powered) { $0.address = address },
            warnings: [
                "flags-last", "second-instance", "interval-ignored", "tx-power-ignored", "address-not-settable",
                "time-shared",
            ])
    ]
}

@Suite struct AdvertisingRulesTests {
    /// The fields that the warnings of a code concern.
    private static let fields: [String: Set<AdvertisingField>] = [
        "interval-forced": [.interval], "interval-ignored": [.interval], "interval-changed": [.interval],
        "tx-power-ignored": [.transmitPower], "tx-power-changed": [.transmitPower], "address-not-settable": [.address],
        "flags-last": [.advertisingData], "flags-missing": [.advertisingData], "data-changed": [.advertisingData],
        "not-carried": [.advertisingData, .scanResponse], "second-instance": [.scanResponse],
        "scan-response-changed": [.scanResponse], "pdu-changed": [.pdu],
    ]

    /// In seconds, by the number of instances, the turns of those of other programs, and the length of a turn of ours.
    @Test(
        arguments: [
            (false, 5, [], 1, 5), (false, 5, [2], 1, 6), (false, 5, [2, 4], 1, 9), (false, 2, [], 5, 10),
            (false, 1, [], 1, 2), (true, 5, [2, 2], 1, 2),
        ] as [(Bool, Int, [Int], Int, Int)])
    func roundHasTheTurnsOfAllInstances(isExtended: Bool, instances: Int, foreign: [Int], turn: Int, seconds: Int) {
        let rules = AdvertisingRules(
            way: .management, isExtended: isExtended, adapterAddress: .zero, instancesOnAir: instances,
            foreignTurns: foreign, turn: turn)
        #expect(rules.round == .seconds(seconds))
    }

    @Test(
        arguments: RuleCase.exact + RuleCase.intervals + RuleCase.power + RuleCase.addresses + RuleCase.data
            + RuleCase.composed + RuleCase.scanResponses + RuleCase.settings + RuleCase.types + RuleCase.sharing
            + RuleCase.several)
    func warningsFollow(_ test: RuleCase) {
        let status = test.rules.status(of: test.requested, observation: test.observation, unknownBecause: "not read")
        let codes = status.warnings.map(\.code)
        #expect(codes == test.codes)
        #expect(status.requested == test.requested)
        // Each difference has a warning, and there are no other warnings.
        let fields = codes.compactMap { Self.fields[$0] }
        #expect(status.differences.isSubset(of: fields.reduce([]) { $0.union($1) }))
        #expect(fields.allSatisfy { !$0.isDisjoint(with: status.differences) })
        #expect(fields.count == codes.count { $0 != "time-shared" })
        #expect(status.effective.differences(from: test.requested).isSubset(of: status.differences))
        for warning in status.warnings {
            #expect(!warning.message.isEmpty)
            #expect(!warning.hint.isEmpty)
        }
    }

    @Test func observationIsEffective() {
        let requested = RuleCase.plain
        let observation = RuleCase.observed(requested) {
            $0.interval = AdvertisingInterval(160)...AdvertisingInterval(240)
            $0.randomAddress = RuleCase.address
        }
        let rules = AdvertisingRules(
            way: .management, isExtended: false, adapterAddress: RuleCase.adapter, instancesOnAir: 1)
        let status = rules.status(of: requested, observation: observation, unknownBecause: "not read")
        #expect(status.effective.advertisingData == .known(requested.advertisingData.serialized()))
        #expect(status.effective.scanResponse == .known([]))
        #expect(status.effective.pdu == .known(.nonConnectable))
        #expect(status.effective.interval == .known(observation.interval))
        #expect(status.effective.address.value == RuleCase.address)
        #expect(status.effective.transmitPower.value == nil)
        #expect(status.differences == [.interval])
        #expect(
            status.warnings.first?.message
                == "160 ticks (100 ms) were requested, but on a legacy controller the kernel advertises "
                + "non-connectable PDUs every 160 to 240 ticks")
    }

    @Test func lossNamesStructureAndReason() throws {
        let rules = AdvertisingRules(
            way: .bus(.bluez582), isExtended: false, adapterAddress: RuleCase.adapter, instancesOnAir: 1)
        let requested = RuleCase.with(RuleCase.plain) {
            $0.advertisingData = [
                .serviceUUIDs16([0x180D], isComplete: false), .unknown(type: 0x12, data: [6, 0, 12, 0]),
            ]
        }
        let status = rules.status(of: requested, observation: nil, unknownBecause: "not read")
        #expect(status.differences == [.advertisingData])
        let loss = try #require(status.warnings.first)
        #expect(loss.code == "not-carried")
        #expect(
            loss.message
                == "peripheral-connection-interval-range (12 06000c00) of the advertising data is not on the air: "
                + "bluetoothd has no property for it, and refuses its type in Data")
        #expect(loss.hint.contains("CAP_NET_ADMIN"))
        #expect(
            status.warnings.last?.message
                == "the advertising data is not what was requested, but 03030d18 as far as is known without reading it "
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
            let warnings = rules.status(of: requested, observation: nil, unknownBecause: "").warnings
            #expect(warnings.map(\.code) == ["flags-last"])
            #expect(warnings.first?.message.contains("1A FF 4C 00") == isFrame)
        }
    }

    @Test func missingObservationIsUnknownWithReason() {
        let rules = AdvertisingRules(
            way: .management, isExtended: true, adapterAddress: RuleCase.adapter, instancesOnAir: 1)
        let status = rules.status(of: RuleCase.connectable, observation: nil, unknownBecause: "not read")
        #expect(status.effective == EffectiveAdvertisement(unknown: "not read"))
        #expect(status.differences.isEmpty)
    }

    @Test func publicAddressIsThatOfTheAdapter() {
        let rules = AdvertisingRules(
            way: .management, isExtended: true, adapterAddress: RuleCase.adapter, instancesOnAir: 1)
        let observation = RuleCase.observed(RuleCase.connectable)
        let status = rules.status(of: RuleCase.connectable, observation: observation, unknownBecause: "")
        #expect(status.effective.address == .known(RuleCase.adapter))
    }

    private static func warning(
        _ rules: AdvertisingRules, _ requested: Advertisement,
        _ change: (inout AdvertisingObserver.Observation) -> Void = { _ in }
    ) -> Warning? {
        rules.status(of: requested, observation: RuleCase.observed(requested, change), unknownBecause: "").warnings
            .first
    }

    /// K2: the cause and its fix are named, not a right.
    @Test(arguments: [true, false])
    func connectableAdapterIsNamed(isDiscoverable: Bool) {
        let rules = AdvertisingRules(
            way: .management, isExtended: false, adapterAddress: RuleCase.adapter, instancesOnAir: 1,
            settings: .init(isConnectable: true, isDiscoverable: isDiscoverable))
        let warning = Self.warning(rules, RuleCase.plain) { $0.pdu = .connectableScannable }
        #expect(
            warning?.message == "ADV_NONCONN_IND was requested, but ADV_IND is on the air: the adapter is "
                + "\(isDiscoverable ? "discoverable" : "connectable"), which makes every advertisement connectable")
        #expect(
            warning?.hint
                == (isDiscoverable
                    ? "switch that off (bluetoothctl discoverable off)"
                    : "switch that off (sudo btmgmt --index 0 connectable off)"))
    }

    /// A1: Raspberry Pi 4 and 5 report Bluetooth 5.0 and have no extended advertising.
    @Test func hintsDoNotNameAVersionOfBluetooth() {
        let rules = AdvertisingRules(
            way: .management, isExtended: false, adapterAddress: RuleCase.adapter, instancesOnAir: 2)
        let requested = RuleCase.with(RuleCase.plain) { $0.transmitPower = TransmitPower(4) }
        let warnings = rules.status(of: requested, observation: nil, unknownBecause: "").warnings
        #expect(warnings.map(\.code) == ["interval-forced", "tx-power-ignored", "time-shared"])
        for warning in warnings {
            #expect(warning.hint.hasPrefix("use an adapter with extended advertising, or"))
        }
    }

    /// Data of flags only are not those of any other beacon in turns.
    @Test(
        arguments: [
            ("020105", "020105", true), ("020105", "020106", false), ("020105", "02010605ffffff000b", false),
            ("", "020104", true), ("", "02010605ffffff000b", false), ("02010605ffffff000b", "02010405ffffff000b", true),
            ("02010605ffffff000b", "02010605ffffff000c", false),
        ])
    func dataAreRecognisedByMoreThanTheirFlags(_ requested: String, _ bytes: String, isCarried: Bool) throws {
        let rules = AdvertisingRules(
            way: .management, isExtended: false, adapterAddress: RuleCase.adapter, instancesOnAir: 2)
        let data = try AdvertisingData(parsing: Hexadecimal.bytes(requested))
        let advertisement = RuleCase.with(RuleCase.plain) { $0.advertisingData = data }
        let found = try Hexadecimal.bytes(bytes)
        #expect(rules.isCarried(advertisement, by: found) == isCarried)
    }

    /// K4.
    @Test(
        arguments: [
            (2, 1, [], "take turns of 1 s on", "1/2 of the time, with gaps of 1 s"),
            (5, 2, [], "take turns of 2 s on", "1/5 of the time, with gaps of 8 s"),
            (3, 1, [1], "take turns of 1 s on", "1/3 of the time, with gaps of 2 s"),
            (
                5, 1, [2, 2], "take turns, of 1 s for this program and of 2 s for other programs, on",
                "1/7 of the time, with gaps of 6 s"
            ),
            (3, 2, [1, 4], "of 1 and 4 s for other programs, on", "2/7 of the time, with gaps of 5 s"),
        ] as [(Int, Int, [Int], String, String)])
    func turnsAndGapsAreNamed(_ instances: Int, turn: Int, foreign: [Int], turns: String, gaps: String) {
        let rules = AdvertisingRules(
            way: .management, isExtended: false, adapterAddress: RuleCase.adapter, instancesOnAir: instances,
            foreignTurns: foreign, turn: turn)
        let message = rules.timeSharing?.message ?? ""
        #expect(message.contains(turns) && message.contains(gaps), "\(message)")
    }

    /// The kernel takes the PDU type of a legacy advertisement from its scan response.
    @Test(arguments: [false, true], [false, true])
    func scannableWithoutAScanResponseNeedsAdvertisingSets(isExtended: Bool, hasResponse: Bool) {
        let rules = AdvertisingRules(
            way: .management, isExtended: isExtended, adapterAddress: RuleCase.adapter, instancesOnAir: 1)
        let requested = RuleCase.with(RuleCase.plain) {
            $0.pdu = .scannable
            $0.scanResponse = hasResponse ? [.localName("b", isComplete: true)] : []
        }
        let status = rules.status(of: requested, observation: nil, unknownBecause: "")
        let warning = status.warnings.first { $0.code == "pdu-changed" }
        #expect((warning != nil) == (!isExtended && !hasResponse))
        #expect(status.differences.contains(.pdu) == (warning != nil))
        guard let warning else { return }
        #expect(warning.message.contains("ADV_NONCONN_IND is on the air: on a legacy controller the kernel makes"))
    }

    /// A20: a controller that reports numbers of a scale of its own.
    @Test(arguments: [(20, "radiates 20 dBm"), (29, "reports 29, which is no power in dBm")] as [(Int8, String)])
    func impossiblePowerIsNotPrintedAsOne(_ power: Int8, text: String) {
        let rules = AdvertisingRules(
            way: .management, isExtended: true, adapterAddress: RuleCase.adapter, instancesOnAir: 1)
        let requested = RuleCase.with(RuleCase.plain) { $0.transmitPower = TransmitPower(4) }
        let warning = Self.warning(rules, requested) { $0.transmitPower = TransmitPower(power) }
        #expect(warning?.message.hasSuffix(text) == true, "\(warning?.message ?? "")")
    }

    /// K13: with Privacy=device the kernel uses a resolvable address for connectable advertisements too.
    @Test func observedAddressIsNamed() throws {
        let rules = AdvertisingRules(
            way: .management, isExtended: true, adapterAddress: RuleCase.adapter, instancesOnAir: 1)
        let requested = RuleCase.with(RuleCase.connectable) { $0.address = RuleCase.address }
        let resolvable = try #require(BluetoothAddress("45:00:00:00:00:01"))
        let changed = Self.warning(rules, requested) { $0.randomAddress = resolvable }
        #expect(changed?.message.contains("this one has 45:00:00:00:00:01, by the adapter's privacy setting") == true)
        #expect(
            Self.warning(rules, requested)?.message.hasSuffix("this one has the adapter's, \(RuleCase.adapter)") == true
        )
    }
}
