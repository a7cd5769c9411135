// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Space

/// What the emulated controllers support.
enum Capabilities {
    /// ACL data packets that a host may have in flight.
    static let bufferCount = 16
    /// Data bytes in an ACL packet.
    static let bufferLength = 251
    static let acceptListLimit = 64
    static let setLimit = 64
    static let connectionLimit = 32

    static let version = CoreVersion.core54
    /// The company identifier that the Assigned Numbers reserve for unreleased devices.
    static let company = VendorSetPosition.company
    static let subversion = VendorSetPosition.subversion
    static let transmitPowers: ClosedRange<Int8> = -127...20
    /// No BR/EDR, LE, and further pages of features (Core 5.4, Vol 2, Part C, 3.3).
    static let lowEnergyLinkManager: LMPFeatures = [.noClassicRadio, .lowEnergy, .furtherPages]
    /// BR/EDR and LE. Secure Connections are not among them.
    static let dualModeLinkManager: LMPFeatures = [
        .encryption, .enhancedInquiryScan, .interlacedInquiryScan, .interlacedPageScan, .inquiryResultsWithRSSI,
        .lowEnergy, .pauseEncryption, .extendedInquiryResponse, .simultaneousRadios, .simplePairing, .encapsulatedPDU,
        .erroneousDataReporting, .variableInquiryPower, .furtherPages,
    ]
    static let features: LEFeatures = [
        .encryption, .connectionParametersRequest, .extendedReject, .peripheralInitiatedFeaturesExchange,
        .dataPacketLengthExtension, .extendedScanningFilterPolicies, .twoMegabitPHY, .extendedAdvertising,
        .channelSelectionAlgorithm2,
    ]
}

/// Whether the host of a controller uses legacy or extended commands for advertising, scanning and initiating since the
/// reset; they do not mix (Core 5.4, Vol 4, Part E, 3.1.1).
enum CommandStyle: Sendable {
    case undecided
    case legacy
    case extended
}

/// The emulated controllers: identity, settings of the host, and packets for the host.
struct Controllers: Sendable {
    private var controllers: [Controller] = []
    /// The characters of those that have one.
    var characters = Characters()
    private var free: [Int] = []
    /// Controllers that were given output since the last `takeControllersWithOutput()`.
    private var announced: [Int] = []
    private let reportLimit: Int
    private let packetLimit: Int
    /// The number of reports that were queued.
    private var queuedReports: UInt64 = 0
    /// The number of reports that were dropped, of removed controllers.
    private var formerDroppedReports: UInt64 = 0

    /// - Parameters:
    ///   - reportLimit: advertising reports queued for a host; beyond it the oldest is dropped.
    ///   - packetLimit: other packets queued for a host; beyond it the controller accepts no input.
    init(reportLimit: Int, packetLimit: Int) {
        self.reportLimit = reportLimit
        self.packetLimit = packetLimit
    }

    /// Accesses a controller in place.
    fileprivate subscript(index: Int) -> Controller {
        _read { yield controllers[index] }
        _modify { yield &controllers[index] }
    }

    // MARK: - Presence

    mutating func add(_ configuration: ControllerConfiguration) -> ControllerIdentifier {
        let identifier = insert(configuration)
        characters.add(configuration.character, to: identifier.index)
        return identifier
    }

    private mutating func insert(_ configuration: ControllerConfiguration) -> ControllerIdentifier {
        guard let index = free.popLast() else {
            controllers.append(Controller(configuration, generation: 0))
            return ControllerIdentifier(index: controllers.count - 1, generation: 0)
        }
        let generation = controllers[index].generation &+ 1
        controllers[index] = Controller(configuration, generation: generation)
        return ControllerIdentifier(index: index, generation: generation)
    }

    mutating func remove(_ index: Int) {
        controllers[index].isPresent = false
        formerDroppedReports += controllers[index].outbox.droppedReports
        controllers[index].outbox = Outbox()
        characters.remove(from: index)
        free.append(index)
    }

    /// The index of a controller that is still present.
    func index(of identifier: ControllerIdentifier) -> Int? {
        guard controllers.indices.contains(identifier.index) else { return nil }
        guard controllers[identifier.index].isPresent,
            controllers[identifier.index].generation == identifier.generation
        else { return nil }
        return identifier.index
    }

    /// Restores the settings of a reset; queued packets stay.
    mutating func reset(_ index: Int) {
        controllers[index].settings = HostSettings()
        characters.reset(index)
    }

    // MARK: - Addresses and settings

    /// Whether a controller is for BR/EDR and LE.
    func isDualMode(_ index: Int) -> Bool { controllers[index].isDualMode }
    func commands(of index: Int) -> CommandTable { controllers[index].isDualMode ? .dualMode : .lowEnergy }
    /// The features of a controller's link manager.
    func linkManager(of index: Int) -> LMPFeatures {
        controllers[index].isDualMode ? Capabilities.dualModeLinkManager : Capabilities.lowEnergyLinkManager
    }
    func publicAddress(of index: Int) -> PackedAddress { controllers[index].publicAddress }
    func randomAddress(of index: Int) -> PackedAddress? { controllers[index].settings.randomAddress }
    /// The address that a controller scans or initiates with; `nil` if the host has not set it.
    func ownAddress(of index: Int, isRandom: Bool) -> PackedAddress? {
        isRandom ? controllers[index].settings.randomAddress : controllers[index].publicAddress
    }
    /// In dBm.
    func defaultTransmitPower(of index: Int) -> Int8 { controllers[index].defaultTransmitPower }
    /// Whether an address is on the filter accept list of a controller.
    func accepts(_ address: PackedAddress, on index: Int) -> Bool {
        controllers[index].settings.acceptList.contains(address)
    }
    /// The preferred data length of new connections.
    func suggestedDataLength(of index: Int) -> DataLength { controllers[index].settings.suggestedDataLength }
    /// The preferred PHYs of new connections.
    func preferredPHYs(of index: Int) -> PreferredPHYs { controllers[index].settings.preferredPHYs }
    /// The channels of a central's connections: those that the host has not classified as bad, at least two (Core 5.4, Vol 6,
    /// Part B, 4.5.8.1).
    func usedChannels(of central: Int) -> UInt64 {
        let map = controllers[central].settings.channelMap
        guard map.nonzeroBitCount < 2 else { return map }
        return map | (map == 1 ? 2 : 1)
    }

    /// Settles the command style of a controller at its first command of a style.
    mutating func settleStyle(_ style: CommandStyle, of index: Int) throws(HCIStatus) {
        let settled = controllers[index].settings.commandStyle
        guard settled == .undecided || settled == style else { throw .commandDisallowed }
        controllers[index].settings.commandStyle = style
    }

    // MARK: - Packets for the hosts

    /// Whether a controller accepts input: the queue for its host is not full.
    func hasRoom(_ index: Int) -> Bool {
        controllers[index].outbox.undroppableCount + characters.heldCount(of: index) < packetLimit
    }

    /// The number of reports that were queued for hosts, and of those that were dropped since.
    var reports: (queued: UInt64, dropped: UInt64) {
        (queuedReports, controllers.reduce(formerDroppedReports) { $0 + $1.outbox.droppedReports })
    }

    func droppedReports(of index: Int) -> UInt64 { controllers[index].outbox.droppedReports }

    /// Records that a link waits for room in the queue of a controller.
    mutating func awaitRoom(of index: Int) { controllers[index].isAwaited = true }

    /// Whether a link waits for room and there is some now; the record is cleared in that case.
    mutating func takeAwaitedRoom(of index: Int) -> Bool {
        guard controllers[index].isAwaited, hasRoom(index) else { return false }
        controllers[index].isAwaited = false
        return true
    }

    /// Takes the next packet for a host.
    /// - Parameter isBusy: whether more packets are expected soon.
    mutating func takeOutput(of index: Int, isBusy: Bool) -> HCIPacket? {
        controllers[index].outbox.popFirst(isBusy: isBusy)
    }

    mutating func takeControllersWithOutput() -> [ControllerIdentifier] {
        guard !announced.isEmpty else { return [] }
        var identifiers: [ControllerIdentifier] = []
        identifiers.reserveCapacity(announced.count)
        for index in announced where controllers[index].isAnnounced {
            controllers[index].isAnnounced = false
            let generation = controllers[index].generation
            if controllers[index].isPresent {
                identifiers.append(ControllerIdentifier(index: index, generation: generation))
            }
        }
        announced.removeAll(keepingCapacity: true)
        return identifiers
    }

    /// Queues a packet for a host, or the events that the character of the controller has in its place.
    mutating func send(_ packet: HCIPacket, to index: Int) {
        guard characters.contains(index), case .event(let event) = packet else { return queue(packet, to: index) }
        for event in characters.replace(event, of: index) { queue(.event(event), to: index) }
    }

    /// Queues a packet for a host.
    mutating func queue(_ packet: HCIPacket, to index: Int) {
        controllers[index].outbox.append(packet)
        announce(index)
    }

    /// Queues an advertising report for a host.
    mutating func sendReport(_ parameters: [UInt8], to index: Int) {
        let event = HCIEventPacket(code: HCIEventPacket.lowEnergyMetaCode, parameters: parameters)
        controllers[index].outbox.appendReport(event, limit: reportLimit)
        queuedReports += 1
        announce(index)
    }

    private mutating func announce(_ index: Int) {
        guard !controllers[index].isAnnounced else { return }
        controllers[index].isAnnounced = true
        announced.append(index)
    }

    /// Whether the host of a controller has enabled an LE event.
    func allows<Event: LEMetaEvent>(_: Event.Type, to index: Int) -> Bool {
        controllers[index].settings.masks.allows(lowEnergy: Event.subeventCode)
    }

    /// Queues an event for a host that has enabled it.
    mutating func emit<Event: HCIEvent>(_ event: Event, to index: Int) {
        guard controllers[index].settings.masks.allows(event: Event.eventCode) else { return }
        send(.event(HCIEventPacket(event)), to: index)
    }

    /// Queues an LE event for a host that has enabled it.
    mutating func emit<Event: LEMetaEvent>(_ event: Event, to index: Int) {
        guard controllers[index].settings.masks.allows(lowEnergy: Event.subeventCode) else { return }
        send(.event(HCIEventPacket(event)), to: index)
    }
}

/// One emulated controller.
private struct Controller: Sendable {
    let generation: UInt32
    var isPresent = true
    var publicAddress: PackedAddress
    let defaultTransmitPower: Int8
    /// Whether it is for BR/EDR and LE.
    let isDualMode: Bool
    var outbox = Outbox()
    /// Whether it is in the list of controllers with output.
    var isAnnounced = false
    /// Whether a link waits for room in its outbox.
    var isAwaited = false
    var settings = HostSettings()

    init(_ configuration: ControllerConfiguration, generation: UInt32) {
        self.generation = generation
        publicAddress = PackedAddress(configuration.publicAddress, type: 0)
        defaultTransmitPower = configuration.transmitPower.decibelMilliwatts
        isDualMode = configuration.character.hasClassicRadio
    }
}

/// Settings of a host that a reset restores.
private struct HostSettings: Sendable {
    var masks = EventMasks()
    var commandStyle = CommandStyle.undecided
    var randomAddress: PackedAddress?
    var suggestedDataLength = DataLength.initial
    var preferredPHYs = PreferredPHYs()
    var supportsLowEnergy = false
    /// Channels that the host has not classified as bad (Core 5.4, Vol 4, Part E, 7.8.19).
    var channelMap: UInt64 = 0x1F_FFFF_FFFF
    var acceptList: [PackedAddress] = []
    var localName: [UInt8] = []
}

/// The events that a host has enabled (Core 5.4, Vol 4, Part E, 7.3.1 and 7.8.1).
private struct EventMasks: Hashable, Sendable {
    var events = EventMask.initial
    var lowEnergyEvents = LEEventMask.initial

    /// Events that cannot be disabled.
    private static let unmaskable: EventMask = [
        EventMask(eventCode: HCICommandComplete.eventCode), EventMask(eventCode: CommandStatus.eventCode),
        EventMask(eventCode: NumberOfCompletedPackets.eventCode),
    ]

    func allows(event code: UInt8) -> Bool {
        !events.union(Self.unmaskable).isDisjoint(with: EventMask(eventCode: code))
    }

    func allows(lowEnergy subevent: UInt8) -> Bool {
        // By their bits: operations of option sets are not inlined here, and each report asks (hot path).
        events.rawValue & Self.lowEnergyMeta != 0
            && lowEnergyEvents.rawValue & LEEventMask(subeventCode: subevent).rawValue != 0
    }

    private static let lowEnergyMeta = EventMask.lowEnergyMeta.rawValue
}

// MARK: - Commands

extension CommandTable {
    /// Controller and baseband commands (Core 5.4, Vol 4, Part E, 7.3).
    static var controllerCommands: [CommandHandler] {
        [
            .completing(HCIReset.self) { air, controller, _ in air.reset(controller) },
            .completing(SetEventMask.self) { air, controller, command in
                air.context.controllers[controller].settings.masks.events = command.eventMask
            },
            // The emulated controllers send no events of the second page.
            .completing(SetEventMaskPage2.self) { _, _, _ in },
            .completing(WriteLocalName.self) { air, controller, command in
                let end = command.localName.bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
                air.context.controllers[controller].settings.localName = Array(command.localName.bytes[..<end])
            },
            .returning(ReadLocalName.self) { air, controller, _ in
                .init(localName: Octets(padding: air.context.controllers[controller].settings.localName))
            },
            .completing(WriteLEHostSupport.self) { air, controller, command throws(HCIStatus) in
                guard command.supportedHost <= 1 else { throw .invalidCommandParameters }
                air.context.controllers[controller].settings.supportsLowEnergy = command.supportedHost == 1
            },
            .returning(ReadLEHostSupport.self) { air, controller, _ in
                .init(supportedHost: air.context.controllers[controller].settings.supportsLowEnergy ? 1 : 0)
            },
            // A vendor command, as in Zephyr's controller: at once, not while the address is in use, and across resets.
            .completing(VendorWriteBDADDR.self) { air, controller, command throws(HCIStatus) in
                guard command.address.isOfDevice else { throw .invalidCommandParameters }
                guard air.isIdle(controller) else { throw .commandDisallowed }
                air.context.controllers[controller].publicAddress = PackedAddress(command.address, type: 0)
            },
            // A vendor command of ours: at once, at any time, and across resets.
            .completing(VendorSetPosition.self) { air, controller, command throws(HCIStatus) in
                let limits = Int32(-10_000_000)...10_000_000
                guard [command.x, command.y, command.z].allSatisfy(limits.contains) else {
                    throw .invalidCommandParameters
                }
                air.medium.setMotion(.rest(command.position), of: controller)
            },
        ]
    }

    /// Informational parameters (Core 5.4, Vol 4, Part E, 7.4).
    static var informationCommands: [CommandHandler] {
        [
            .returning(ReadLocalVersionInformation.self) { _, _, _ in
                .init(
                    hciVersion: Capabilities.version, hciSubversion: Capabilities.subversion,
                    lmpVersion: Capabilities.version, companyIdentifier: Capabilities.company,
                    lmpSubversion: Capabilities.subversion)
            },
            .returning(ReadLocalSupportedCommands.self) { air, controller, _ in
                .init(supportedCommands: air.context.controllers.commands(of: controller).supported)
            },
            .returning(ReadLocalSupportedFeatures.self) { air, controller, _ in
                .init(lmpFeatures: air.context.controllers.linkManager(of: controller))
            },
            .returning(ReadLocalExtendedFeatures.self) { air, controller, command throws(HCIStatus) in
                guard command.pageNumber <= 1 else { throw .invalidCommandParameters }
                // Bits 0 and 1 of page 1: the host supports Secure Simple Pairing and LE (Core 5.4, Vol 2, Part C, 3.3).
                let hostFeatures: UInt64 =
                    (air.classic[controller].simplePairing == .on ? 0x01 : 0)
                    | (air.context.controllers[controller].settings.supportsLowEnergy ? 0x02 : 0)
                let features =
                    command.pageNumber == 0
                    ? air.context.controllers.linkManager(of: controller).rawValue : hostFeatures
                return .init(pageNumber: command.pageNumber, maximumPageNumber: 1, extendedLMPFeatures: features)
            },
            .returning(ReadBufferSize.self) { _, _, _ in
                .init(
                    aclDataPacketLength: UInt16(Capabilities.bufferLength), synchronousDataPacketLength: 0,
                    totalACLDataPackets: UInt16(Capabilities.bufferCount), totalSynchronousDataPackets: 0)
            },
            .returning(ReadBDADDR.self) { air, controller, _ in
                .init(address: air.context.controllers.publicAddress(of: controller).address)
            },
            .returning(LEReadBufferSize.self) { _, _, _ in
                .init(
                    aclDataPacketLength: UInt16(Capabilities.bufferLength),
                    totalACLDataPackets: UInt8(Capabilities.bufferCount))
            },
            .returning(LEReadBufferSizeV2.self) { _, _, _ in
                .init(
                    aclDataPacketLength: UInt16(Capabilities.bufferLength),
                    totalACLDataPackets: UInt8(Capabilities.bufferCount), isochronousDataPacketLength: 0,
                    totalIsochronousDataPackets: 0)
            },
            .returning(LEReadLocalSupportedFeatures.self) { _, _, _ in .init(features: Capabilities.features) },
            .returning(LEReadSupportedStates.self) { _, _, _ in .init(states: .all) },
            .returning(LEReadTransmitPower.self) { _, _, _ in
                .init(
                    minimumTransmitPower: TransmitPower(Capabilities.transmitPowers.lowerBound),
                    maximumTransmitPower: TransmitPower(Capabilities.transmitPowers.upperBound))
            },
            .returning(LEReadMaximumDataLength.self) { _, _, _ in
                let octets = DataLength.supported.octets
                let time = Microseconds(UInt32(DataLength.supported.time))
                return .init(
                    supportedMaximumTransmitOctets: octets, supportedMaximumTransmitTime: time,
                    supportedMaximumReceiveOctets: octets, supportedMaximumReceiveTime: time)
            },
        ]
    }

    /// Settings of LE (Core 5.4, Vol 4, Part E, 7.8).
    static var lowEnergyCommands: [CommandHandler] {
        [
            .completing(LESetEventMask.self) { air, controller, command in
                air.context.controllers[controller].settings.masks.lowEnergyEvents = command.eventMask
            },
            .completing(LESetRandomAddress.self) { air, controller, command throws(HCIStatus) in
                guard !air.advertising.isLegacySetEnabled(controller), !air.scanners.isScanning(controller),
                    !air.initiators.isInitiating(controller)
                else { throw .commandDisallowed }
                air.context.controllers[controller].settings.randomAddress = PackedAddress(
                    command.randomAddress, type: 1)
            },
            .completing(LESetHostChannelClassification.self) { air, controller, command throws(HCIStatus) in
                let map = command.channelMap.bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                guard map != 0, map >> 37 == 0 else { throw .invalidCommandParameters }
                air.context.controllers[controller].settings.channelMap = map
            },
            .returning(LEReadSuggestedDefaultDataLength.self) { air, controller, _ in
                let suggested = air.context.controllers.suggestedDataLength(of: controller)
                return .init(
                    suggestedMaximumTransmitOctets: suggested.octets,
                    suggestedMaximumTransmitTime: Microseconds(UInt32(suggested.time)))
            },
            .completing(LEWriteSuggestedDefaultDataLength.self) { air, controller, command throws(HCIStatus) in
                air.context.controllers[controller].settings.suggestedDataLength = try DataLength(
                    checking: command.suggestedMaximumTransmitOctets, command.suggestedMaximumTransmitTime)
            },
            .completing(LESetDefaultPHY.self) { air, controller, command throws(HCIStatus) in
                air.context.controllers[controller].settings.preferredPHYs = try PreferredPHYs(
                    command.allPHYs, transmit: command.transmitPHYs, receive: command.receivePHYs)
            },
        ]
    }

    /// The filter accept list (Core 5.4, Vol 4, Part E, 7.8.14 to 7.8.17).
    static var acceptListCommands: [CommandHandler] {
        [
            .returning(LEReadFilterAcceptListSize.self) { _, _, _ in
                .init(filterAcceptListSize: UInt8(Capabilities.acceptListLimit))
            },
            .completing(LEClearFilterAcceptList.self) { air, controller, _ throws(HCIStatus) in
                try checkAcceptListIsUnused(air, controller)
                air.context.controllers[controller].settings.acceptList = []
            },
            .completing(LEAddDeviceToFilterAcceptList.self) { air, controller, command throws(HCIStatus) in
                try checkAcceptListIsUnused(air, controller)
                let entry = try acceptListEntry(command.addressType, command.address)
                guard !air.context.controllers.accepts(entry, on: controller) else { return }
                guard air.context.controllers[controller].settings.acceptList.count < Capabilities.acceptListLimit
                else {
                    throw .memoryCapacityExceeded
                }
                air.context.controllers[controller].settings.acceptList.append(entry)
            },
            .completing(LERemoveDeviceFromFilterAcceptList.self) { air, controller, command throws(HCIStatus) in
                try checkAcceptListIsUnused(air, controller)
                let entry = try acceptListEntry(command.addressType, command.address)
                air.context.controllers[controller].settings.acceptList.removeAll { $0 == entry }
            },
        ]
    }

    /// The list must not change while advertising, scanning or initiating uses it.
    private static func checkAcceptListIsUnused(_ air: Air, _ controller: Int) throws(HCIStatus) {
        guard !air.advertising.usesAcceptList(controller), !air.scanners.usesAcceptList(controller),
            !air.initiators.usesAcceptList(controller)
        else { throw .commandDisallowed }
    }

    private static func acceptListEntry(
        _ type: AddressType, _ address: BluetoothAddress
    ) throws(HCIStatus) -> PackedAddress {
        switch type {
        case .public, .random: return PackedAddress(onAir: address, type: type)
        case .anonymous: return .anonymous
        default: throw .invalidCommandParameters
        }
    }
}
