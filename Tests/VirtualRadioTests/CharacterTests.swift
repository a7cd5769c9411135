// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Testing
import VirtualRadio

/// What controllers with a character do with commands, beside what those without one do.
@Suite struct CharacterTests {
    /// A command and its status.
    struct Case: Sendable, CustomTestStringConvertible {
        let character: String
        /// Whether the controller has a connection: made by a legacy or an extended command.
        var link: Link?
        /// Commands that come before, whatever their statuses.
        var prepared: [any HCICommand] = []
        let command: any HCICommand
        let status: HCIStatus
        /// The status of a controller without a character.
        var otherwise = HCIStatus.success

        enum Link { case legacy, extended }

        var testDescription: String { "\(character): \(type(of: command).definition.name)" }
    }

    private static func legacyParameters(
        _ type: AdvertisingType, _ interval: UInt32 = 160
    ) -> LESetAdvertisingParameters {
        LESetAdvertisingParameters(
            minimumInterval: AdvertisingInterval(interval), maximumInterval: AdvertisingInterval(interval),
            advertisingType: type)
    }

    private static let randomAddress = LESetRandomAddress(randomAddress: Bench.address(7))
    private static let scanParameters = LESetExtendedScanParameters(
        parameters: [.init(scanType: .passive, scanInterval: ScanTime(16), scanWindow: ScanTime(16))])

    static let cases: [Case] = [
        Case(
            character: "legacy-5.0", command: legacyParameters(.nonConnectableUndirected, 159),
            status: .invalidCommandParameters),
        Case(
            character: "legacy-5.0", command: legacyParameters(.scannableUndirected, 32),
            status: .invalidCommandParameters),
        Case(character: "legacy-5.0", command: Bench.extendedParameters(), status: .unknownCommand),
        Case(character: "legacy-5.0", command: LEReadNumberOfSupportedAdvertisingSets(), status: .unknownCommand),
        Case(character: "legacy-5.0", command: scanParameters, status: .unknownCommand),
        Case(
            character: "sets:1", prepared: [Bench.extendedParameters(0)], command: Bench.extendedParameters(1),
            status: .memoryCapacityExceeded),
        Case(character: "low-handles:4", command: Bench.extendedParameters(4), status: .invalidCommandParameters),
        Case(
            character: "low-handles:4", prepared: [Bench.extendedParameters(4)],
            command: LESetExtendedAdvertisingData(advertisingHandle: 4, data: [2, 1, 6]),
            status: .invalidCommandParameters),
        Case(character: "mixing", command: LEReadTransmitPower(), status: .unknownCommand),
        Case(
            character: "mixing:uncounted", prepared: [LEReadNumberOfSupportedAdvertisingSets()],
            command: LEReadAdvertisingPhysicalChannelTransmitPower(), status: .success,
            otherwise: .commandDisallowed),
        Case(
            character: "mixing:uncounted",
            prepared: [
                LEReadNumberOfSupportedAdvertisingSets(), LEReadAdvertisingPhysicalChannelTransmitPower(),
            ],
            command: Bench.extendedParameters(), status: .commandDisallowed),
        Case(character: "feature-lies", command: Bench.extendedParameters(), status: .unknownCommand),
        Case(character: "ats2851", command: LEReadTransmitPower(), status: .unknownCommand),
        Case(character: "ats2851", command: scanParameters, status: .unknownCommand),
        Case(
            character: "ats2851", prepared: [Bench.extendedParameters()],
            command: LESetScanEnable(enable: 1, filterDuplicates: 0), status: .success, otherwise: .commandDisallowed),
        Case(character: "le-only", command: ReadLocalName(), status: .unknownCommand),
        Case(character: "le-only", command: ReadBufferSize(), status: .unknownCommand),
        Case(character: "busy", command: legacyParameters(.connectableUndirected), status: .controllerBusy),
        Case(
            character: "busy:0x0C", command: Bench.extendedParameters(), status: .commandDisallowed),
        Case(character: "busy", command: LESetAdvertisingEnable(enable: 1), status: .controllerBusy),
        Case(
            character: "states", link: .legacy, prepared: [legacyParameters(.nonConnectableUndirected)],
            command: LESetAdvertisingEnable(enable: 1), status: .commandDisallowed),
        Case(
            character: "states", link: .extended, prepared: [Bench.extendedParameters()],
            command: Bench.extendedEnable(), status: .commandDisallowed),
        Case(character: "scan-busy", link: .extended, command: scanParameters, status: .commandDisallowed),
        Case(
            character: "scan-busy", link: .extended, prepared: [scanParameters],
            command: LESetExtendedScanEnable(enable: 1, filterDuplicates: 0), status: .commandDisallowed),
        Case(
            character: "strict-random", prepared: [Bench.extendedParameters(), Bench.extendedEnable()],
            command: randomAddress, status: .commandDisallowed),
    ]

    @Test(arguments: cases)
    func commandHasTheStatusOfTheCharacter(_ testCase: Case) throws {
        for (character, status) in [
            (try ControllerCharacter(testCase.character), testCase.status),
            (ControllerCharacter.none, testCase.otherwise),
        ] {
            var bench = Bench()
            let controller = bench.add(1, character: character)
            if let link = testCase.link { try bench.link(controller, isExtended: link == .extended) }
            for command in testCase.prepared { bench.send(command, controller) }
            #expect(bench.send(testCase.command, controller) == status)
        }
    }

    /// Commands that a character refuses in one state are executed in another.
    @Test(arguments: [
        ("legacy-5.0", legacyParameters(.connectableUndirected, 32) as any HCICommand),
        ("legacy-5.0", legacyParameters(.nonConnectableUndirected, 160)), ("sets:1", Bench.extendedParameters(0)),
        ("low-handles:4", Bench.extendedParameters(3)), ("busy", LESetAdvertisingEnable(enable: 0)),
        ("states", LESetAdvertisingEnable(enable: 1)), ("scan-busy", scanParameters), ("strict-random", randomAddress),
        ("feature-lies:no-commands", Bench.extendedParameters()), ("busy@1s-2s", LESetAdvertisingEnable(enable: 1)),
    ])
    func otherCommandsAreExecuted(_ character: String, _ command: any HCICommand) throws {
        var bench = Bench()
        let controller = bench.add(1, character: try ControllerCharacter(character))
        #expect(bench.send(command, controller) == .success)
    }

    /// A character with a period applies in that period only, counted from when the controller joined.
    @Test func periodBeginsAndEnds() throws {
        var bench = Bench()
        bench.run(milliseconds: 10_000)
        let controller = bench.add(1, character: try ControllerCharacter("busy@1s-2s"))
        let enable = LESetAdvertisingEnable(enable: 1)
        bench.expectSuccess(enable, controller)
        bench.run(milliseconds: 999)
        bench.expectSuccess(enable, controller)
        bench.run(milliseconds: 1)
        #expect(bench.send(enable, controller) == .controllerBusy)
        bench.run(milliseconds: 1000)
        bench.expectSuccess(enable, controller)
    }

    @Test func capabilitiesAreThoseOfTheCharacter() throws {
        var bench = Bench()
        func add(_ text: String) throws -> ControllerIdentifier {
            bench.add(1, character: try ControllerCharacter(text))
        }
        let extended = LESetExtendedAdvertisingParameters.opcode
        func hasExtendedAdvertising(_ controller: ControllerIdentifier) throws -> [Bool?] {
            let features = try bench.returned(LEReadLocalSupportedFeatures(), controller).features
            let commands = try bench.returned(ReadLocalSupportedCommands(), controller).supportedCommands
            return [features.contains(.extendedAdvertising), commands.contains(extended)]
        }
        let plain = try add("silent:0xFC01")
        #expect(try hasExtendedAdvertising(plain) == [true, true])
        #expect(try bench.returned(ReadLocalVersionInformation(), plain).hciVersion == .core54)

        let legacy = try add("legacy-5.0")
        #expect(try hasExtendedAdvertising(legacy) == [false, false])
        #expect(try bench.returned(ReadLocalVersionInformation(), legacy).hciVersion == .core50)
        let commands = try bench.returned(ReadLocalSupportedCommands(), legacy).supportedCommands
        #expect(commands.contains(LESetAdvertisingParameters.opcode) == true)
        #expect(commands.octets[36] & 0xFE == 0 && commands.octets[37] == 0)

        #expect(try hasExtendedAdvertising(try add("feature-lies")) == [false, true])
        #expect(try hasExtendedAdvertising(try add("feature-lies:no-commands")) == [true, false])

        let actions = try add("ats2851")
        #expect(try hasExtendedAdvertising(actions) == [true, true])
        let claimed = try bench.returned(ReadLocalSupportedCommands(), actions).supportedCommands
        #expect(claimed.contains(LESetResolvablePrivateAddressTimeout.opcode) == true)
        #expect(claimed.contains(LESetExtendedScanEnable.opcode) == true)
        #expect(try bench.returned(ReadLocalVersionInformation(), actions).hciVersion == .core53)

        for (text, count) in [("sets:1", UInt8(1)), ("sets:20", 20), ("low-handles:6", 6)] {
            let controller = try add(text)
            let query = LEReadNumberOfSupportedAdvertisingSets()
            #expect(try bench.returned(query, controller).supportedAdvertisingSets == count)
        }
        let states = try bench.returned(LEReadSupportedStates(), try add("states")).states
        #expect(states.rawValue == 0x03FF_FFFF_FFFF & ~(0x3C_0000 | 1 << 35 | 1 << 38))
        #expect(try bench.returned(ReadBDADDR(), try add("no-address")).address == .zero)
        let features = try bench.returned(ReadLocalSupportedFeatures(), try add("le-only")).lmpFeatures
        #expect(features == [.noClassicRadio, .lowEnergy])
        #expect(try ControllerCharacter("same-address").commonAddress == BluetoothAddress("00:1A:7D:DA:71:13"))
    }

    @Test(arguments: [
        ("power", Int8(20), Int8(7), Int8(7)), ("power", -100, -34, -34), ("power:nearest", 3, 3, 3),
        ("power", 127, 0, 0), ("power:fixed", 20, 0, 0), ("power:unknown", 5, 127, 5),
    ])
    func powerIsSelected(_ character: String, asked: Int8, returned: Int8, sent: Int8) throws {
        var bench = Bench()
        let controller = bench.add(1, character: try ControllerCharacter(character))
        let scanner = bench.add(2)
        bench.scan(scanner)
        let selected = try bench.returned(Bench.extendedParameters(power: asked), controller)
        #expect(selected.selectedTransmitPower == TransmitPower(returned))
        bench.expectSuccess(Bench.extendedEnable(), controller)
        bench.run(milliseconds: 200)
        #expect(bench.takeReports(scanner).first?.rssi == RSSI(sent - 59))
        if character == "power" {
            let range = try bench.returned(LEReadTransmitPower(), controller)
            #expect(range.minimumTransmitPower == TransmitPower(-34) && range.maximumTransmitPower == TransmitPower(7))
        }
    }

    /// A set that ended with a connection takes new parameters after it was disabled.
    @Test func setNeedsToBeDisabledFirst() throws {
        var bench = Bench()
        let controller = bench.add(1, character: try ControllerCharacter("disable-first"))
        try bench.connect(to: controller)
        #expect(bench.send(Bench.extendedParameters(), controller) == .commandDisallowed)
        bench.expectSuccess(Bench.extendedParameters(1), controller)
        bench.expectSuccess(Bench.extendedEnable(0), controller)
        bench.expectSuccess(Bench.extendedParameters(), controller)
    }
}

extension Bench {
    /// Connects a controller, as central, to another one.
    mutating func link(_ central: ControllerIdentifier, isExtended: Bool) throws {
        let peripheral = add(9)
        try advertise(peripheral)
        if isExtended {
            let parameters = LEExtendedCreateConnection.Parameters(
                scanInterval: ScanTime(96), scanWindow: ScanTime(96), minimumConnectionInterval: ConnectionInterval(24),
                maximumConnectionInterval: ConnectionInterval(24), supervisionTimeout: SupervisionTimeout(100))
            expectSuccess(
                LEExtendedCreateConnection(peerAddress: Self.address(9), parameters: [parameters]), central)
        } else {
            expectSuccess(Self.createConnection(Self.address(9)), central)
        }
        run(milliseconds: 300)
        try #require(takeEvents(LEConnectionComplete.self, central).first?.status == .success)
    }

    /// Connects another controller to a set of a controller with the address 1.
    mutating func connect(to peripheral: ControllerIdentifier) throws {
        let central = add(8)
        expectSuccess(Self.extendedParameters(), peripheral)
        expectSuccess(Self.extendedEnable(), peripheral)
        expectSuccess(Self.createConnection(Self.address(1)), central)
        run(milliseconds: 300)
        try #require(takeEvents(LEConnectionComplete.self, central).first?.status == .success)
    }
}
