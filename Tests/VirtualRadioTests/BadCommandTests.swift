// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Testing
import VirtualRadio

/// Invalid commands, and the status of their answers.
@Suite struct BadCommandTests {
    struct Case: Sendable, CustomStringConvertible {
        let name: String
        /// Commands that must succeed before.
        var before: [any HCICommand] = []
        let command: any HCICommand
        let status: HCIStatus
        var description: String { name }
    }

    private static func advertising(
        _ minimum: UInt32 = 160, _ maximum: UInt32 = 160, type: UInt8 = 0, own: UInt8 = 0, channels: UInt8 = 7,
        policy: UInt8 = 0
    ) -> LESetAdvertisingParameters {
        LESetAdvertisingParameters(
            minimumInterval: AdvertisingInterval(minimum), maximumInterval: AdvertisingInterval(maximum),
            advertisingType: AdvertisingType(rawValue: type), ownAddressType: OwnAddressType(rawValue: own),
            channelMap: AdvertisingChannelMap(rawValue: channels),
            filterPolicy: AdvertisingFilterPolicy(rawValue: policy))
    }

    private static func set(
        _ handle: UInt8 = 0, _ properties: UInt16 = 0x13, _ minimum: UInt32 = 160, own: UInt8 = 0, primary: UInt8 = 1,
        secondary: UInt8 = 1, power: Int8 = 127
    ) -> LESetExtendedAdvertisingParameters {
        LESetExtendedAdvertisingParameters(
            advertisingHandle: handle, properties: AdvertisingEventProperties(rawValue: properties),
            minimumInterval: AdvertisingInterval(minimum), maximumInterval: AdvertisingInterval(160),
            ownAddressType: OwnAddressType(rawValue: own), transmitPower: TransmitPower(power),
            primaryPHY: PHY(rawValue: primary), secondaryPHY: PHY(rawValue: secondary))
    }

    private static func data(
        _ operation: UInt8 = 3, _ count: Int = 3, handle: UInt8 = 0
    ) -> LESetExtendedAdvertisingData {
        LESetExtendedAdvertisingData(
            advertisingHandle: handle, operation: AdvertisingDataOperation(rawValue: operation),
            fragmentPreference: 0, data: [UInt8](repeating: 1, count: count))
    }

    /// A set with 1,506 bytes of data, and more to come.
    private static let fragments: [any HCICommand] = [
        set(0, 0), data(1, 251), data(0, 251), data(0, 251), data(0, 251), data(0, 251), data(0, 251),
    ]

    private static func enable(_ handles: [UInt8], duration: UInt32 = 0) -> LESetExtendedAdvertisingEnable {
        LESetExtendedAdvertisingEnable(
            enable: 1, sets: handles.map { .init(advertisingHandle: $0, duration: Ticks(duration)) })
    }

    private static func scan(
        _ interval: UInt32 = 16, _ window: UInt32 = 16, type: UInt8 = 0, own: UInt8 = 0, policy: UInt8 = 0
    ) -> LESetScanParameters {
        LESetScanParameters(
            scanType: ScanType(rawValue: type), scanInterval: ScanTime(interval), scanWindow: ScanTime(window),
            ownAddressType: OwnAddressType(rawValue: own), scanningFilterPolicy: ScanningFilterPolicy(rawValue: policy))
    }

    private static func extendedScan(_ phys: PHYSet) -> LESetExtendedScanParameters {
        let one = LESetExtendedScanParameters.Parameters(
            scanType: .passive, scanInterval: ScanTime(16), scanWindow: ScanTime(16))
        return LESetExtendedScanParameters(
            scanningPHYs: phys, parameters: .init(repeating: one, count: phys.rawValue.nonzeroBitCount))
    }

    private static func extendedConnection(
        secondInterval: UInt32 = 6, secondLatency: UInt16 = 0
    ) -> LEExtendedCreateConnection {
        func parameters(_ interval: UInt32, _ latency: UInt16) -> LEExtendedCreateConnection.Parameters {
            LEExtendedCreateConnection.Parameters(
                scanInterval: ScanTime(16), scanWindow: ScanTime(16),
                minimumConnectionInterval: ConnectionInterval(interval),
                maximumConnectionInterval: ConnectionInterval(interval), maximumLatency: latency,
                supervisionTimeout: SupervisionTimeout(3200))
        }
        return LEExtendedCreateConnection(
            peerAddress: Bench.address(9), initiatingPHYs: [.oneMegabit, .twoMegabit],
            parameters: [parameters(6, 0), parameters(secondInterval, secondLatency)])
    }

    private static let handle = ConnectionHandle(1)
    private static let scanOn = LESetScanEnable(enable: 1, filterDuplicates: 0)
    private static let connect = Bench.createConnection(Bench.address(9))

    static let legacy: [Case] = [
        Case(name: "interval below 20 ms", command: advertising(31), status: .invalidCommandParameters),
        Case(name: "interval above 10.24 s", command: advertising(160, 0x4001), status: .invalidCommandParameters),
        Case(name: "minimum above maximum", command: advertising(161), status: .invalidCommandParameters),
        Case(name: "advertising type 5", command: advertising(type: 5), status: .invalidCommandParameters),
        Case(name: "own address type 4", command: advertising(own: 4), status: .invalidCommandParameters),
        Case(name: "no channel", command: advertising(channels: 0), status: .invalidCommandParameters),
        Case(name: "a fourth channel", command: advertising(channels: 8), status: .invalidCommandParameters),
        Case(name: "filter policy 4", command: advertising(policy: 4), status: .invalidCommandParameters),
        Case(
            name: "parameters while advertising", before: [LESetAdvertisingEnable(enable: 1)],
            command: advertising(), status: .commandDisallowed),
        Case(name: "enable 2", command: LESetAdvertisingEnable(enable: 2), status: .invalidCommandParameters),
        Case(
            name: "random address that was not set", before: [advertising(own: 1)],
            command: LESetAdvertisingEnable(enable: 1), status: .invalidCommandParameters),
        Case(
            name: "random address while advertising", before: [LESetAdvertisingEnable(enable: 1)],
            command: LESetRandomAddress(randomAddress: Bench.address(1)), status: .commandDisallowed),
        Case(
            name: "random address while scanning", before: [scanOn],
            command: LESetRandomAddress(randomAddress: Bench.address(1)), status: .commandDisallowed),
        Case(
            name: "random address while initiating", before: [connect],
            command: LESetRandomAddress(randomAddress: Bench.address(1)), status: .commandDisallowed),
        Case(name: "window above interval", command: scan(16, 17), status: .invalidCommandParameters),
        Case(name: "window below 2.5 ms", command: scan(16, 3), status: .invalidCommandParameters),
        Case(name: "scan interval above 10.24 s", command: scan(0x4001), status: .invalidCommandParameters),
        Case(name: "scan type 2", command: scan(type: 2), status: .invalidCommandParameters),
        Case(name: "scanning filter policy 4", command: scan(policy: 4), status: .invalidCommandParameters),
        Case(name: "scan parameters while scanning", before: [scanOn], command: scan(), status: .commandDisallowed),
        Case(
            name: "scan with a random address that was not set", before: [scan(own: 1)], command: scanOn,
            status: .invalidCommandParameters),
        Case(
            name: "duplicates 2", command: LESetScanEnable(enable: 1, filterDuplicates: 2),
            status: .invalidCommandParameters),
        Case(name: "a second connection request", before: [connect], command: connect, status: .commandDisallowed),
        Case(
            name: "connection interval below 7.5 ms", command: Bench.createConnection(Bench.address(9), interval: 5),
            status: .invalidCommandParameters),
        Case(
            name: "latency 500", command: Bench.createConnection(Bench.address(9), latency: 500, timeout: 3200),
            status: .invalidCommandParameters),
        Case(
            name: "timeout below two intervals",
            command: Bench.createConnection(Bench.address(9), interval: 400, timeout: 100),
            status: .invalidCommandParameters),
        Case(
            name: "address type 4 in the accept list",
            command: LEAddDeviceToFilterAcceptList(addressType: AddressType(rawValue: 4), address: .zero),
            status: .invalidCommandParameters),
        Case(
            name: "no channel left", command: LESetHostChannelClassification(channelMap: Octets(padding: [])),
            status: .invalidCommandParameters),
    ]

    static let extended: [Case] = [
        Case(name: "handle 0xF0", command: set(0xF0), status: .invalidCommandParameters),
        Case(name: "legacy, connectable and not scannable", command: set(0, 0x11), status: .invalidCommandParameters),
        Case(name: "connectable and scannable", command: set(0, 0x03), status: .invalidCommandParameters),
        Case(name: "anonymous and connectable", command: set(0, 0x21), status: .invalidCommandParameters),
        Case(name: "reserved property", command: set(0, 0x80), status: .invalidCommandParameters),
        Case(name: "primary interval below 20 ms", command: set(0, 0x13, 31), status: .invalidCommandParameters),
        Case(name: "primary interval reversed", command: set(0, 0x13, 161), status: .invalidCommandParameters),
        Case(name: "power of 21 dBm", command: set(power: 21), status: .invalidCommandParameters),
        Case(name: "Coded", command: set(0, 0, primary: 3), status: .unsupportedFeatureOrParameterValue),
        Case(name: "secondary Coded", command: set(0, 0, secondary: 3), status: .unsupportedFeatureOrParameterValue),
        Case(name: "primary 2M", command: set(0, 0, primary: 2), status: .invalidCommandParameters),
        Case(name: "data of an unknown set", command: data(), status: .unknownAdvertisingIdentifier),
        Case(name: "no such set", before: [set()], command: enable([0, 1]), status: .unknownAdvertisingIdentifier),
        Case(name: "the same set twice", before: [set()], command: enable([0, 0]), status: .invalidCommandParameters),
        Case(name: "enable nothing", command: enable([]), status: .invalidCommandParameters),
        Case(
            name: "parameters of an enabled set", before: [set(), enable([0])], command: set(),
            status: .commandDisallowed),
        Case(
            name: "removal of an enabled set", before: [set(), enable([0])],
            command: LERemoveAdvertisingSet(advertisingHandle: 0), status: .commandDisallowed),
        Case(
            name: "clearing with an enabled set", before: [set(), enable([0])], command: LEClearAdvertisingSets(),
            status: .commandDisallowed),
        Case(
            name: "removal of an unknown set", command: LERemoveAdvertisingSet(advertisingHandle: 3),
            status: .unknownAdvertisingIdentifier),
        Case(
            name: "random address of an unknown set",
            command: LESetAdvertisingSetRandomAddress(advertisingHandle: 0, randomAddress: Bench.address(1)),
            status: .unknownAdvertisingIdentifier),
        Case(
            name: "random address of a connectable set", before: [set(), enable([0])],
            command: LESetAdvertisingSetRandomAddress(advertisingHandle: 0, randomAddress: Bench.address(1)),
            status: .commandDisallowed),
        Case(
            name: "32 bytes of legacy data", before: [set()], command: data(3, 32), status: .invalidCommandParameters),
        Case(name: "fragments of legacy data", before: [set()], command: data(1), status: .invalidCommandParameters),
        Case(
            name: "legacy PDUs for long data", before: [set(0, 0), data(3, 32)], command: set(),
            status: .invalidCommandParameters),
        Case(name: "an empty fragment", before: [set(0, 0)], command: data(1, 0), status: .invalidCommandParameters),
        Case(name: "operation 5", before: [set(0, 0)], command: data(5), status: .invalidCommandParameters),
        Case(name: "a last fragment first", before: [set(0, 0)], command: data(2), status: .commandDisallowed),
        Case(
            name: "fragments of an enabled set", before: [set(0, 0), enable([0])], command: data(1),
            status: .commandDisallowed),
        Case(
            name: "1,651 bytes", before: fragments, command: data(2, 145), status: .memoryCapacityExceeded),
        Case(
            name: "246 bytes of a connectable set", before: [set(0, 1), data(3, 246)], command: enable([0]),
            status: .invalidCommandParameters),
        Case(
            name: "239 bytes of a connectable set, directed and with its power",
            before: [set(0, 0x45), data(3, 239)], command: enable([0]), status: .invalidCommandParameters),
        Case(
            name: "246 bytes of an enabled connectable set", before: [set(0, 1), data(3, 245), enable([0])],
            command: data(3, 246), status: .packetTooLong),
        Case(
            name: "unchanged data of a disabled set", before: [set(0, 0), data()], command: data(4, 0),
            status: .invalidCommandParameters),
        Case(
            name: "unchanged data of an empty set", before: [set(0, 0), enable([0])], command: data(4, 0),
            status: .invalidCommandParameters),
        Case(
            name: "unchanged data with data", before: [set(0, 0), data(), enable([0])], command: data(4, 1),
            status: .invalidCommandParameters),
        Case(name: "data of a scannable set", before: [set(0, 2)], command: data(), status: .invalidCommandParameters),
        Case(
            name: "scannable without scan response", before: [set(0, 2)], command: enable([0]),
            status: .commandDisallowed),
        Case(
            name: "high duty cycle without an end", before: [set(0, 0x1D)], command: enable([0]),
            status: .invalidCommandParameters),
        Case(
            name: "high duty cycle for 1.29 s", before: [set(0, 0x1D)], command: enable([0], duration: 129),
            status: .invalidCommandParameters),
        Case(name: "scan on no PHY", command: extendedScan([]), status: .invalidCommandParameters),
        Case(
            name: "scan on Coded", command: extendedScan([.oneMegabit, .coded]),
            status: .unsupportedFeatureOrParameterValue),
        Case(
            name: "duplicates per period without a period",
            command: LESetExtendedScanEnable(enable: 1, filterDuplicates: 2),
            status: .invalidCommandParameters),
        Case(
            name: "duration as long as the period",
            command: LESetExtendedScanEnable(enable: 1, filterDuplicates: 0, duration: Ticks(128), period: Ticks(1)),
            status: .invalidCommandParameters),
    ]

    static let connections: [Case] = [
        Case(
            name: "disconnect", command: Disconnect(connectionHandle: handle), status: .unknownConnectionIdentifier),
        Case(
            name: "version", command: ReadRemoteVersionInformation(connectionHandle: handle),
            status: .unknownConnectionIdentifier),
        Case(
            name: "features", command: LEReadRemoteFeatures(connectionHandle: handle),
            status: .unknownConnectionIdentifier),
        Case(name: "PHY", command: LEReadPHY(connectionHandle: handle), status: .unknownConnectionIdentifier),
        Case(
            name: "data length",
            command: LESetDataLength(connectionHandle: handle, transmitOctets: 27, transmitTime: Microseconds(328)),
            status: .unknownConnectionIdentifier),
        Case(
            name: "encryption",
            command: LEEnableEncryption(
                connectionHandle: handle, randomNumber: 0, encryptedDiversifier: 0, longTermKey: .zero),
            status: .unknownConnectionIdentifier),
        Case(
            name: "suggested data length of 252",
            command: LEWriteSuggestedDefaultDataLength(
                suggestedMaximumTransmitOctets: 252, suggestedMaximumTransmitTime: Microseconds(328)),
            status: .invalidCommandParameters),
        Case(
            name: "no default PHY", command: LESetDefaultPHY(transmitPHYs: [], receivePHYs: .oneMegabit),
            status: .invalidCommandParameters),
        Case(
            name: "Coded beside another default",
            command: LESetDefaultPHY(transmitPHYs: [.oneMegabit, .coded], receivePHYs: .oneMegabit),
            status: .unsupportedFeatureOrParameterValue),
        Case(
            name: "a reserved PHY beside another default",
            command: LESetDefaultPHY(transmitPHYs: .oneMegabit, receivePHYs: PHYSet(rawValue: 0x09)),
            status: .unsupportedFeatureOrParameterValue),
        Case(
            name: "connection interval below 7.5 ms on 2M", command: extendedConnection(secondInterval: 5),
            status: .invalidCommandParameters),
        Case(
            name: "latency 500 on 2M", command: extendedConnection(secondLatency: 500),
            status: .invalidCommandParameters),
        Case(
            name: "Coded as the only default", command: LESetDefaultPHY(transmitPHYs: .coded, receivePHYs: .coded),
            status: .unsupportedFeatureOrParameterValue),
    ]

    @Test(arguments: legacy + extended + connections)
    func isAnsweredWithItsStatus(_ testCase: Case) {
        var bench = Bench()
        let controller = bench.add(1)
        for command in testCase.before { bench.expectSuccess(command, controller) }
        #expect(bench.send(testCase.command, controller) == testCase.status)
    }

    @Test func invalidCommandsAboutConnectionsAreRefused() throws {
        var bench = Bench()
        let pair = try bench.connect()
        let handle = pair.peripheralHandle
        let cases: [(command: any HCICommand, status: HCIStatus)] = [
            (Disconnect(connectionHandle: handle, reason: .success), .invalidCommandParameters),
            (Disconnect(connectionHandle: handle, reason: .connectionTimeout), .invalidCommandParameters),
            (
                LEEnableEncryption(
                    connectionHandle: handle, randomNumber: 0, encryptedDiversifier: 0, longTermKey: .zero),
                .commandDisallowed
            ),
            (
                LELongTermKeyRequestReply(connectionHandle: handle, longTermKey: .zero), .commandDisallowed
            ),
            (
                LERemoteConnectionParameterRequestNegativeReply(connectionHandle: handle), .commandDisallowed
            ),
            (
                LESetDataLength(connectionHandle: handle, transmitOctets: 26, transmitTime: Microseconds(328)),
                .invalidCommandParameters
            ),
            (
                LEConnectionUpdate(
                    connectionHandle: handle, minimumConnectionInterval: ConnectionInterval(41),
                    maximumConnectionInterval: ConnectionInterval(40), supervisionTimeout: SupervisionTimeout(100)),
                .invalidCommandParameters
            ),
            (SetControllerToHostFlowControl(flowControlEnable: 1), .commandDisallowed),
            (
                LESetPHY(
                    connectionHandle: handle, transmitPHYs: [.oneMegabit, .coded], receivePHYs: .oneMegabit),
                .unsupportedFeatureOrParameterValue
            ),
            (LEReceiverTest(channel: 0), .commandDisallowed),
            (VendorWriteBDADDR(address: Bench.address(7)), .commandDisallowed),
        ]
        for (command, status) in cases { #expect(bench.send(command, pair.peripheral) == status, "\(command)") }
    }
}
