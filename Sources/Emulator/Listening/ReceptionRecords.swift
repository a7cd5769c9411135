// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
package import Bluetooth
import Radio
package import Receiving

/// A packet that a listening receiver got, as JSON: what people and apps need of it beside its bytes.
package struct AdvertisementRecord: Encodable, Sendable {
    private enum CodingKeys: String, CodingKey {
        case v, time, receiver, address, addressType, pdu, connectable, rssi, data, name, txPower, services, serviceData
        case manufacturerData, device, format, company, measuredPower, truth
    }

    /// The time of the run, in UTC.
    let time: String
    let receiver: String
    let address: String
    let addressType: String
    let pdu: String?
    let connectable: Bool?
    let rssi: Int8?
    let data: String
    /// The local name, complete or shortened.
    private let name: String?
    private let txPower: Int8?
    private let services: [String]
    /// The data of services, by their UUIDs: four digits, or all of them.
    private let serviceData: [String: String]
    /// The data of manufacturers, by the four digits of their numbers.
    private let manufacturerData: [String: String]
    /// The beacon of the run that sent it.
    let device: String?
    /// The first beacon frame.
    private let frame: BeaconFrame?
    /// Where the receiver and the beacon really are; `nil` if that is not known.
    private let truth: TruthRecord?

    /// - Parameters:
    ///   - date: since the Unix epoch.
    ///   - device: the beacon of the run that sent it; `nil` for none.
    ///   - truth: where the receiver and the beacon really are; `nil` if that is not known.
    init(_ sighting: Sighting, at date: Duration, receiver: String, device: String?, truth: TruthRecord? = nil) {
        self.truth = truth
        time = Timestamp.text(sinceUnixEpoch: date)
        self.receiver = receiver
        self.device = device
        address = sighting.device.address.description
        addressType = sighting.device.isRandom ? "random" : "public"
        pdu = sighting.pdu?.rawValue
        connectable = sighting.pdu.map { $0 == .connectableScannable || $0 == .directed }
        rssi = sighting.rssi.flatMap { -127...20 ~= $0.decibelMilliwatts ? $0.decibelMilliwatts : nil }
        data = Hexadecimal.string(sighting.data)
        let parsed = AdvertisingData.prefix(of: sighting.data).data
        name = parsed.localName
        services = parsed.services.map(\.description)
        var (power, serviceData, manufacturerData) = (Int8?.none, [String: String](), [String: String]())
        for structure in parsed.structures {
            switch structure {
            case .transmitPower(let level): power = level.decibelMilliwatts
            case .serviceData16(let uuid, let bytes):
                serviceData[BluetoothUUID.bit16(uuid).description] = Hexadecimal.string(bytes)
            case .manufacturerSpecific(let company, let bytes):
                let number = [UInt8(company.rawValue >> 8), UInt8(company.rawValue & 0xFF)]
                manufacturerData[Hexadecimal.string(number).uppercased()] = Hexadecimal.string(bytes)
            case .unknown(type: 0x21, let bytes) where bytes.count >= 16:
                guard let uuid = UUID128(octets: bytes.prefix(16).reversed()) else { continue }
                serviceData[uuid.description] = Hexadecimal.string(bytes.dropFirst(16))
            default: continue
            }
        }
        (txPower, self.serviceData, self.manufacturerData) = (power, serviceData, manufacturerData)
        frame = parsed.frames.first
    }

    package func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode(1, forKey: .v)
        try object.encode(time, forKey: .time)
        try object.encode(receiver, forKey: .receiver)
        try object.encode(address, forKey: .address)
        try object.encode(addressType, forKey: .addressType)
        try object.encodeIfPresent(pdu, forKey: .pdu)
        try object.encodeIfPresent(connectable, forKey: .connectable)
        try object.encodeIfPresent(rssi, forKey: .rssi)
        try object.encode(data, forKey: .data)
        try object.encodeIfPresent(name, forKey: .name)
        try object.encodeIfPresent(txPower, forKey: .txPower)
        try object.encode(services, forKey: .services)
        try object.encode(serviceData, forKey: .serviceData)
        try object.encode(manufacturerData, forKey: .manufacturerData)
        try object.encodeIfPresent(device, forKey: .device)
        try object.encodeIfPresent(truth, forKey: .truth)
        guard let frame else { return }
        try object.encode(frame.format, forKey: .format)
        try object.encodeIfPresent(frame.measuredPower?.decibelMilliwatts, forKey: .measuredPower)
        try object.encodeIfPresent(company?.rawValue, forKey: .company)
        try frame.identity.map { IdentifierRecord($0) }?.encode(to: encoder)
    }

    /// The company whose identifier begins the frame; `nil` for data of a service.
    private var company: CompanyIdentifier? {
        if case .manufacturerSpecific(let company, _)? = frame?.structure { company } else { nil }
    }

    /// Whether a filter accepts it.
    func isAccepted(by filter: AdvertisementFilter) -> Bool {
        if let formats = filter.formats {
            guard let frame, formats.contains(where: { frame.isNamed($0) }) else { return false }
        }
        return filter.accepts(frame?.identity)
    }
}

/// The number of records that a client of a stream lost, in their place, as JSON.
struct LossRecord: Encodable {
    /// The version of the format.
    let v = 1
    let lost: Int
}

/// Which packets, or which beacons, a client of a listening receiver gets.
package struct AdvertisementFilter: Hashable, Sendable {
    /// The names of formats; `nil` for all, and packets without a frame.
    package var formats: [String]?
    /// `nil` for any.
    package var uuid: UUID128?
    package var major: UInt16?
    package var minor: UInt16?

    /// Accepts everything.
    package init() {}

    /// Whether it accepts the UUID, the major and the minor number of a beacon; `nil` for a frame without an identity.
    func accepts(_ identity: BeaconIdentity?) -> Bool {
        guard uuid != nil || major != nil || minor != nil else { return true }
        guard let numbers = identity?.numbers else { return false }
        return uuid ?? numbers.uuid == numbers.uuid && major ?? numbers.major == numbers.major
            && minor ?? numbers.minor == numbers.minor
    }
}

/// A ranging report as JSON.
package struct RangingRecord: Codable, Hashable, Sendable {
    /// A beacon of the report.
    package struct Beacon: Codable, Hashable, Sendable {
        private enum CodingKeys: CodingKey {
            case format, rssi, measuredPower, packets, proximity, accuracy, truth
        }

        /// The format of its frame.
        package let format: String
        package let identifiers: IdentifierRecord
        /// The mean since the last report, in dBm; 0 without packets.
        package let rssi: Int8
        /// `nil` if it claims none.
        package let measuredPower: Int8?
        /// The number since the last report.
        package let packets: Int
        package let proximity: String
        /// The estimated distance in metres; -1 if unknown.
        package let accuracy: Double
        /// Where the beacon really is, and its distance; `nil` if that is not known.
        package fileprivate(set) var truth: TruthRecord?

        package init(_ beacon: RangedBeacon) {
            format = beacon.identity.format
            identifiers = IdentifierRecord(beacon.identity)
            rssi = beacon.rssi.decibelMilliwatts
            measuredPower = beacon.beacon.measuredPower?.decibelMilliwatts
            packets = beacon.packets
            proximity = beacon.proximity.rawValue
            accuracy = beacon.accuracy
        }

        package init(from decoder: any Decoder) throws {
            identifiers = try IdentifierRecord(from: decoder)
            let object = try decoder.container(keyedBy: CodingKeys.self)
            format = try object.decode(String.self, forKey: .format)
            rssi = try object.decode(Int8.self, forKey: .rssi)
            measuredPower = try object.decodeIfPresent(Int8.self, forKey: .measuredPower)
            packets = try object.decode(Int.self, forKey: .packets)
            proximity = try object.decode(String.self, forKey: .proximity)
            accuracy = try object.decode(Double.self, forKey: .accuracy)
            truth = try object.decodeIfPresent(TruthRecord.self, forKey: .truth)
        }

        package func encode(to encoder: any Encoder) throws {
            try identifiers.encode(to: encoder)
            var object = encoder.container(keyedBy: CodingKeys.self)
            try object.encode(format, forKey: .format)
            try object.encode(rssi, forKey: .rssi)
            try object.encodeIfPresent(measuredPower, forKey: .measuredPower)
            try object.encode(packets, forKey: .packets)
            try object.encode(proximity, forKey: .proximity)
            try object.encode(accuracy, forKey: .accuracy)
            try object.encodeIfPresent(truth, forKey: .truth)
        }
    }

    /// The version of the format.
    package var v = 1
    /// The end of the period, in UTC; before the first report, the time of the request.
    package let time: String
    /// The nearest first.
    package private(set) var beacons: [Beacon]
    /// Why nothing can be received: `bluetooth-off` or `permission-denied`; absent if it can.
    package let obstacle: String?
    /// Where the receiver really is; absent if that is not known.
    package private(set) var truth: TruthRecord?

    init(_ beacons: [RangedBeacon] = [], _ obstacle: PhoneObstacle? = nil, time: String = Timestamp.now) {
        self.time = time
        self.obstacle = obstacle?.rawValue
        self.beacons = beacons.map(Beacon.init)
    }

    /// Adds where the receiver and its beacons really are.
    mutating func add(_ own: TruthRecord?, of truth: (IdentifierRecord) -> TruthRecord?) {
        self.truth = own
        for index in beacons.indices { beacons[index].truth = truth(beacons[index].identifiers) }
    }

    /// The report of the beacons that a filter accepts.
    func beacons(_ filter: AdvertisementFilter) -> RangingRecord {
        var report = self
        report.beacons = beacons.filter { filter.accepts($0.identifiers.beacon(format: $0.format)) }
        return report
    }
}

/// A region of a listening receiver as JSON.
package struct MonitoredRegion: Codable, Hashable, Sendable {
    private enum CodingKeys: String, CodingKey {
        case v, identifier, state
        case notifiesOnDisplay = "notify-on-display"
    }

    /// The name of the region.
    package let identifier: String
    /// The identifiers of its beacons.
    package let identifiers: IdentifierRecord
    /// unknown, inside or outside.
    package let state: String
    /// Whether the state is reported again when the screen comes on inside; `nil`: it is not.
    package let notifiesOnDisplay: Bool?

    init(_ status: RegionStatus) {
        notifiesOnDisplay = status.region.notifiesOnDisplay ? true : nil
        identifier = status.region.identifier
        identifiers = IdentifierRecord(status.region.identifiers)
        state = status.state.rawValue
    }

    package init(from decoder: any Decoder) throws {
        identifiers = try IdentifierRecord(from: decoder)
        let object = try decoder.container(keyedBy: CodingKeys.self)
        identifier = try object.decode(String.self, forKey: .identifier)
        state = try object.decode(String.self, forKey: .state)
        notifiesOnDisplay = try object.decodeIfPresent(Bool.self, forKey: .notifiesOnDisplay)
    }

    package func encode(to encoder: any Encoder) throws {
        try identifiers.encode(to: encoder)
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode(1, forKey: .v)
        try object.encode(identifier, forKey: .identifier)
        try object.encode(state, forKey: .state)
        try object.encodeIfPresent(notifiesOnDisplay, forKey: .notifiesOnDisplay)
    }
}

/// The state of a region, or a change of it, as JSON.
package struct MonitoringRecord: Encodable, Hashable, Sendable {
    private enum CodingKeys: CodingKey {
        case v, time, identifier, state, event, obstacle
    }

    /// In UTC.
    let time: String
    let identifier: String
    /// The identifiers of its beacons.
    let identifiers: IdentifierRecord
    let state: String
    /// `state`, `entered`, `exited` or `determined`.
    let event: String
    /// Why nothing can be received: `bluetooth-off` or `permission-denied`; absent if it can.
    let obstacle: String?

    private init(_ region: BeaconRegion, _ state: RegionState, _ event: String, _ obstacle: PhoneObstacle? = nil) {
        self.obstacle = obstacle?.rawValue
        time = Timestamp.now
        identifier = region.identifier
        identifiers = IdentifierRecord(region.identifiers)
        self.state = state.rawValue
        self.event = event
    }

    init(_ status: RegionStatus, _ obstacle: PhoneObstacle? = nil) {
        self.init(status.region, status.state, "state", obstacle)
    }

    init(_ event: RegionEvent) { self.init(event.region, event.state, event.kind.rawValue) }

    package func encode(to encoder: any Encoder) throws {
        try identifiers.encode(to: encoder)
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode(1, forKey: .v)
        try object.encode(time, forKey: .time)
        try object.encode(identifier, forKey: .identifier)
        try object.encode(state, forKey: .state)
        try object.encode(event, forKey: .event)
        try object.encodeIfPresent(obstacle, forKey: .obstacle)
    }
}

/// A device that a listening receiver has received lately, as JSON: its last packet, and the number of packets.
package struct AdvertiserRecord: Encodable, Sendable {
    private enum CodingKeys: CodingKey {
        case packets
    }

    let advertisement: AdvertisementRecord
    /// The number of its packets so far.
    let packets: Int

    init(_ advertisement: AdvertisementRecord, packets: Int) {
        self.advertisement = advertisement
        self.packets = packets
    }

    package func encode(to encoder: any Encoder) throws {
        try advertisement.encode(to: encoder)
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode(packets, forKey: .packets)
    }
}
