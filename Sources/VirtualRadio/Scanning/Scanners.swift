// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// Identifies an advertisement for the duplicate filter (Core 5.4, Vol 6, Part B, 4.3.5).
struct SeenAdvertisement: Hashable, Sendable {
    let address: PackedAddress
    /// The type of the PDU; of extended PDUs also the Advertising_SID and Advertising_DID.
    let detail: UInt32
}

/// When a scanner reports an advertisement again.
enum DuplicateFilter: UInt8, Sendable {
    case off = 0
    case untilDisabled = 1
    case eachPeriod = 2
}

/// The parameters of a scan before it is enabled.
struct ScanSettings: Hashable, Sendable {
    var isActive = false
    /// Microseconds.
    var interval: Int64 = 10_000
    /// Microseconds.
    var window: Int64 = 10_000
    var usesRandomAddress = false
    var filterPolicy = ScanningFilterPolicy.unfiltered

    /// Whether advertisements that are directed to a resolvable private address pass.
    var passesUnresolvedTargets: Bool { filterPolicy.rawValue & 2 == 2 }
}

/// A controller that scans.
private struct Scanner: Sendable {
    let receiver: Receiver
    let parameters: ScanSettings
    /// The address of scan requests and the target of directed advertisements.
    let ownAddress: PackedAddress
    /// Whether its filter policy requires advertisers on the filter accept list.
    let usesAcceptList: Bool
    private let filter: DuplicateFilter
    private var seen: Set<SeenAdvertisement> = []
    private var periodNumber: Int64 = 0

    /// Capacity of the duplicate filter; beyond it the filter is cleared.
    private static let seenLimit = 65_536

    init(receiver: Receiver, parameters: ScanSettings, ownAddress: PackedAddress, filter: DuplicateFilter) {
        self.receiver = receiver
        self.parameters = parameters
        self.ownAddress = ownAddress
        self.filter = filter
        usesAcceptList = parameters.filterPolicy.usesFilterAcceptList
    }

    var controller: Int { receiver.controller }
    /// Whether the duplicate filter is on.
    var filters: Bool { filter != .off }

    /// Whether the duplicate filter passes an advertisement; the filter records it.
    mutating func admits(_ advertisement: SeenAdvertisement, at time: AirTime) -> Bool {
        guard filter != .off else { return true }
        if filter == .eachPeriod, receiver.period > 0, (time - receiver.start) / receiver.period != periodNumber {
            periodNumber = (time - receiver.start) / receiver.period
            seen.removeAll(keepingCapacity: true)
        }
        if seen.count >= Self.seenLimit { seen.removeAll(keepingCapacity: true) }
        return seen.insert(advertisement).inserted
    }

    /// The duplicate filter passes an advertisement again, because its data was not received completely.
    mutating func forget(_ advertisement: SeenAdvertisement) { seen.remove(advertisement) }
}

/// The scanning state of all controllers (Core 5.4, Vol 6, Part B, 4.4.3).
struct Scanners: Sendable {
    /// What a controller has whether or not it scans.
    private struct Host: Sendable {
        var parameters: ScanSettings?
        /// The timer of a scan's duration.
        var timer: TimerIdentifier?
    }

    /// When and on which channel a scanner receives now; flat, since each advertising event reads it.
    private struct Listening: Sendable {
        let isExtended: Bool
        /// Whether it reports each advertisement that it receives: it has neither filters nor scan requests.
        let reportsAll: Bool
        /// -1 outside of the windows.
        var channel: Int8 = -1
        /// The time for which the channel is known.
        var start: AirTime = .min, end: AirTime = .min

        init(_ scanner: Scanner) {
            isExtended = scanner.receiver.isExtended
            reportsAll = !scanner.filters && !scanner.usesAcceptList && !scanner.parameters.isActive
        }

        mutating func update(_ receiver: Receiver, at time: AirTime) {
            if let window = receiver.window(at: time) {
                (channel, start, end) = (Int8(truncatingIfNeeded: window.channel), window.start, window.end)
            } else {
                (channel, start, end) = (-1, time, receiver.nextStart(after: time))
            }
        }
    }

    /// 64 neighbours in `listening`: a bit for each, on the channel on which it receives. An advertising event passes over the
    /// others together.
    private struct Block: Sendable {
        static let size = 64

        private var channels: (UInt64, UInt64, UInt64) = (0, 0, 0)
        /// The first time at which the channel of one of them is not known.
        private(set) var expiry = AirTime.min

        mutating func removeAll() { (channels, expiry) = ((0, 0, 0), .never) }

        mutating func add(_ listening: Listening, at place: Int) {
            expiry = min(expiry, listening.end)
            let bit: UInt64 = 1 << UInt64(place)
            switch listening.channel {
            case 0: channels.0 |= bit
            case 1: channels.1 |= bit
            case 2: channels.2 |= bit
            default: break
            }
        }

        /// The scanners that receive on any of these channels, one bit each.
        @inline(__always)
        func scanners(on mask: UInt8) -> UInt64 {
            var scanners: UInt64 = mask & 1 != 0 ? channels.0 : 0
            if mask & 2 != 0 { scanners |= channels.1 }
            if mask & 4 != 0 { scanners |= channels.2 }
            return scanners
        }
    }

    /// An advertising event while the scanners receive it.
    private struct PacketReception {
        let event: AdvertisingEvent
        let set: Int
        /// The first and the last time of the event, or of its only PDU.
        let start: AirTime, end: AirTime
        let isScannable: Bool
        let isDirected: Bool
        /// The reports of the advertisement; empty before the first.
        var legacyReport = SharedReport(), extendedReport = SharedReport()
        /// The controllers that have received the first PDU of a chain: of the advertisement, and of the scan response.
        var chained: (advertisement: [Int], response: [Int]) = ([], [])
    }

    /// An encoded report that differs between receivers in its RSSI only: receivers with the same RSSI share the bytes.
    private struct SharedReport {
        private(set) var bytes: [UInt8] = []
        private var place = 0

        var isEmpty: Bool { bytes.isEmpty }

        /// - Parameter place: the place of the RSSI in the bytes.
        mutating func set(_ bytes: [UInt8], rssiAt place: Int) { (self.bytes, self.place) = (bytes, place) }

        mutating func setRSSI(_ rssi: Int8) {
            let byte = UInt8(bitPattern: rssi)
            if bytes[place] != byte { bytes[place] = byte }
        }
    }

    /// The controllers that scan.
    private var scanners: [Scanner] = []
    private var listening: [Listening] = []
    /// The blocks of `listening`.
    private var blocks: [Block] = []
    private var controllers: [Int32] = []
    /// Changes with the controllers that scan.
    private var version: UInt64 = 0
    /// By the index of the controller.
    private var hosts: [Host] = []
    private var chains = AdvertisingChains()

    mutating func addController(_ index: Int) {
        if index == hosts.count { hosts.append(Host()) } else { hosts[index] = Host() }
    }

    /// Stops scanning, and restores the settings of a reset.
    mutating func reset(_ controller: Int, _ context: inout AirContext) {
        stop(controller, &context)
        chains.cut(controller)
        if let timer = hosts[controller].timer { context.timers.remove(timer) }
        hosts[controller] = Host()
    }

    /// Whether no controller scans.
    var isEmpty: Bool { scanners.isEmpty }

    func isScanning(_ controller: Int) -> Bool { controllers.contains(Int32(truncatingIfNeeded: controller)) }

    /// Whether a controller's scan is active; `nil` if it does not scan.
    func isActive(_ controller: Int) -> Bool? {
        scanners.first { $0.controller == controller }?.parameters.isActive
    }

    func usesAcceptList(_ controller: Int) -> Bool {
        scanners.contains { $0.controller == controller && $0.parameters.filterPolicy.usesFilterAcceptList }
    }

    /// Ends an extended scan after its duration.
    mutating func expire(_ controller: Int, _ context: inout AirContext) {
        guard isScanning(controller) else { return }
        stop(controller, &context)
        context.controllers.emit(LEScanTimeout(), to: controller)
    }

    fileprivate mutating func stop(_ controller: Int, _ context: inout AirContext) {
        if let place = controllers.firstIndex(of: Int32(truncatingIfNeeded: controller)) {
            scanners.remove(at: place)
            listening.remove(at: place)
            controllers.remove(at: place)
            resetBlocks()
            chains.removeReceiver(controller)
            version += 1
        }
        if let timer = hosts[controller].timer { context.timers.cancel(timer) }
    }
}

// MARK: - Receiving

extension Scanners {
    /// Delivers an advertising event to all scanners that receive it.
    ///
    /// The other parts are `inout` although most of them are only read: an `inout` argument is never copied (hot path).
    mutating func receive(
        _ event: AdvertisingEvent, of set: Int, _ advertising: inout AdvertisingSets, _ medium: inout Medium,
        _ context: inout AirContext
    ) {
        let properties = advertising[set].properties
        var reception = PacketReception(
            event: event, set: set, start: event.start ?? context.now,
            end: event.start == nil ? context.now + 1 : context.now, isScannable: properties.contains(.scannable),
            isDirected: properties.contains(.directed))
        if medium.selectReceivers(of: event, among: controllers, version: version, now: context.now) {
            for place in 0..<medium.selectedCount {
                receive(&reception, by: medium.selectedReceiver(place), &advertising, &medium, &context)
            }
        } else {
            for block in blocks.indices {
                if reception.start >= blocks[block].expiry { updateBlock(block, at: reception.start) }
                var scanners = blocks[block].scanners(on: event.channels)
                while scanners != 0 {
                    let index = block * Block.size + scanners.trailingZeroBitCount
                    scanners &= scanners - 1
                    receive(&reception, by: index, &advertising, &medium, &context)
                }
            }
        }
        if !reception.chained.advertisement.isEmpty || !reception.chained.response.isEmpty {
            startChains(reception, &advertising, &context)
        }
    }

    @inline(never)
    private mutating func updateBlock(_ block: Int, at time: AirTime) {
        blocks[block].removeAll()
        let first = block * Block.size
        for index in first..<min(first + Block.size, listening.count) {
            if time >= listening[index].end { listening[index].update(scanners[index].receiver, at: time) }
            blocks[block].add(listening[index], at: index - first)
        }
    }

    /// Makes the blocks new, since scanners have other places.
    fileprivate mutating func resetBlocks() {
        blocks = Array(repeating: Block(), count: (listening.count + Block.size - 1) / Block.size)
    }

    /// Delivers an advertising event to a scanner, if it receives it.
    @inline(__always)
    private mutating func receive(
        _ reception: inout PacketReception, by index: Int, _ advertising: inout AdvertisingSets, _ medium: inout Medium,
        _ context: inout AirContext
    ) {
        if reception.start >= listening[index].end {
            listening[index].update(scanners[index].receiver, at: reception.start)
        }
        let channel = Int(listening[index].channel)
        let controller = Int(controllers[index])
        // It receives on this channel during the whole PDU.
        guard channel >= 0, reception.event.channels & 1 << UInt8(truncatingIfNeeded: channel) != 0,
            listening[index].start <= reception.start, reception.end <= listening[index].end,
            controller != reception.event.transmitter, listening[index].isExtended || reception.event.isLegacy,
            let rssi = medium.rssi(of: reception.event, on: channel, at: controller, now: context.now)
        else { return }
        if listening[index].reportsAll, !reception.isDirected {
            return report(
                &reception, isScanResponse: false, rssi, to: controller, isExtended: listening[index].isExtended,
                &advertising, &context.controllers)
        }
        deliver(&reception, rssi, on: channel, to: index, &advertising, &medium, &context)
    }

    /// Reports an advertising event that a scanner has received, and the scan response.
    private mutating func deliver(
        _ reception: inout PacketReception, _ rssi: Int8, on channel: Int, to index: Int,
        _ advertising: inout AdvertisingSets, _ medium: inout Medium, _ context: inout AirContext
    ) {
        let set = reception.set
        let receiver = scanners[index].controller
        let isExtended = scanners[index].receiver.isExtended
        guard passesFilterPolicy(reception, of: index, &advertising, &context.controllers) else { return }
        if !scanners[index].filters
            || scanners[index].admits(advertising[set].seenAdvertisement(isScanResponse: false), at: context.now)
        {
            if !isExtended, reception.isDirected, advertising[set].target != scanners[index].ownAddress {
                reportDirected(set, rssi, to: receiver, &advertising, &context.controllers)
            } else {
                report(
                    &reception, isScanResponse: false, rssi, to: receiver, isExtended: isExtended, &advertising,
                    &context.controllers)
            }
        }
        guard reception.isScannable, scanners[index].parameters.isActive else { return }
        let own = scanners[index].ownAddress
        guard advertising.answersScanRequest(of: own, to: set, &context.controllers) else { return }
        advertising.noteScanRequest(of: own, to: set, &context.controllers)
        if let rssi = medium.rssi(
            of: reception.event, on: channel, at: scanners[index].controller, now: context.now, isScanResponse: true),
            !scanners[index].filters
                || scanners[index].admits(advertising[set].seenAdvertisement(isScanResponse: true), at: context.now)
        {
            report(
                &reception, isScanResponse: true, rssi, to: receiver, isExtended: isExtended, &advertising,
                &context.controllers)
        }
    }

    /// Scanning filter policies (Core 5.4, Vol 6, Part B, 4.3.3).
    private func passesFilterPolicy(
        _ reception: PacketReception, of scanner: Int, _ advertising: inout AdvertisingSets,
        _ controllers: inout Controllers
    ) -> Bool {
        let set = reception.set
        if scanners[scanner].usesAcceptList {
            guard controllers.accepts(advertising[set].address, on: scanners[scanner].controller) else { return false }
        }
        guard reception.isDirected, advertising[set].target != scanners[scanner].ownAddress else { return true }
        return scanners[scanner].parameters.passesUnresolvedTargets && advertising[set].target.isResolvablePrivate
    }

    private func report(
        _ reception: inout PacketReception, isScanResponse: Bool, _ rssi: Int8, to receiver: Int, isExtended: Bool,
        _ advertising: inout AdvertisingSets, _ controllers: inout Controllers
    ) {
        let set = reception.set
        if isExtended {
            guard controllers.allows(LEExtendedAdvertisingReport.self, to: receiver) else { return }
            if isScanResponse {
                return reportExtended(&reception, isScanResponse: true, rssi, to: receiver, &advertising, &controllers)
            }
            if reception.extendedReport.isEmpty {
                guard
                    advertising[set].reportedData(isScanResponse: false).count
                        <= AdvertisingReportBytes.extendedDataLimit
                else {
                    return reportExtended(
                        &reception, isScanResponse: false, rssi, to: receiver, &advertising, &controllers)
                }
                reception.extendedReport.set(
                    AdvertisingReportBytes.extended(
                        extendedHeader(of: set, isScanResponse: false, rssi, &advertising),
                        data: advertising[set].reportedData(isScanResponse: false)[...]),
                    rssiAt: AdvertisingReportBytes.extendedRSSIPlace)
            }
            reception.extendedReport.setRSSI(rssi)
            controllers.sendReport(reception.extendedReport.bytes, to: receiver)
        } else {
            guard controllers.allows(LEAdvertisingReport.self, to: receiver) else { return }
            if isScanResponse {
                let report = legacyReport(of: set, .scanResponse, isScanResponse: true, rssi, &advertising)
                return controllers.sendReport(report, to: receiver)
            }
            if reception.legacyReport.isEmpty {
                let type = advertising[set].properties.reportType
                let report = legacyReport(of: set, type, isScanResponse: false, rssi, &advertising)
                reception.legacyReport.set(report, rssiAt: report.count - 1)
            }
            reception.legacyReport.setRSSI(rssi)
            controllers.sendReport(reception.legacyReport.bytes, to: receiver)
        }
    }

    private func legacyReport(
        of set: Int, _ type: AdvertisingReportType, isScanResponse: Bool, _ rssi: Int8,
        _ advertising: inout AdvertisingSets
    ) -> [UInt8] {
        AdvertisingReportBytes.legacy(
            type: type, address: advertising[set].address,
            data: advertising[set].reportedData(isScanResponse: isScanResponse), rssi: rssi)
    }

    /// Reports an advertisement that is directed to a resolvable private address.
    private func reportDirected(
        _ set: Int, _ rssi: Int8, to receiver: Int, _ advertising: inout AdvertisingSets,
        _ controllers: inout Controllers
    ) {
        guard controllers.allows(LEDirectedAdvertisingReport.self, to: receiver) else { return }
        controllers.sendReport(
            AdvertisingReportBytes.directed(
                address: advertising[set].address, target: advertising[set].target, rssi: rssi), to: receiver)
    }

    /// Reports the data of the first auxiliary PDU; that of the others follows when they have ended. A scanner that changes its
    /// channel receives several primary PDUs of an event, and follows one of them.
    private func reportExtended(
        _ reception: inout PacketReception, isScanResponse: Bool, _ rssi: Int8, to receiver: Int,
        _ advertising: inout AdvertisingSets, _ controllers: inout Controllers
    ) {
        let set = reception.set
        let header = extendedHeader(of: set, isScanResponse: isScanResponse, rssi, &advertising)
        let data = advertising[set].reportedData(isScanResponse: isScanResponse)
        let first = advertising[set].fragmentation(isScanResponse: isScanResponse).firstSize(of: data.count)
        let isChain = first < data.count
        if isChain, chains.isFollowed(by: receiver, advertising[set].seenAdvertisement(isScanResponse: isScanResponse))
        {
            return
        }
        send(header, data: data[..<first], isLast: !isChain, to: receiver, &controllers)
        guard isChain else { return }
        if isScanResponse {
            reception.chained.response.append(receiver)
        } else {
            reception.chained.advertisement.append(receiver)
        }
    }

    /// Sends an extended report; data beyond the limit of one report is divided among several.
    /// - Parameter isLast: whether no more data follows.
    private func send(
        _ complete: AdvertisingReportBytes.ExtendedHeader, data: ArraySlice<UInt8>, isLast: Bool = true,
        to receiver: Int, _ controllers: inout Controllers
    ) {
        var header = complete
        var rest = data
        while rest.count > AdvertisingReportBytes.extendedDataLimit {
            header.eventType = complete.eventType.union(.incomplete)
            controllers.sendReport(
                AdvertisingReportBytes.extended(header, data: rest.prefix(AdvertisingReportBytes.extendedDataLimit)),
                to: receiver)
            rest = rest.dropFirst(AdvertisingReportBytes.extendedDataLimit)
        }
        header.eventType = isLast ? complete.eventType : complete.eventType.union(.incomplete)
        controllers.sendReport(AdvertisingReportBytes.extended(header, data: rest), to: receiver)
    }

    private func extendedHeader(
        of set: Int, isScanResponse: Bool, _ rssi: Int8, _ advertising: inout AdvertisingSets
    ) -> AdvertisingReportBytes.ExtendedHeader {
        let properties = advertising[set].properties
        let isLegacy = properties.contains(.legacy)
        var type = properties.extendedEventType
        if isScanResponse { type.formUnion(.scanResponse) }
        return AdvertisingReportBytes.ExtendedHeader(
            eventType: type, address: advertising[set].address,
            target: properties.contains(.directed) ? advertising[set].target : nil,
            secondaryPHY: isLegacy ? 0 : advertising[set].secondaryPHY,
            identifier: isLegacy ? 0xFF : advertising[set].identifier,
            transmitPower: properties.contains(.includesTransmitPower)
                ? advertising[set].transmitPower : TransmitPower.unspecified.decibelMilliwatts,
            rssi: rssi)
    }

    /// Delivers a packet of a recording to all scanners that receive it.
    mutating func receive(
        _ packet: ReplayedPacket, from transmitter: Int, _ medium: inout Medium, _ context: inout AirContext
    ) {
        for index in scanners.indices {
            let controller = scanners[index].controller
            guard !packet.isScanResponse || scanners[index].parameters.isActive,
                !scanners[index].parameters.filterPolicy.usesFilterAcceptList
                    || context.controllers.accepts(packet.address, on: controller),
                let rssi = medium.rssi(of: packet, from: transmitter, at: scanners[index].receiver, now: context.now),
                scanners[index].admits(packet.seenAdvertisement, at: context.now)
            else { continue }
            report(packet, rssi, to: index, &context.controllers)
        }
    }

    private func report(
        _ packet: ReplayedPacket, _ rssi: Int8, to scanner: Int, _ controllers: inout Controllers
    ) {
        let receiver = scanners[scanner].controller
        guard scanners[scanner].receiver.isExtended else {
            guard controllers.allows(LEAdvertisingReport.self, to: receiver) else { return }
            return controllers.sendReport(
                AdvertisingReportBytes.legacy(
                    type: packet.isScanResponse ? .scanResponse : packet.properties.reportType,
                    address: packet.address, data: packet.data, rssi: rssi), to: receiver)
        }
        guard controllers.allows(LEExtendedAdvertisingReport.self, to: receiver) else { return }
        let header = AdvertisingReportBytes.ExtendedHeader(
            eventType: packet.extendedEventType, address: packet.address,
            secondaryPHY: packet.isLegacy ? 0 : PHY.oneMegabit.rawValue, identifier: packet.isLegacy ? 0xFF : 0,
            transmitPower: TransmitPower.unspecified.decibelMilliwatts, rssi: rssi)
        send(header, data: packet.data[...], to: receiver, &controllers)
    }
}

// MARK: - Chains

extension Scanners {
    /// Begins the chains of an advertising event whose first PDUs were received.
    private mutating func startChains(
        _ reception: PacketReception, _ advertising: inout AdvertisingSets, _ context: inout AirContext
    ) {
        let set = reception.set
        for (receivers, isScanResponse) in [
            (reception.chained.advertisement, false), (reception.chained.response, true),
        ] where !receivers.isEmpty {
            let data = advertising[set].reportedData(isScanResponse: isScanResponse)
            let advertisement = advertising[set].seenAdvertisement(isScanResponse: isScanResponse)
            chains.start(
                extendedHeader(of: set, isScanResponse: isScanResponse, 0, &advertising), data,
                sizes: advertising[set].fragmentation(isScanResponse: isScanResponse).sizes(of: data.count),
                from: reception.event.transmitter, power: reception.event.power,
                to: receivers.map { .init(controller: $0, advertisement: advertisement) }, &context)
        }
    }

    /// A PDU of a chain has ended: reports it to the scanners that receive it, and to the others that the data is not complete.
    /// - Parameter isMuted: whether nothing is received from a controller.
    mutating func endPDU(
        of chain: Int, _ medium: inout Medium, _ context: inout AirContext, isMuted: (Int) -> Bool
    ) {
        guard let pdu = chains.endPDU(chain, &context) else { return }
        let isSent = !pdu.isCut && !isMuted(pdu.transmitter)
        let packet = Packet(
            transmitter: pdu.transmitter, power: pdu.power, channel: pdu.number % 3, bits: pdu.bits)
        for receiver in pdu.receivers
        where context.controllers.allows(LEExtendedAdvertisingReport.self, to: receiver.controller) {
            var header = pdu.header
            if isSent, let rssi = medium.rssi(of: packet, at: receiver.controller, now: context.now) {
                header.rssi = rssi
                send(header, data: pdu.data, isLast: pdu.isLast, to: receiver.controller, &context.controllers)
            } else {
                header.eventType.formUnion(.truncated)
                header.rssi = RSSI.unavailable.decibelMilliwatts
                send(header, data: [], to: receiver.controller, &context.controllers)
                if !pdu.isLast { chains.removeReceiver(receiver.controller, from: chain) }
                if let place = scanners.firstIndex(where: { $0.controller == receiver.controller }) {
                    scanners[place].forget(receiver.advertisement)
                }
            }
        }
    }
}

// MARK: - Commands

extension Scanners {
    fileprivate mutating func setParameters(
        _ controller: Int, _ type: ScanType, _ interval: ScanTime, _ window: ScanTime, _ own: OwnAddressType,
        _ policy: ScanningFilterPolicy
    ) throws(HCIStatus) {
        guard type.rawValue <= 1, own.rawValue <= 3, policy.rawValue <= 3 else { throw .invalidCommandParameters }
        try CommandTable.checkScanTimes(interval: interval, window: window)
        hosts[controller].parameters = ScanSettings(
            isActive: type == .active, interval: Int64(interval.count) * 625, window: Int64(window.count) * 625,
            usesRandomAddress: own.isRandom, filterPolicy: policy)
    }

    /// Starts a scan, or restarts it with another filter.
    /// - Parameters:
    ///   - duration: microseconds; 0 without a limit.
    ///   - period: microseconds; 0 to scan once.
    fileprivate mutating func start(
        _ controller: Int, isExtended: Bool, _ filter: DuplicateFilter, duration: Int64 = 0, period: Int64 = 0,
        _ context: inout AirContext
    ) throws(HCIStatus) {
        let parameters = hosts[controller].parameters ?? ScanSettings()
        guard let own = context.controllers.ownAddress(of: controller, isRandom: parameters.usesRandomAddress) else {
            throw .invalidCommandParameters
        }
        let start = scanners.first { $0.controller == controller }?.receiver.start ?? context.now
        stop(controller, &context)
        let receiver = Receiver(
            controller: controller, isExtended: isExtended, start: period > 0 ? context.now : start,
            interval: parameters.interval, window: parameters.window, period: period, duration: duration)
        let scanner = Scanner(receiver: receiver, parameters: parameters, ownAddress: own, filter: filter)
        scanners.append(scanner)
        listening.append(Listening(scanner))
        controllers.append(Int32(truncatingIfNeeded: controller))
        resetBlocks()
        version += 1
        guard duration > 0, period == 0 else { return }
        let timer = hosts[controller].timer ?? context.timers.add(.scanTimeout(Int32(controller)))
        hosts[controller].timer = timer
        context.timers.schedule(timer, at: context.now + duration)
    }

    fileprivate mutating func startExtended(
        _ command: LESetExtendedScanEnable, _ controller: Int, _ context: inout AirContext
    ) throws(HCIStatus) {
        let duration = Int64(command.duration.count) * 10_000
        let period = Int64(command.period.count) * 1_280_000
        guard let filter = DuplicateFilter(rawValue: command.filterDuplicates) else { throw .invalidCommandParameters }
        guard duration == 0 || period == 0 || duration < period else { throw .invalidCommandParameters }
        guard filter != .eachPeriod || (period > 0 && duration > 0) else { throw .invalidCommandParameters }
        // A period without a duration has no meaning: the scan does not pause.
        try start(
            controller, isExtended: true, filter, duration: duration, period: duration > 0 ? period : 0, &context)
    }
}

extension CommandTable {
    /// Scanning, legacy and extended (Core 5.4, Vol 4, Part E, 7.8.10, 7.8.11, 7.8.64 and 7.8.65).
    static var scanningCommands: [CommandHandler] {
        [
            CommandHandler.completing(LESetScanParameters.self) { air, controller, command throws(HCIStatus) in
                guard !air.scanners.isScanning(controller) else { throw .commandDisallowed }
                guard command.scanInterval <= ScanTime(0x4000) else { throw .invalidCommandParameters }
                try air.scanners.setParameters(
                    controller, command.scanType, command.scanInterval, command.scanWindow, command.ownAddressType,
                    command.scanningFilterPolicy)
            }.of(.legacy),
            CommandHandler.completing(LESetScanEnable.self) { air, controller, command throws(HCIStatus) in
                guard command.enable <= 1 else { throw .invalidCommandParameters }
                guard command.enable == 1 else { return air.scanners.stop(controller, &air.context) }
                guard command.filterDuplicates <= 1, let filter = DuplicateFilter(rawValue: command.filterDuplicates)
                else { throw .invalidCommandParameters }
                try air.scanners.start(controller, isExtended: false, filter, &air.context)
            }.of(.legacy),
            CommandHandler.completing(LESetExtendedScanParameters.self) { air, controller, command throws(HCIStatus) in
                guard !air.scanners.isScanning(controller) else { throw .commandDisallowed }
                let parameters = try mandatoryPHY(command.scanningPHYs, command.parameters)
                try air.scanners.setParameters(
                    controller, parameters.scanType, parameters.scanInterval, parameters.scanWindow,
                    command.ownAddressType, command.scanningFilterPolicy)
            }.of(.extended),
            CommandHandler.completing(LESetExtendedScanEnable.self) { air, controller, command throws(HCIStatus) in
                guard command.enable <= 1 else { throw .invalidCommandParameters }
                guard command.enable == 1 else { return air.scanners.stop(controller, &air.context) }
                try air.scanners.startExtended(command, controller, &air.context)
            }.of(.extended),
        ]
    }

    /// Checks that the window is at least 2.5 ms and at most the interval.
    static func checkScanTimes(interval: ScanTime, window: ScanTime) throws(HCIStatus) {
        guard window >= ScanTime(4), window <= interval else { throw .invalidCommandParameters }
    }

    /// The parameters of LE 1M, which come first; LE Coded, the other PHY of primary channels, is not supported.
    static func mandatoryPHY<Parameters>(_ phys: PHYSet, _ parameters: [Parameters]) throws(HCIStatus) -> Parameters {
        guard phys.isDisjoint(with: .coded), phys.rawValue & ~0x07 == 0 else {
            throw .unsupportedFeatureOrParameterValue
        }
        guard phys.contains(.oneMegabit), let first = parameters.first else { throw .invalidCommandParameters }
        return first
    }
}
