// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import GATT
import HostStack
import Radio
import VirtualRadio

extension HCIRadio {
    /// Gives every beacon a seat, and takes the seats of those that are gone.
    /// - Throws: `RadioError` `.cannotCarry`; nothing is changed then.
    func plan(_ planned: [PlannedBeacon]) throws(RadioError) {
        try checkCapacity(planned.count)
        let kept = Set(planned.map(\.identifier))
        for beacon in seats.keys where !kept.contains(beacon) { vacate(beacon) }
        for beacon in planned {
            let former = beacons.updateValue(beacon, forKey: beacon.identifier)
            if let former, former.site != beacon.site || former.address != beacon.address, case .virtual = place {
                // Another place or another address is another piece of hardware.
                let advertisement = wanted[beacon.identifier]
                vacate(beacon.identifier)
                beacons[beacon.identifier] = beacon
                wanted[beacon.identifier] = advertisement
            }
            let isNew = seats[beacon.identifier] == nil
            if isNew, let seat = makeSeat(for: beacon) {
                seats[beacon.identifier] = seat
                occupants[seat] = beacon.identifier
            }
            if isNew || former?.services != beacon.services { setServices(of: beacon) }
            if former?.pairing != beacon.pairing || (isNew && beacon.pairing != nil) { setPairing(of: beacon) }
            if let former, former.pairing?.hidesAddress != beacon.pairing?.hidesAddress { apply(beacon.identifier) }
            if isNew, wanted[beacon.identifier] != nil { apply(beacon.identifier) }
        }
    }

    private func checkCapacity(_ count: Int) throws(RadioError) {
        if let obstacle = Self.obstacle(to: count, on: described()) { throw obstacle }
    }

    /// Why so many beacons do not fit; `nil` when they do.
    static func obstacle(to count: Int, on radio: RadioCapabilities) -> RadioError? {
        guard count > radio.instances else { return nil }
        let places = radio.hasExtendedAdvertising ? "has \(radio.instances) advertising sets" : "takes so many turns"
        return RadioError(
            .cannotCarry, "\(radio.instances) of \(count) beacons fit on \(radio.name): its controller \(places)",
            cure: "run the first \(radio.instances) beacons here, and the others on another controller")
    }

    private func makeSeat(for beacon: PlannedBeacon) -> Seat? {
        guard case .virtual = place else {
            return AdvertisingSetIdentifier.range.lazy.compactMap(AdvertisingSetIdentifier.init)
                .map { Seat(host: Self.onlyHost, set: $0) }.first { occupants[$0] == nil }
        }
        guard let air, let set = AdvertisingSetIdentifier(0) else { return nil }
        let identifier = nextHost
        nextHost.rawValue += 1
        let host = makeHost(identifier)
        hosts[identifier] = host
        host.start(on: AirLink(air, ControllerConfiguration(beacon, spare: air.makePublicAddress()), user: host))
        return Seat(host: identifier, set: set)
    }

    private func vacate(_ beacon: BeaconIdentifier) {
        beacons[beacon] = nil
        wanted[beacon] = nil
        characteristics[beacon] = nil
        guard let seat = seats.removeValue(forKey: beacon) else { return }
        occupants[seat] = nil
        if case .virtual = place {
            for (name, central) in centrals where central.beacon == beacon {
                centrals[name] = nil
                central.link.end("the beacon is gone")
                continuation.yield(.disconnected(beacon, central: name))
            }
            hosts.removeValue(forKey: seat.host)?.close()
        } else {
            hosts[seat.host]?.change { host in
                host.stopAdvertising(seat.set)
                host.setPairingPolicy(nil, for: seat.set)
                host.setBonds([], for: seat.set)
            }
        }
    }

    private func setServices(of beacon: PlannedBeacon) {
        guard let seat = seats[beacon.identifier] else { return }
        let database =
            beacon.services.isEmpty && beacon.advertisement?.pdu.isConnectable != true
            ? nil
            : try? AttributeDatabase(
                services: beacon.services,
                genericAccess: GenericAccess(name: beacon.localName ?? beacon.identifier.name))
        characteristics[beacon.identifier] = database.map(CharacteristicHandles.init)
        hosts[seat.host]?.change { $0.setDatabase(database, for: seat.set) }
    }

    /// Brings what is on the air for a beacon in line with what is wanted.
    func apply(_ identifier: BeaconIdentifier) {
        guard let seat = seats[identifier], let beacon = beacons[identifier], let host = hosts[seat.host] else {
            return
        }
        guard let advertisement = wanted[identifier] else {
            host.change { $0.stopAdvertising(seat.set) }
            return
        }
        let address = ownAddress(advertisement.address, of: beacon)
        host.change {
            $0.setAdvertising(
                advertisement, for: seat.set, address: address, whileConnected: beacon.advertisesWhileConnected)
        }
    }

    /// The address given, where it can be had; else the beacon's own.
    private func ownAddress(_ given: BluetoothAddress?, of beacon: PlannedBeacon) -> OwnAddress {
        if beacon.pairing?.hidesAddress == true {
            let own = given.flatMap { $0.isStaticRandom ? $0 : nil } ?? BeaconAddress.derived(from: beacon.key)
            return .resolvable(identity(of: beacon, address: own))
        }
        guard let given else { return .random(BeaconAddress.derived(from: beacon.key)) }
        if given.isStaticRandom { return .random(given) }
        if case .virtual = place { return .publicDevice }
        return .random(BeaconAddress.derived(from: beacon.key))
    }
}

extension PlannedBeacon {
    /// The address that its profile gives it.
    var address: BluetoothAddress? { advertisement?.address }

    /// The name that it advertises, whole or shortened.
    var localName: String? {
        advertisement?.scanResponse.localName ?? advertisement?.advertisingData.localName
    }
}

extension ControllerConfiguration {
    /// The strength that the air has 1 m from a device that radiates with 0 dBm.
    private static let uncalibrated = -59

    /// The controller of a beacon: where the profile puts it, and calibrated to what the profile says.
    /// - Parameter spare: its public address, when the profile gives none.
    init(_ beacon: PlannedBeacon, spare: BluetoothAddress) {
        let site = beacon.site
        let correction = site.measuredPower.map {
            Int($0.decibelMilliwatts) - Int(site.transmitPower?.decibelMilliwatts ?? 0) - Self.uncalibrated
        }
        let address = beacon.address.flatMap { $0.isStaticRandom ? nil : $0 }
        self.init(
            publicAddress: address ?? spare, position: site.position, strengthCorrection: Double(correction ?? 0))
    }
}
