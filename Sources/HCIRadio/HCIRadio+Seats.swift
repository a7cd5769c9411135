// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import BluetoothCore
import HostStack
import Radio
import VirtualRadio

extension HCIRadio {
    /// Gives every beacon a seat, and takes the seats of those that are gone.
    /// - Throws: `RadioError` `.cannotCarry`; nothing is changed then.
    func plan(_ planned: [HostedBeacon]) throws(RadioError) {
        try checkCapacity(planned.count)
        let kept = Set(planned.map(\.identifier))
        for beacon in beacons.keys where !kept.contains(beacon) { vacate(beacon) }
        for beacon in planned {
            if let seated = beacons[beacon.identifier], !isOtherHardware(beacon, than: seated.plan) {
                change(seated, to: beacon)
            } else {
                seat(beacon)
            }
        }
    }

    /// Whether a beacon cannot stay where it is: on an air, another place or another address is another controller.
    private func isOtherHardware(_ beacon: HostedBeacon, than former: HostedBeacon) -> Bool {
        guard case .virtual = place else { return false }
        return former.site != beacon.site || former.address != beacon.address
    }

    /// Carries a beacon that was not carried, or was elsewhere.
    private func seat(_ beacon: HostedBeacon) {
        let wanted = beacons[beacon.identifier]?.wanted
        vacate(beacon.identifier)
        guard let seat = makeSeat(for: beacon) else { return }
        let seated = SeatedBeacon(beacon, on: seat)
        beacons[beacon.identifier] = seated
        occupants[seat] = seated
        setServices(of: seated)
        if beacon.pairing != nil { setPairing(of: seated) }
        guard let wanted else { return }
        seated.wanted = wanted
        apply(seated)
    }

    private func change(_ seated: SeatedBeacon, to plan: HostedBeacon) {
        let former = seated.plan
        seated.plan = plan
        if former.tableSource != plan.tableSource { setServices(of: seated) }
        if former.pairing != plan.pairing { setPairing(of: seated) }
        if former.pairing?.hidesAddress != plan.pairing?.hidesAddress { apply(seated) }
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
            hint: "run the first \(radio.instances) beacons here, and the others on another controller")
    }

    private func makeSeat(for beacon: HostedBeacon) -> Seat? {
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
        guard let seat = beacons.removeValue(forKey: beacon)?.seat else { return }
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
                host.setPairing(nil, for: seat.set)
                host.setBonds([], for: seat.set)
            }
        }
    }

    /// Gives a beacon's host the attribute table of its plan, for those who connect and those who are connected.
    private func setServices(of beacon: SeatedBeacon) {
        let (source, seat) = (beacon.plan.tableSource, beacon.seat)
        let database =
            source.services.isEmpty && !source.isConnectable
            ? nil : try? AttributeDatabase(services: source.services, genericAccess: source.genericAccess)
        hosts[seat.host]?.change(
            { $0.setDatabase(database, for: seat.set) },
            then: { ended in
                // The handles are those of the former table; whatever comes in from now on has the new one's.
                for subscription in ended {
                    subscribed(subscription.connection, on: seat.host, to: subscription.handle, [])
                }
                beacon.characteristics = database.map(CharacteristicHandles.init)
            })
    }

    /// Brings what is on the air for a beacon in line with what is wanted.
    func apply(_ beacon: SeatedBeacon) {
        let (plan, seat) = (beacon.plan, beacon.seat)
        guard let host = hosts[seat.host] else { return }
        guard let advertisement = beacon.wanted else {
            host.change { $0.stopAdvertising(seat.set) }
            return
        }
        let address = ownAddress(advertisement.address, of: plan)
        host.change {
            $0.setAdvertising(
                advertisement, for: seat.set, address: address, whileConnected: plan.advertisesWhileConnected)
        }
    }

    /// The address given, where it can be had; else the beacon's own.
    private func ownAddress(_ given: BluetoothAddress?, of beacon: HostedBeacon) -> OwnAddress {
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

/// What an attribute table is made of.
private struct TableSource: Equatable {
    let services: [GATTService]
    let genericAccess: GenericAccess
    /// Whether centrals may connect, services or not.
    let isConnectable: Bool
}

extension HostedBeacon {
    fileprivate var tableSource: TableSource {
        TableSource(
            services: services,
            // An appearance that is advertised is the characteristic's value (CSS, Part A, 1.12).
            genericAccess: GenericAccess(name: localName ?? identifier.name, appearance: appearance ?? 0),
            isConnectable: advertisement?.pdu.isConnectable == true)
    }

    /// The address that its profile gives it.
    var address: BluetoothAddress? { advertisement?.address }

    /// The appearance that it advertises.
    private var appearance: UInt16? {
        advertisement?.advertisingData.appearance ?? advertisement?.scanResponse.appearance
    }

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
    init(_ beacon: HostedBeacon, spare: BluetoothAddress) {
        let site = beacon.site
        let correction = site.measuredPower.map {
            Int($0.decibelMilliwatts) - Int(site.transmitPower?.decibelMilliwatts ?? 0) - Self.uncalibrated
        }
        let address = beacon.address.flatMap { $0.isStaticRandom ? nil : $0 }
        self.init(
            publicAddress: address ?? spare, position: site.position, rssiOffset: Double(correction ?? 0))
    }
}
