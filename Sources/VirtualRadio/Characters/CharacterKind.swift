// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// A kind of character: a name, the values that it takes, and the deviations of its controllers.
///
/// A new kind is a row of `all`, a row in docs/virtual-air.md with the controllers that do so, and a test in
/// `CharacterTests`.
///
///     CharacterKind("strict-random") { _ in
///         [.refuses([LESetRandomAddress.opcode], .commandDisallowed, .whileAnAddressIsInUse)]
///     }
struct CharacterKind: Sendable {
    let name: String
    let parameters: [CharacterParameter]
    /// Whether it can begin or end while the controller is on the air.
    private(set) var takesPeriod = true
    let deviations: @Sendable (CharacterValues) -> [Deviation]

    private init(
        _ name: String, _ parameters: CharacterParameter...,
        deviations: @escaping @Sendable (CharacterValues) -> [Deviation]
    ) {
        self.name = name
        self.parameters = parameters
        self.deviations = deviations
    }

    /// The same kind without periods.
    private func fromTheStart() -> CharacterKind {
        var kind = self
        kind.takesPeriod = false
        return kind
    }
}

// MARK: - The table

extension CharacterKind {
    /// The name of controllers for BR/EDR and LE.
    static let dualMode = "dual-mode"

    /// All kinds.
    static let all: [CharacterKind] = ofCapabilities + ofCommands + ofEvents

    /// Kinds that concern what the controller has, or says that it has.
    private static let ofCapabilities: [CharacterKind] = [
        CharacterKind(dualMode) { _ in [Deviation(hasClassicRadio: true)] }.fromTheStart(),
        CharacterKind("legacy-5.0") { _ in
            Deviation.lacks(extended.union([LEReadTransmitPower.opcode, LEReadBufferSizeV2.opcode])) + [
                .version(.core50), .features(removing: .extendedAdvertising),
                .refuses([LESetAdvertisingParameters.opcode], .invalidCommandParameters, nonConnectableBelow100ms),
            ]
        },
        CharacterKind("sets", .number(of: "sets", in: 1...64)) { values in
            [
                .answers(LEReadNumberOfSupportedAdvertisingSets.self) { _ in
                    .init(supportedAdvertisingSets: UInt8(values.count))
                },
                .refuses(
                    [LESetExtendedAdvertisingParameters.opcode], .memoryCapacityExceeded,
                    .newHandle(beyond: values.count)),
            ]
        },
        CharacterKind("low-handles", .number(of: "sets", in: 1...64)) { values in
            [
                .answers(LEReadNumberOfSupportedAdvertisingSets.self) { _ in
                    .init(supportedAdvertisingSets: UInt8(values.count))
                },
                .refuses(withHandle, .invalidCommandParameters, .handle(from: values.count)),
            ]
        },
        CharacterKind("mixing", .choice(["counted", "uncounted"])) { values in
            let queries: Set = [
                LEReadMaximumAdvertisingDataLength.opcode, LEReadNumberOfSupportedAdvertisingSets.opcode,
            ]
            return Deviation.lacks([LEReadTransmitPower.opcode])
                + (values.choice == "uncounted" ? [.doesNotCount(queries)] : [])
        },
        CharacterKind("feature-lies", .choice(["no-feature", "no-commands"])) { values in
            guard values.choice == "no-feature" else { return [.supportedCommands(removing: extendedAdvertising)] }
            return Deviation.lacks(extended.subtracting(extendedAdvertising)) + [
                .features(removing: .extendedAdvertising), .refuses(extendedAdvertising, .unknownCommand),
            ]
        },
        CharacterKind("ats2851") { _ in
            let claimed: Set = [
                LEReadTransmitPower.opcode, LESetExtendedScanParameters.opcode, LESetExtendedScanEnable.opcode,
                LESetResolvablePrivateAddressTimeout.opcode, LEExtendedCreateConnection.opcode,
            ]
            // Linux uses legacy scans and connections on it, beside extended advertising (btusb.c).
            let legacy: Set = [LESetScanParameters.opcode, LESetScanEnable.opcode, LECreateConnection.opcode]
            return [
                .version(.core53), .supportedCommands(adding: claimed), .refuses(claimed, .unknownCommand),
                .doesNotCount(legacy),
            ]
        },
        CharacterKind("le-only") { _ in
            Deviation.lacks([
                WriteLocalName.opcode, ReadLocalName.opcode, ReadLEHostSupport.opcode, WriteLEHostSupport.opcode,
                ReadLocalExtendedFeatures.opcode, ReadBufferSize.opcode,
            ]) + [.answers(ReadLocalSupportedFeatures.self) { _ in .init(lmpFeatures: [.noClassicRadio, .lowEnergy]) }]
        },
        CharacterKind("no-address") { _ in [.answers(ReadBDADDR.self) { _ in .init(address: .zero) }] },
        CharacterKind("same-address") { _ in
            [Deviation(publicAddress: BluetoothAddress(octets: [0x00, 0x1A, 0x7D, 0xDA, 0x71, 0x13]))]
        },
        CharacterKind("power", .choice(["nearest", "fixed", "unknown"])) { values in selectsPower(values.choice) },
    ]

    /// Kinds that concern the answers to commands.
    private static let ofCommands: [CharacterKind] = [
        CharacterKind("silent", .opcode()) { values in [.ignores(values.opcode)] },
        CharacterKind(
            "hung", .number(of: "commands", in: 0...1_000_000), .choice(Hang.Ending.allCases.map(\.rawValue))
        ) { values in
            [.hangs(after: values.count, Hang.Ending(rawValue: values.choice) ?? .never)]
        },
        CharacterKind("slow", .number(of: "milliseconds", in: 1...60_000), .opcode(isOptional: true)) { values in
            [.isLate(by: AirTime(values.count) * 1000, only: values.opcode)]
        },
        CharacterKind("busy", .choice(["0x3A", "0x0C"])) { values in
            let status: HCIStatus = values.choice == "0x3A" ? .controllerBusy : .commandDisallowed
            return [
                .refuses(advertisingSettings, status), .refuses(advertisingEnabling, status, .enabling),
            ]
        },
        CharacterKind("states") { _ in
            let states: [UInt64] = [18, 19, 20, 21, 35, 38]
            let missing = LESupportedStates(rawValue: states.reduce(0) { $0 | 1 << $1 })
            return [
                .answers(LEReadSupportedStates.self) { .init(states: $0.states.subtracting(missing)) },
                .refuses(advertisingEnabling, .commandDisallowed, .enabling && .whileLinked),
            ]
        },
        CharacterKind("scan-busy") { _ in
            [
                .refuses([LESetExtendedScanParameters.opcode], .commandDisallowed, .whileLinked),
                .refuses([LESetExtendedScanEnable.opcode], .commandDisallowed, .enabling && .whileLinked),
            ]
        },
        CharacterKind("strict-random") { _ in
            [.refuses([LESetRandomAddress.opcode], .commandDisallowed, .whileAnAddressIsInUse)]
        },
        CharacterKind("disable-first") { _ in
            [.refuses([LESetExtendedAdvertisingParameters.opcode], .commandDisallowed, .setEndedByConnection)]
        },
    ]

    /// Kinds that concern events, and advertising on the air.
    private static let ofEvents: [CharacterKind] = [
        CharacterKind("late-terminated", .number(of: "milliseconds", in: 1...60_000, default: 600)) { values in
            [
                .delays(LEAdvertisingSetTerminated.self, by: AirTime(values.count) * 1000) { $0.status == .success }
            ]
        },
        CharacterKind("early-terminated") { _ in
            [
                .delays(LEConnectionComplete.self, by: 0) { $0.role == .peripheral },
                .delays(LEEnhancedConnectionComplete.self, by: 0) { $0.role == .peripheral },
            ]
        },
        CharacterKind("no-terminated") { _ in
            [.omits(LEAdvertisingSetTerminated.self) { $0.status == .success }]
        },
        CharacterKind("terminated-0x44") { _ in
            [.precedes(LESetExtendedAdvertisingEnable.self, with: terminationsByHost)]
        },
        CharacterKind("air-interval", .factor(0.1...100)) { values in [Deviation(intervalFactor: values.number)] },
    ]
}

// MARK: - Commands and conditions of rows

private let extendedAdvertising = Set(CommandTable.extendedAdvertisingCommands.map(\.opcode))

/// Extended advertising, scanning and initiating.
private let extended = extendedAdvertising.union([
    LESetExtendedScanParameters.opcode, LESetExtendedScanEnable.opcode, LEExtendedCreateConnection.opcode,
])

/// Commands whose first parameter is an advertising handle.
private let withHandle: Set = [
    LESetAdvertisingSetRandomAddress.opcode, LESetExtendedAdvertisingParameters.opcode,
    LESetExtendedAdvertisingData.opcode, LESetExtendedScanResponseData.opcode, LERemoveAdvertisingSet.opcode,
]

/// Parameters and data of advertising, legacy and extended.
private let advertisingSettings: Set = [
    LESetAdvertisingParameters.opcode, LESetAdvertisingData.opcode, LESetScanResponseData.opcode,
    LESetAdvertisingSetRandomAddress.opcode, LESetExtendedAdvertisingParameters.opcode,
    LESetExtendedAdvertisingData.opcode, LESetExtendedScanResponseData.opcode,
]

private let advertisingEnabling: Set = [LESetAdvertisingEnable.opcode, LESetExtendedAdvertisingEnable.opcode]

/// Scannable and non-connectable advertising below the limit of Bluetooth 4 (Core 4.2, Vol 2, Part E, 7.8.5).
private let nonConnectableBelow100ms = Condition.parameters(of: LESetAdvertisingParameters.self) { command in
    [AdvertisingType.scannableUndirected, .nonConnectableUndirected].contains(command.advertisingType)
        && command.minimumInterval < AdvertisingInterval(160)
}

/// The events about sets that the host disables: they were cancelled by the host.
private let terminationsByHost: @Sendable (LESetExtendedAdvertisingEnable, ControllerStates) -> [any LEMetaEvent] = {
    command, activity in
    guard command.enable == 0 else { return [] }
    let handles = Set(command.sets.map(\.advertisingHandle))
    return activity.sets.filter { $0.isEnabled && (handles.isEmpty || handles.contains($0.handle)) }
        .map { LEAdvertisingSetTerminated(status: .operationCancelledByHost, advertisingHandle: $0.handle) }
}

/// How a controller selects the power of an advertising set that the host gives a power.
private func selectsPower(_ choice: String) -> [Deviation] {
    let range: ClosedRange<Int8> = choice == "fixed" ? 0...0 : -34...7
    let changes = Deviation.changes(LESetExtendedAdvertisingParameters.self) { command in
        let asked = command.transmitPower.decibelMilliwatts
        guard Capabilities.transmitPowers.contains(asked), !range.contains(asked) else { return nil }
        return command.with(transmitPower: TransmitPower(min(max(asked, range.lowerBound), range.upperBound)))
    }
    switch choice {
    case "nearest":
        return [
            changes,
            .answers(LEReadTransmitPower.self) { _ in
                .init(
                    minimumTransmitPower: TransmitPower(range.lowerBound),
                    maximumTransmitPower: TransmitPower(range.upperBound))
            },
        ]
    case "fixed": return [changes]
    default:
        return [.answers(LESetExtendedAdvertisingParameters.self) { _ in .init(selectedTransmitPower: .unspecified) }]
    }
}

extension LESetExtendedAdvertisingParameters {
    fileprivate func with(transmitPower: TransmitPower) -> LESetExtendedAdvertisingParameters {
        LESetExtendedAdvertisingParameters(
            advertisingHandle: advertisingHandle, properties: properties, minimumInterval: minimumInterval,
            maximumInterval: maximumInterval, channelMap: channelMap, ownAddressType: ownAddressType,
            peerAddressType: peerAddressType, peerAddress: peerAddress, filterPolicy: filterPolicy,
            transmitPower: transmitPower, primaryPHY: primaryPHY, secondaryMaximumSkip: secondaryMaximumSkip,
            secondaryPHY: secondaryPHY, advertisingSetIdentifier: advertisingSetIdentifier,
            scanRequestNotificationEnable: scanRequestNotificationEnable)
    }
}

extension Deviation {
    /// Read Local Version Information returns another version of the specification.
    fileprivate static func version(_ version: CoreVersion) -> Deviation {
        answers(ReadLocalVersionInformation.self) { returned in
            .init(
                hciVersion: version, hciSubversion: returned.hciSubversion, lmpVersion: version,
                companyIdentifier: returned.companyIdentifier, lmpSubversion: returned.lmpSubversion)
        }
    }
}
