// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// The advertisers that were seen recently, each with its latest data.
///
/// A value without a clock, and bounded: when it is full, the advertisers that were not seen for
/// longest are forgotten.
package struct AdvertiserTable<Source: Hashable & Sendable>: Sendable {
    /// What is new in a packet.
    package enum News: Hashable, Sendable {
        /// Its sender was unknown, or forgotten.
        case newAdvertiser
        /// Its data is not among the last few of its sender.
        case newData
        /// Nothing: it is a duplicate.
        case nothing
    }

    private var table: RecencyTable<Source, Advertiser<Source>>

    /// A table of at most `capacity` advertisers.
    package init(capacity: Int = 1024) { table = RecencyTable(capacity: capacity) }

    /// The number of advertisers.
    package var count: Int { table.count }
    /// The advertisers, in the order in which they were first seen.
    package var advertisers: [Advertiser<Source>] { table.values }

    /// An advertiser; `nil` if it was not seen recently.
    package subscript(source: Source) -> Advertiser<Source>? { table[source] }

    /// Takes a packet.
    /// - Parameters:
    ///   - data: AD structures, which need not be well-formed.
    ///   - isScanResponse: whether it is a scan response; `false` if the radio does not report it.
    ///   - rssi: the RSSI; `nil` if the radio does not report it.
    /// - Returns: its sender, with this packet included, and what is new.
    package mutating func receive(
        _ data: [UInt8], from source: Source, isScanResponse: Bool = false, rssi: RSSI?, at time: Duration
    ) -> (advertiser: Advertiser<Source>, news: News) {
        table.use(source, initial: Advertiser(source: source, at: time)) { advertiser in
            let isKnown = advertiser.advertisements + advertiser.scanResponses > 0
            let isNews = advertiser.receive(data, isScanResponse: isScanResponse, rssi: rssi, at: time)
            return (advertiser, isKnown ? isNews ? .newData : .nothing : .newAdvertiser)
        }
    }

    /// Forgets the advertisers that were not seen since a time.
    package mutating func forget(notSeenSince time: Duration) {
        table.keep { $0.lastSeen >= time }
    }
}

extension AdvertiserTable<RemoteAddress> {
    /// Adds a received advertisement.
    package mutating func take(_ sighting: Sighting, at time: Duration) -> (
        advertiser: Advertiser<RemoteAddress>, news: News
    ) {
        receive(
            sighting.data, from: sighting.device, isScanResponse: sighting.pdu?.isScanResponse == true,
            rssi: sighting.rssi, at: time)
    }
}
