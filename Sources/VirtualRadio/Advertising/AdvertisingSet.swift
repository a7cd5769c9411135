// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

/// Something that a controller advertises: the one of the legacy commands, or one of the extended ones.
struct AdvertisingSet: Sendable {
    /// Octets of data that a set holds, and of its scan response.
    static let dataLimit = 251
    static let legacyDataLimit = 31
    /// The end of high duty cycle directed advertising (Core 5.4, Vol 6, Part B, 4.4.2.4.3).
    static let highDutyDuration: Int64 = 1_280_000
    /// What lies between two events of high duty cycle directed advertising.
    static let highDutyInterval: Int64 = 3_750
    /// The pseudo-random time that is added to each interval, at most (Core 5.4, Vol 6, Part B, 4.4.2.2.1).
    static let delayLimit: Int64 = 10_000

    let controller: Int
    /// `nil` for the set of the legacy commands.
    let handle: UInt8?
    let timer: TimerIdentifier

    var properties: AdvertisingEventProperties = .legacyConnectable
    /// Microseconds.
    var interval: Int64 = 1_280_000
    /// Channels 37, 38 and 39, a bit each.
    var channels: UInt8 = 0x07
    var filterPolicy: AdvertisingFilterPolicy = []
    var usesRandomAddress = false
    var transmitPower: Int8 = 0
    var secondaryPHY: UInt8 = 1
    var identifier: UInt8 = 0
    var notifiesScanRequests = false
    /// Whether parameters were set; the legacy set has them from the start.
    var isConfigured = false
    /// Whether data came as a first fragment and not yet the last, of both kinds.
    var dataIsIncomplete = false
    var scanResponseIsIncomplete = false
    /// Changes with the data of extended PDUs, so that scanners take it for new: 12 bits.
    var dataIdentifier: UInt16 = 0

    /// The address of a set of the extended commands.
    var randomAddress: PackedAddress?
    /// What it advertises with since it was enabled.
    var address = PackedAddress.anonymous
    /// Whom directed advertising is for.
    var target = PackedAddress.anonymous
    var data: [UInt8] = []
    var scanResponse: [UInt8] = []

    var isEnabled = false
    /// When advertising ends by itself.
    var end: AirTime = .never
    /// After how many events it ends by itself; 0 for never.
    var maximumEvents: UInt8 = 0
    /// Events since it was enabled; stays at 255.
    var completedEvents: UInt8 = 0

    init(controller: Int, handle: UInt8?, timer: TimerIdentifier) {
        self.controller = controller
        self.handle = handle
        self.timer = timer
    }

    var isConnectable: Bool { properties.contains(.connectable) }

    /// What tells its advertisements from others of the same address.
    func seenAdvertisement(isScanResponse: Bool) -> SeenAdvertisement {
        var detail = UInt32(isScanResponse ? 0x18 : properties.rawValue & 0x17)
        if !properties.contains(.legacy) {
            detail |= 0x20 | UInt32(identifier) << 8 | UInt32(dataIdentifier & 0x0FFF) << 16
        }
        return SeenAdvertisement(address: address, detail: detail)
    }
}
