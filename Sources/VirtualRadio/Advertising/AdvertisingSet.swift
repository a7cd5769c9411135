// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// An advertising set of a controller: the set of the legacy commands, or one of the extended commands.
///
/// A set is disabled, or enabled until its end, its last event, a connection or the host's command. Methods that take a
/// command check it completely before they change anything.
struct AdvertisingSet: Sendable {
    /// Bytes of advertising data that a set can hold, and of its scan response (Core 5.4, Vol 6, Part B, 2.3.4.9).
    static let dataLimit = 1650
    static let legacyDataLimit = 31
    /// Duration of high duty cycle directed advertising in microseconds (Core 5.4, Vol 6, Part B, 4.4.2.4.3).
    static let highDutyDuration: Int64 = 1_280_000
    /// Interval of high duty cycle directed advertising in microseconds.
    static let highDutyInterval: Int64 = 3_750
    /// Maximum of the pseudo-random delay added to each interval, in microseconds (Core 5.4, Vol 6, Part B, 4.4.2.2.1).
    static let delayLimit: Int64 = 10_000
    /// The time from the end of a PDU to the next PDU of its advertising event in microseconds, where packets collide: as
    /// most phones and beacons in the recordings of docs/physics.md have it. The specification allows 10 ms from start to
    /// start (Core 5.4, Vol 6, Part B, 4.4.2.2).
    static let pduGap: AirTime = 368
    /// The same after a PDU that nothing answers.
    static let unansweredPDUGap: AirTime = 160

    let controller: Int
    /// `nil` for the set of the legacy commands.
    let handle: UInt8?
    let timer: TimerIdentifier

    private(set) var properties: AdvertisingEventProperties = .legacyConnectable {
        didSet {
            isConnectable = properties.contains(.connectable)
            isHighDuty = properties.contains(.highDutyCycle)
            isLegacy = properties.contains(.legacy)
        }
    }
    // Flags of the properties, stored because each advertising event reads them: a call of `contains` copies the set.
    private(set) var isConnectable = true
    private(set) var isHighDuty = false
    private(set) var isLegacy = true
    /// Microseconds.
    private(set) var interval: Int64 = 1_280_000
    /// Channels 37, 38 and 39, one bit each.
    private(set) var channels: UInt8 = 0x07
    private(set) var filterPolicy: AdvertisingFilterPolicy = []
    private(set) var usesRandomAddress = false
    /// In dBm.
    private(set) var transmitPower: Int8
    private(set) var secondaryPHY: UInt8 = 1
    /// The Advertising_SID.
    private(set) var identifier: UInt8 = 0
    private(set) var notifiesScanRequests = false
    /// The random address of a set of the extended commands.
    private(set) var randomAddress: PackedAddress?
    /// The address since the set was enabled.
    private(set) var address = PackedAddress.anonymous
    /// The peer of directed advertising.
    private(set) var target = PackedAddress.anonymous
    private(set) var data: [UInt8] = []
    private(set) var scanResponse: [UInt8] = []
    /// The least time in microseconds between two events, because of the PDUs of a chain; 0 without a chain.
    private(set) var chainDuration: AirTime = 0
    private(set) var isEnabled = false
    /// Whether a connection ended it, and the host has neither enabled nor disabled it since.
    private(set) var endedByConnection = false
    /// When advertising ends.
    private(set) var end: AirTime = .never
    /// Events since the set was enabled; stays at 255.
    private(set) var completedEvents: UInt8 = 0
    /// The start of the last advertising event.
    private(set) var eventStart: AirTime = 0
    /// The PDU that is sent now, where packets collide: its channel, 0 to 2 for 37 to 39, and its start.
    private(set) var pdu: (channel: Int, start: AirTime)?

    /// Whether a first fragment of data was set and the last was not.
    private var dataIsIncomplete = false
    private var scanResponseIsIncomplete = false
    /// The Advertising_DID, 12 bits: changes with the data of extended PDUs, so that scanners report it again.
    private var dataIdentifier: UInt16 = 0
    /// The number of events after which advertising ends; 0 without a limit.
    private var maximumEvents: UInt8 = 0

    init(controller: Int, handle: UInt8?, timer: TimerIdentifier, transmitPower: Int8) {
        self.controller = controller
        self.handle = handle
        self.timer = timer
        self.transmitPower = transmitPower
    }

    /// Whether the limit of events is reached.
    var isExhausted: Bool { maximumEvents > 0 && completedEvents >= maximumEvents }

    /// The bytes of an ADV_EXT_IND with AdvDataInfo and AuxPtr, from preamble to check sum (Core 5.4, Vol 6, Part B, 2.3.4).
    static let extendedPDUSize = 17

    /// An advertising event of this set on the medium; where packets collide, the PDU that is sent now.
    ///
    /// A legacy PDU has a preamble, an access address, a header, the advertiser's address, data and a check sum: 1, 4, 2, 6,
    /// up to 31 and 3 bytes.
    var event: AdvertisingEvent {
        AdvertisingEvent(
            transmitter: controller, power: transmitPower, channels: pdu.map { 1 << UInt8($0.channel) } ?? channels,
            isLegacy: isLegacy, bits: bits, start: pdu?.start)
    }

    private var bits: Int { 8 * (isLegacy ? 16 + data.count : Self.extendedPDUSize) }

    /// The data of its advertisements or of its scan responses.
    func reportedData(isScanResponse: Bool) -> [UInt8] {
        if isScanResponse { return scanResponse }
        return properties.takesAdvertisingData ? data : []
    }

    /// How its data is divided among extended PDUs.
    func fragmentation(isScanResponse: Bool) -> AdvertisingFragmentation {
        AdvertisingFragmentation(properties, isScanResponse: isScanResponse)
    }

    /// Whether an advertisement with this data fits: a connectable extended one has no chain.
    private func fitsPDUs(_ octets: [UInt8]) -> Bool {
        isLegacy || !isConnectable || octets.count <= fragmentation(isScanResponse: false).limitOfOnePDU
    }

    private mutating func updateChainDuration() {
        guard !isLegacy else {
            chainDuration = 0
            return
        }
        chainDuration = max(
            fragmentation(isScanResponse: false).duration(of: data.count, phy: secondaryPHY),
            fragmentation(isScanResponse: true).duration(of: scanResponse.count, phy: secondaryPHY))
    }

    /// What distinguishes its advertisements from others of the same address.
    func seenAdvertisement(isScanResponse: Bool) -> SeenAdvertisement {
        var detail = UInt32(isScanResponse ? 0x18 : properties.rawValue & 0x17)
        if !isLegacy {
            detail |= 0x20 | UInt32(identifier) << 8 | UInt32(dataIdentifier & 0x0FFF) << 16
        }
        return SeenAdvertisement(address: address, detail: detail)
    }
}

// MARK: - Enabling

extension AdvertisingSet {
    /// Checks that the set can be enabled for a duration in microseconds; 0 is without a limit.
    func checkEnabling(duration: Int64) throws(HCIStatus) {
        guard !dataIsIncomplete, !scanResponseIsIncomplete else { throw .commandDisallowed }
        let needsResponse = properties.contains(.scannable) && !isLegacy
        guard !needsResponse || !scanResponse.isEmpty else { throw .commandDisallowed }
        guard fitsPDUs(data) else { throw .invalidCommandParameters }
        if isHighDuty {
            guard duration > 0, duration <= Self.highDutyDuration else { throw .invalidCommandParameters }
        }
    }

    /// Enables the set, or restarts its duration and its count of events.
    mutating func enable(address: PackedAddress, now: AirTime, duration: Int64, maximumEvents: UInt8) {
        isEnabled = true
        endedByConnection = false
        self.maximumEvents = maximumEvents
        completedEvents = 0
        self.address = address
        end = duration > 0 ? now + duration : .never
        if isHighDuty { end = min(end, now + Self.highDutyDuration) }
    }

    mutating func disable() {
        isEnabled = false
        endedByConnection = false
        pdu = nil
    }

    mutating func noteConnection() { endedByConnection = true }

    mutating func beginEvent(now: AirTime) {
        eventStart = now
        if completedEvents < .max { completedEvents += 1 }
    }

    /// Begins the next PDU of the event; `false` after the last.
    mutating func beginPDU() -> Bool {
        let next = pdu.map { $0.channel + 1 } ?? 0
        guard let channel = (next..<3).first(where: { channels & 1 << UInt8($0) != 0 }) else {
            pdu = nil
            return false
        }
        let gap = properties.isDisjoint(with: [.connectable, .scannable]) ? Self.unansweredPDUGap : Self.pduGap
        pdu = (channel, pdu.map { $0.start + AirTime(bits) + gap } ?? eventStart)
        return true
    }

    /// Disables the set and frees its data.
    mutating func discard() {
        disable()
        data = []
        scanResponse = []
    }
}

// MARK: - Parameters

extension AdvertisingSet {
    mutating func apply(_ command: LESetAdvertisingParameters) throws(HCIStatus) {
        guard !isEnabled else { throw .commandDisallowed }
        let types = AdvertisingEventProperties.ofLegacyTypes
        guard Int(command.advertisingType.rawValue) < types.count, command.ownAddressType.rawValue <= 3,
            command.peerAddressType.rawValue <= 1, command.filterPolicy.rawValue <= 3,
            !command.channelMap.isEmpty, command.channelMap.rawValue <= 7
        else { throw .invalidCommandParameters }
        // At high duty cycle the intervals are ignored.
        if command.advertisingType != .connectableDirectedHighDutyCycle {
            guard AdvertisingInterval.legacyRange.contains(command.minimumInterval),
                AdvertisingInterval.legacyRange.contains(command.maximumInterval),
                command.minimumInterval <= command.maximumInterval
            else { throw .invalidCommandParameters }
        }
        properties = types[Int(command.advertisingType.rawValue)]
        setInterval(command.minimumInterval)
        channels = command.channelMap.rawValue
        filterPolicy = command.filterPolicy
        usesRandomAddress = command.ownAddressType.isRandom
        target = PackedAddress(onAir: command.peerAddress, type: command.peerAddressType)
    }

    /// Checks the parameters of an extended set, apart from the state of the set.
    static func check(_ command: LESetExtendedAdvertisingParameters) throws(HCIStatus) {
        guard command.advertisingHandle <= 0xEF, command.properties.isValid, command.ownAddressType.rawValue <= 3,
            command.peerAddressType.rawValue <= 1, command.filterPolicy.rawValue <= 3,
            !command.channelMap.isEmpty, command.channelMap.rawValue <= 7, command.advertisingSetIdentifier <= 0x0F,
            command.scanRequestNotificationEnable <= 1
        else { throw .invalidCommandParameters }
        guard
            command.transmitPower == .unspecified
                || Capabilities.transmitPowers.contains(command.transmitPower.decibelMilliwatts)
        else { throw .invalidCommandParameters }
        if !command.properties.contains(.highDutyCycle) {
            guard command.minimumInterval >= AdvertisingInterval(0x20),
                command.minimumInterval <= command.maximumInterval
            else { throw .invalidCommandParameters }
        }
        guard command.properties.contains(.legacy) || 1...3 ~= command.secondaryPHY.rawValue else {
            throw .invalidCommandParameters
        }
        // LE Coded, which the specification allows for advertising, is not supported.
        guard command.primaryPHY != .coded, command.properties.contains(.legacy) || command.secondaryPHY != .coded
        else {
            throw .unsupportedFeatureOrParameterValue
        }
        guard command.primaryPHY == .oneMegabit else { throw .invalidCommandParameters }
    }

    /// Checks that parameters suit the state of the set.
    func checkState(for command: LESetExtendedAdvertisingParameters) throws(HCIStatus) {
        guard !isEnabled else { throw .commandDisallowed }
        let new = command.properties
        let limit = new.contains(.legacy) ? Self.legacyDataLimit : Self.dataLimit
        guard data.isEmpty || new.takesAdvertisingData, data.count <= limit,
            !new.takesScanResponseData || scanResponse.count <= limit
        else { throw .invalidCommandParameters }
    }

    /// Sets checked parameters.
    /// - Parameter defaultPower: in dBm, for a command that leaves the power to the controller.
    mutating func apply(_ command: LESetExtendedAdvertisingParameters, defaultPower: Int8) {
        properties = command.properties
        setInterval(command.minimumInterval)
        channels = command.channelMap.rawValue
        filterPolicy = command.filterPolicy
        usesRandomAddress = command.ownAddressType.isRandom
        target = PackedAddress(onAir: command.peerAddress, type: command.peerAddressType)
        secondaryPHY = command.secondaryPHY.rawValue
        identifier = command.advertisingSetIdentifier
        notifiesScanRequests = command.scanRequestNotificationEnable == 1
        transmitPower =
            command.transmitPower == .unspecified ? defaultPower : command.transmitPower.decibelMilliwatts
        updateChainDuration()
    }

    /// The random address of a set of the extended commands; an enabled set that is not connectable uses it at once.
    mutating func setRandomAddress(_ new: PackedAddress) throws(HCIStatus) {
        guard !isEnabled || !isConnectable else { throw .commandDisallowed }
        randomAddress = new
        if isEnabled, usesRandomAddress, !properties.contains(.anonymous) { address = new }
    }

    /// The shortest interval that the host allows, or the interval of high duty cycle.
    private mutating func setInterval(_ minimum: AdvertisingInterval) {
        interval = isHighDuty ? Self.highDutyInterval : Int64(minimum.count) * 625
    }
}

// MARK: - Data

extension AdvertisingSet {
    mutating func setLegacyData(_ octets: [UInt8]) { data = octets }
    mutating func setLegacyScanResponse(_ octets: [UInt8]) { scanResponse = octets }

    mutating func setData(_ operation: AdvertisingDataOperation, _ octets: [UInt8]) throws(HCIStatus) {
        guard properties.takesAdvertisingData else { throw .invalidCommandParameters }
        defer { updateChainDuration() }
        if operation == .unchanged {
            guard isEnabled, !data.isEmpty, octets.isEmpty, !isLegacy else {
                throw .invalidCommandParameters
            }
        } else {
            try checkOperation(operation, octets)
            try Self.assemble(&data, &dataIsIncomplete, operation, octets, limit: limit)
        }
        dataIdentifier &+= 1
        guard !isEnabled || fitsPDUs(data) else {
            data = []
            throw .packetTooLong
        }
    }

    mutating func setScanResponse(_ operation: AdvertisingDataOperation, _ octets: [UInt8]) throws(HCIStatus) {
        // Some hosts clear the scan response of sets that cannot have one.
        let clears = operation == .complete && octets.isEmpty
        guard properties.takesScanResponseData || clears else { throw .invalidCommandParameters }
        defer { updateChainDuration() }
        try checkOperation(operation, octets)
        guard !isEnabled || !clears || isLegacy || !properties.takesScanResponseData else {
            throw .commandDisallowed
        }
        try Self.assemble(&scanResponse, &scanResponseIsIncomplete, operation, octets, limit: limit)
        dataIdentifier &+= 1
    }

    private var limit: Int { isLegacy ? Self.legacyDataLimit : Self.dataLimit }

    private func checkOperation(_ operation: AdvertisingDataOperation, _ octets: [UInt8]) throws(HCIStatus) {
        guard operation.rawValue <= AdvertisingDataOperation.complete.rawValue else { throw .invalidCommandParameters }
        guard operation != .complete else { return }
        guard !octets.isEmpty, !isLegacy else { throw .invalidCommandParameters }
        guard !isEnabled else { throw .commandDisallowed }
    }

    /// Assembles fragments; data beyond the limit is discarded as a whole (Core 5.4, Vol 4, Part E, 7.8.54).
    private static func assemble(
        _ field: inout [UInt8], _ isIncomplete: inout Bool, _ operation: AdvertisingDataOperation, _ octets: [UInt8],
        limit: Int
    ) throws(HCIStatus) {
        let isFirst = operation == .complete || operation == .firstFragment
        guard isFirst || isIncomplete else { throw .commandDisallowed }
        let whole = isFirst ? octets : field + octets
        guard whole.count <= limit else {
            guard limit > legacyDataLimit else { throw .invalidCommandParameters }
            field = []
            isIncomplete = false
            throw .memoryCapacityExceeded
        }
        field = whole
        isIncomplete = operation == .firstFragment || operation == .intermediateFragment
    }
}

// MARK: - Properties

extension AdvertisingEventProperties {
    static let legacyDirectedHighDuty: Self = [.legacy, .connectable, .directed, .highDutyCycle]
    static let legacyDirectedLowDuty: Self = [.legacy, .connectable, .directed]

    /// The properties of the legacy advertising types, by their values (Core 5.4, Vol 4, Part E, 7.8.5).
    static let ofLegacyTypes: [Self] = [
        .legacyConnectable, .legacyDirectedHighDuty, .legacyScannable, .legacyNonConnectable, .legacyDirectedLowDuty,
    ]

    /// Whether there are PDUs with these properties (Core 5.4, Vol 4, Part E, 7.8.53).
    var isValid: Bool {
        guard rawValue & ~0x7F == 0 else { return false }
        if contains(.legacy) { return Self.ofLegacyTypes.contains(self) }
        if contains(.highDutyCycle) || isSuperset(of: [.connectable, .scannable]) { return false }
        return !contains(.anonymous) || isDisjoint(with: [.connectable, .scannable])
    }

    /// The event type of a legacy report (Core 5.4, Vol 4, Part E, 7.7.65.2).
    var reportType: AdvertisingReportType {
        if contains(.directed) { return .connectableDirected }
        if contains(.connectable) { return .connectableUndirected }
        return contains(.scannable) ? .scannableUndirected : .nonConnectableUndirected
    }

    /// The event type of an extended report of complete data that is not a scan response (Core 5.4, Vol 4, Part E,
    /// 7.7.65.13).
    var extendedEventType: ExtendedAdvertisingEventType { ExtendedAdvertisingEventType(rawValue: rawValue & 0x17) }

    /// Whether the PDUs have advertising data: directed legacy ones and scannable extended ones have none.
    var takesAdvertisingData: Bool { contains(.legacy) ? !contains(.directed) : !contains(.scannable) }
    /// Whether there are scan responses.
    var takesScanResponseData: Bool { contains(.scannable) }
}
