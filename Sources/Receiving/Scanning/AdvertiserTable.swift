// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// Everyone who was heard of late, with what is known of each: what a scan shows once rather than with every packet.
///
/// A value without a clock, and bounded: when more advertisers are heard than it holds, those that were not heard for
/// longest are forgotten.
public struct AdvertiserTable<Source: Hashable & Sendable>: Sendable {
    /// What a packet says that was not known.
    public enum News: Hashable, Sendable {
        /// Its sender was not known, or is forgotten by now.
        case newAdvertiser
        /// Its data is none of the few that its sender was heard with of late.
        case newData
        /// Nothing but that its sender is still there: a duplicate.
        case nothing
    }

    private var table: RecencyTable<Source, Advertiser<Source>>

    /// A table of at most `capacity` advertisers.
    public init(capacity: Int = 1024) { table = RecencyTable(capacity: capacity) }

    /// How many advertisers there are.
    public var count: Int { table.count }
    /// The advertisers, in the order in which they were heard first.
    public var advertisers: [Advertiser<Source>] { table.values }

    /// An advertiser, if it was heard of late.
    public subscript(source: Source) -> Advertiser<Source>? { table[source] }

    /// A packet was heard.
    /// - Parameters:
    ///   - data: AD structures, which need not be well-formed.
    ///   - isScanResponse: whether it is a scan response; `false` where the radio does not tell.
    ///   - rssi: the received strength; `nil` when the radio does not know.
    /// - Returns: its sender with all that is known of it, this packet included, and what was not known before.
    public mutating func hear(
        _ data: [UInt8], from source: Source, isScanResponse: Bool = false, rssi: RSSI?, at time: Duration
    ) -> (advertiser: Advertiser<Source>, news: News) {
        table.use(source, initial: Advertiser(source: source, at: time)) { advertiser in
            let isKnown = advertiser.advertisements + advertiser.scanResponses > 0
            let isNews = advertiser.hear(data, isScanResponse: isScanResponse, rssi: rssi, at: time)
            return (advertiser, isKnown ? isNews ? .newData : .nothing : .newAdvertiser)
        }
    }

    /// Forgets who was not heard since a time.
    public mutating func forget(notHeardSince time: Duration) {
        table.keep { $0.lastHeard >= time }
    }
}
