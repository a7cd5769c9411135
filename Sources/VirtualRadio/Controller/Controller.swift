// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// The state of one emulated controller; what it does on the air is in the air's arrays.
struct Controller: Sendable {
    /// Which commands for advertising, scanning and initiating its host uses since the reset; they do not mix
    /// (Core 5.4, Vol 4, Part E, 3.1.1).
    enum CommandStyle: Sendable {
        case undecided
        case legacy
        case extended
    }

    /// Packets of data that a host may have on their way.
    static let bufferCount = 16
    /// Octets of data in one of them.
    static let bufferLength = 251
    static let acceptListLimit = 64
    static let setLimit = 64
    static let connectionLimit = 32

    static let version = CoreVersion.core54
    /// The number that the Assigned Numbers keep for devices that are not products.
    static let company = CompanyIdentifier(0xFFFF)
    static let subversion: UInt16 = 1
    static let transmitPowers: ClosedRange<Int8> = -127...20
    /// No BR/EDR, LE, and further pages of features (Core 5.4, Vol 2, Part C, 3.3).
    static let classicFeatures: LMPFeatures = [.noClassicRadio, .lowEnergy, LMPFeatures(rawValue: 1 << 63)]
    /// What the emulation does.
    static let features: LEFeatures = [
        .encryption, .connectionParametersRequest, .extendedReject, .peripheralInitiatedFeaturesExchange,
        .dataPacketLengthExtension, .extendedScanningFilterPolicies, .twoMegabitPHY, .extendedAdvertising,
        .channelSelectionAlgorithm2,
    ]

    var generation: UInt32
    var isPresent = true
    var publicAddress: PackedAddress
    var position: Position?
    var strengthCorrection: Double
    var defaultTransmitPower: Int8

    var outbox = Outbox()
    /// Whether it is on the air's list of those with output.
    var isAnnounced = false
    /// Whether a link waits for room in its outbox.
    var isAwaited = false

    var host = HostState()

    init(_ configuration: ControllerConfiguration, generation: UInt32) {
        self.generation = generation
        publicAddress = PackedAddress(configuration.publicAddress, type: 0)
        position = configuration.position
        strengthCorrection = configuration.strengthCorrection
        defaultTransmitPower = configuration.transmitPower.decibelMilliwatts
    }
}

/// What a host has told its controller, and a reset takes back.
struct HostState: Sendable {
    var masks = EventMasks()
    var commandStyle = Controller.CommandStyle.undecided
    var randomAddress: PackedAddress?
    var suggestedDataLength = DataLength.initial
    /// Bit 0 for 1M, bit 1 for 2M.
    var transmitPHYs: UInt8 = 0x03
    var receivePHYs: UInt8 = 0x03
    var supportsLowEnergy = false
    var lastHandle: UInt16 = 0
    /// Channels that the host has not called bad (Core 5.4, Vol 4, Part E, 7.8.19).
    var channelMap: UInt64 = 0x1F_FFFF_FFFF
    var acceptList: [PackedAddress] = []
    /// Places in the air's array of sets.
    var sets: [Int32] = []
    /// Places in the air's array of links.
    var links: [Int32] = []
    var localName: [UInt8] = []
    var scan: ScanParameters?
    var scanTimer: TimerIdentifier?
    var flow = HostFlowControl()
    /// Of the key pair that the host asked for last.
    var secret: KeyAgreement.Secret?
    /// The direct test that runs.
    var test: DirectTest?
}

/// What the host can still take, when it counts (Core 5.4, Vol 4, Part E, 4.2).
struct HostFlowControl: Hashable, Sendable {
    var isOn = false
    var total: UInt16 = 0
    var used: UInt16 = 0

    /// Whether packets are counted: not before the host has said how many it takes.
    var isCounting: Bool { isOn && total > 0 }
    var hasRoom: Bool { !isCounting || used < total }
}
