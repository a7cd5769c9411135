// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// How the data of an advertisement is divided among auxiliary PDUs (Core 5.4, Vol 6, Part B, 2.3.1.6 to 2.3.1.8 and 2.3.4).
///
/// A payload of at most 255 bytes begins with a byte for the length of the extended header, and the header. The first PDU is an
/// AUX_ADV_IND or an AUX_SCAN_RSP, the others are AUX_CHAIN_INDs; all but the last have an AuxPtr to the next one.
struct AdvertisingFragmentation: Hashable, Sendable {
    /// Bytes of header and data in a payload.
    private static let payload = 254
    /// Flags and ADI in the header of an AUX_CHAIN_IND.
    private static let chainHeader = 3
    private static let auxiliaryPointer = 3
    /// The least time between an auxiliary PDU and the PDU before it, in microseconds: T_MAFS (Core 5.4, Vol 6, Part B, 4.1.1).
    private static let frameSpace: AirTime = 300

    /// Bytes of the header of the first PDU, without an AuxPtr.
    private let firstHeader: Int

    /// - Parameter properties: of the advertising set.
    init(_ properties: AdvertisingEventProperties, isScanResponse: Bool) {
        // Flags, AdvA, TargetA, ADI and TxPower.
        var header = 1 + 2
        if !properties.contains(.anonymous) { header += 6 }
        if properties.contains(.directed), !isScanResponse { header += 6 }
        if properties.contains(.includesTransmitPower) { header += 1 }
        firstHeader = header
    }

    /// Bytes of data that fit into one PDU: all that a connectable advertisement can have.
    var limitOfOnePDU: Int { Self.payload - firstHeader }

    /// The bytes of data in the first PDU.
    func firstSize(of count: Int) -> Int {
        count > limitOfOnePDU ? limitOfOnePDU - Self.auxiliaryPointer : count
    }

    /// The bytes of data in each PDU.
    func sizes(of count: Int) -> [Int] {
        guard count > limitOfOnePDU else { return [count] }
        var sizes = [firstSize(of: count)]
        var rest = count - sizes[0]
        while rest > Self.payload - Self.chainHeader {
            sizes.append(Self.payload - Self.chainHeader - Self.auxiliaryPointer)
            rest -= sizes[sizes.count - 1]
        }
        return sizes + [rest]
    }

    /// The length of an AUX_CHAIN_IND in bits, from preamble to check sum.
    static func bits(ofChained octets: Int, isLast: Bool, phy: UInt8) -> Int {
        let payload = 1 + chainHeader + (isLast ? 0 : auxiliaryPointer) + octets
        return 8 * (payload + (phy == 2 ? 11 : 10))
    }

    /// The time from the end of a PDU to the end of the AUX_CHAIN_IND after it, in microseconds.
    static func duration(ofChained octets: Int, isLast: Bool, phy: UInt8) -> AirTime {
        let bits = AirTime(bits(ofChained: octets, isLast: isLast, phy: phy))
        return frameSpace + (phy == 2 ? bits / 2 : bits)
    }

    /// The time from the end of the first PDU until another event of the set may begin, in microseconds; 0 without a chain.
    func duration(of count: Int, phy: UInt8) -> AirTime {
        guard count > limitOfOnePDU else { return 0 }
        let sizes = sizes(of: count)
        return sizes.indices.dropFirst().reduce(Self.frameSpace) { time, index in
            time + Self.duration(ofChained: sizes[index], isLast: index == sizes.count - 1, phy: phy)
        }
    }
}

/// The chains of auxiliary PDUs that scanners are receiving (Core 5.4, Vol 6, Part B, 4.3.3).
///
/// Scanners follow a chain from its first PDU, which they receive with the advertising event, until its end, until a PDU is
/// lost, or until they stop. The timer of a chain is due at the end of each further PDU. A chain is sent to its end also if
/// its set is disabled meanwhile; the reset of its controller cuts it.
struct AdvertisingChains: Sendable {
    /// A scanner that has received all PDUs of a chain so far.
    struct Receiver: Sendable {
        let controller: Int
        /// What its duplicate filter has recorded.
        let advertisement: SeenAdvertisement
    }

    /// A PDU that has ended.
    struct PDU {
        let transmitter: Int
        /// In dBm.
        let power: Int8
        let bits: Int
        /// Its place in the chain; the first has 0.
        let number: Int
        let data: ArraySlice<UInt8>
        let isLast: Bool
        /// Whether it was not sent: the controller was reset.
        let isCut: Bool
        let header: AdvertisingReportBytes.ExtendedHeader
        let receivers: [Receiver]
    }

    private struct Chain: Sendable {
        let timer: TimerIdentifier
        let transmitter: Int
        let power: Int8
        let header: AdvertisingReportBytes.ExtendedHeader
        let data: [UInt8]
        let sizes: [Int]
        var receivers: [Receiver]
        /// The number of PDUs that have ended.
        var ended = 1
        /// Bytes in these.
        var sent: Int
        var isCut = false

        /// The time of the next PDU.
        var duration: AirTime {
            AdvertisingFragmentation.duration(
                ofChained: sizes[ended], isLast: ended == sizes.count - 1, phy: header.secondaryPHY)
        }
    }

    /// `nil` where an index is free.
    private var chains: [Chain?] = []

    /// Begins a chain, whose first PDU has ended.
    mutating func start(
        _ header: AdvertisingReportBytes.ExtendedHeader, _ data: [UInt8], sizes: [Int], from transmitter: Int,
        power: Int8, to receivers: [Receiver], _ context: inout AirContext
    ) {
        let index = chains.firstIndex(where: \.isNone) ?? chains.count
        let chain = Chain(
            timer: context.timers.add(.chain(Int32(index))), transmitter: transmitter, power: power, header: header,
            data: data, sizes: sizes, receivers: receivers, sent: sizes[0])
        context.timers.schedule(chain.timer, at: context.now + chain.duration)
        if index == chains.count { chains.append(chain) } else { chains[index] = chain }
    }

    /// A PDU of a chain has ended: returns it, and sets the timer to the end of the next one.
    mutating func endPDU(_ index: Int, _ context: inout AirContext) -> PDU? {
        guard var chain = chains[index] else { return nil }
        let size = chain.sizes[chain.ended]
        let isLast = chain.ended == chain.sizes.count - 1
        let pdu = PDU(
            transmitter: chain.transmitter, power: chain.power,
            bits: AdvertisingFragmentation.bits(ofChained: size, isLast: isLast, phy: chain.header.secondaryPHY),
            number: chain.ended, data: chain.data[chain.sent..<chain.sent + size], isLast: isLast, isCut: chain.isCut,
            header: chain.header, receivers: chain.receivers)
        chain.ended += 1
        chain.sent += size
        guard !isLast, !chain.receivers.isEmpty else {
            remove(index, &context)
            return pdu
        }
        context.timers.schedule(chain.timer, at: context.now + chain.duration)
        chains[index] = chain
        return pdu
    }

    /// Whether a scanner is receiving a chain of an advertisement.
    func isFollowed(by controller: Int, _ advertisement: SeenAdvertisement) -> Bool {
        chains.contains { chain in
            chain?.receivers.contains { $0.controller == controller && $0.advertisement == advertisement } ?? false
        }
    }

    /// A scanner follows a chain no longer.
    mutating func removeReceiver(_ controller: Int, from index: Int) {
        chains[index]?.receivers.removeAll { $0.controller == controller }
    }

    /// A scanner has stopped.
    mutating func removeReceiver(_ controller: Int) {
        for index in chains.indices { removeReceiver(controller, from: index) }
    }

    /// A controller was reset while it was sending.
    mutating func cut(_ transmitter: Int) {
        for index in chains.indices where chains[index]?.transmitter == transmitter { chains[index]?.isCut = true }
    }

    private mutating func remove(_ index: Int, _ context: inout AirContext) {
        if let timer = chains[index]?.timer { context.timers.remove(timer) }
        chains[index] = nil
        while chains.last?.isNone == true { chains.removeLast() }
    }
}

extension Optional {
    /// Whether it has no value, of a type that cannot be compared.
    fileprivate var isNone: Bool {
        if case .none = self { true } else { false }
    }
}
