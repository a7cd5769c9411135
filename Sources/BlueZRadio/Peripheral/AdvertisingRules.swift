// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import KernelBluetooth
import Radio

/// Derives what BlueZ advertises for a requested advertisement: from the observed commands to the controller, or else from
/// the known rules of the kernel and bluetoothd.
struct AdvertisingRules {
    /// How advertisements reach the adapter.
    var way: AdvertisingWay
    /// Whether the controller has extended advertising.
    let isExtended: Bool
    /// The address of the adapter, which connectable advertisements have; `nil` if it is not known.
    let adapterAddress: BluetoothAddress?
    /// The number of instances on the controller, including the instances of other programs.
    let instancesOnAir: Int
    /// The turns of the instances of other programs, in seconds.
    let foreignTurns: [Int]
    /// The settings of the adapter, as far as they are known.
    var settings: KnownSettings
    /// The time that the kernel gives each of our instances in turn on a legacy controller, in seconds.
    var turn: Int
    /// The adapter, as hints name it.
    let place: Fault.Place
    /// All advertisements that are requested of the adapter.
    var requested: [Advertisement] = []

    /// What is known of the settings of an adapter that affects advertisements.
    struct KnownSettings: Hashable, Sendable {
        /// Whether the kernel makes every instance connectable.
        var isConnectable = false
        /// Whether the adapter is discoverable, which is the usual reason.
        var isDiscoverable = false
        /// Whether the adapter has no BR/EDR, or has it switched off.
        var isLowEnergyOnly = false
    }

    /// The length of a turn that is requested over the management socket: as short as possible, since a beacon is silent
    /// during the turns of the others.
    static let requestedTurn = 1
    /// The kernel's own length of a turn (HCI_DEFAULT_ADV_DURATION).
    static let defaultTurn = 2

    /// The rules of an adapter with the usual settings.
    /// - Parameters:
    ///   - turn: the length of a turn in seconds; `nil` for the default of the way.
    ///   - place: the adapter, as hints name it.
    init(
        way: AdvertisingWay, isExtended: Bool, adapterAddress: BluetoothAddress?, instancesOnAir: Int,
        foreignTurns: [Int] = [], settings: KnownSettings = KnownSettings(), turn: Int? = nil,
        place: Fault.Place = Fault.Place("hci0")
    ) {
        self.way = way
        self.isExtended = isExtended
        self.adapterAddress = adapterAddress
        self.instancesOnAir = instancesOnAir
        self.foreignTurns = foreignTurns
        self.settings = settings
        self.turn = turn ?? (way == .management ? Self.requestedTurn : Self.defaultTurn)
        self.place = place
    }

    /// Whether instances take turns.
    var takesTurns: Bool { !isExtended && instancesOnAir > 1 }

    /// The time within which the controller advertises an instance that was placed, even if it is slow.
    var patience: Duration { .seconds(3 + (isExtended ? 0 : Self.defaultTurn * instancesOnAir)) }

    /// The duration of the turns of all instances, in seconds.
    var roundLength: Int { turn * (instancesOnAir - foreignTurns.count) + foreignTurns.reduce(0, +) }

    /// The time within which the controller advertises an instance again after it has ceased to: one round of turns, and
    /// at least 2 s.
    var round: Duration { .seconds(takesTurns ? max(2, roundLength) : 2) }

    /// The status of a requested advertisement.
    /// - Parameters:
    ///   - observation: what the controller was observed to advertise; `nil` if that could not be read.
    ///   - reason: why there is no observation, as a clause of a sentence.
    func status(
        of requested: Advertisement, observation: AdvertisingObserver.Observation?, unknownBecause reason: String
    ) -> AdvertisingStatus {
        let effective = observation.map(effective) ?? EffectiveAdvertisement(unknown: reason)
        let prediction = prediction(of: requested)
        var differences = effective.differences(from: requested)
        differences.formUnion(certainDifferences(requested, effective, prediction))
        let ordered = AdvertisingField.allCases.filter(differences.contains)
        var warnings = ordered.flatMap { self.warnings(for: $0, requested, effective, prediction) }
        if let warning = timeSharing { warnings.append(warning) }
        return AdvertisingStatus(
            requested: requested, effective: effective, differences: differences, warnings: warnings)
    }

    /// What bluetoothd and the kernel make of an advertisement.
    struct Prediction {
        /// The objects of bluetoothd; `nil` where the kernel gets the requested advertisement.
        let composition: BlueZAdvertisement?
        let pdu: AdvertisingPDU
        let advertisingData: [UInt8]
        let scanResponse: [UInt8]
    }

    /// Predicts what is advertised for a request.
    func prediction(of requested: Advertisement) -> Prediction {
        let composition: BlueZAdvertisement? =
            switch way {
            case .management: nil
            case .bus(let daemon): BlueZAdvertisement(requested, for: daemon)
            }
        let pdu = composition?.pdu ?? (lacksScanResponse(requested) ? .nonConnectable : requested.pdu)
        let data = composition?.advertisingData ?? requested.advertisingData
        return Prediction(
            composition: composition, pdu: settings.isConnectable ? .connectableScannable : pdu,
            advertisingData: addedFlags(to: data) + data.serialized(),
            scanResponse: (composition?.scanResponse ?? requested.scanResponse).serialized())
    }

    /// Whether the kernel makes a scannable advertisement non-scannable: on a legacy controller it takes the PDU type from
    /// the scan response (Linux, `hci_adv_instance_is_scannable`).
    func lacksScanResponse(_ requested: Advertisement) -> Bool {
        way == .management && !isExtended && requested.pdu == .scannable && requested.scanResponse.size == 0
    }

    /// The flags that the kernel puts in front of data without flags (Linux, `eir_create_adv_data`).
    func addedFlags(to data: AdvertisingData) -> [UInt8] {
        guard settings.isLowEnergyOnly, data.flags == nil else { return [] }
        return AdvertisingData([.flags(.classicNotSupported)]).serialized()
    }

    /// Why the kernel must not get an advertisement: it has no room for the flags that the kernel adds.
    func refusal(of requested: Advertisement, for beacon: BeaconIdentifier) -> RadioError? {
        guard way == .management, case let added = addedFlags(to: requested.advertisingData), !added.isEmpty,
            case let count = requested.advertisingData.serialized().count,
            count + added.count > Self.maximumDataLength
        else { return nil }
        return RadioError(
            .cannotCarry,
            "the advertising data of \(beacon) has \(count) bytes and no flags, but on an adapter without BR/EDR the "
                + "kernel adds \(added.count) bytes of flags, and \(Self.maximumDataLength) bytes is the limit",
            hint: "give the beacon flags, or at most \(Self.maximumDataLength - added.count) bytes")
    }

    /// Verifies that the kernel may get the advertisements of all beacons.
    /// - Throws: `RadioError` of the first that it must not get.
    func requireRoom(for beacons: [HostedBeacon]) throws(RadioError) {
        for beacon in beacons {
            guard let advertisement = beacon.advertisement else { continue }
            if let refusal = refusal(of: advertisement, for: beacon.identifier) { throw refusal }
        }
    }

    /// The maximum length of the data of a legacy PDU, in bytes.
    private static let maximumDataLength = 31

    /// Whether advertised bytes are the bytes of a requested advertisement.
    /// - Parameter bytes: `nil` for data that was set before the observer started. The kernel sends only data that
    ///   changed, so then it is the requested data if no other instance has a turn.
    func isCarried(_ requested: Advertisement, by bytes: [UInt8]?) -> Bool { carrier(of: requested)(bytes) }

    /// `isCarried` for one advertisement and many bytes.
    private func carrier(of requested: Advertisement) -> ([UInt8]?) -> Bool {
        if case .bus(let daemon) = way {
            let composition = BlueZAdvertisement(requested, for: daemon)
            return { bytes in bytes.map(composition.isCarried) ?? (instancesOnAir == 1) }
        }
        let exact = requested.advertisingData.serialized()
        return { bytes in
            guard let bytes else { return instancesOnAir == 1 }
            guard bytes != exact else { return true }
            guard let structures = try? AdvertisingData(parsing: bytes).structures else { return false }
            // Flags do not identify an advertisement; the kernel adds them to data without any.
            let identifying = requested.advertisingData.structures.filter { !$0.isFlags }
            guard identifying.isEmpty else { return identifying.allSatisfy(structures.contains) }
            return requested.advertisingData.structures.isEmpty && structures.allSatisfy(\.isFlags)
        }
    }

    /// The latest observation of a requested advertisement after a sequence number.
    ///
    /// Another requested one with the same advertising data is recognised by its scan response.
    func observation(
        of requested: Advertisement, by observer: AdvertisingObserver, after sequence: Int
    ) -> AdvertisingObserver.Observation? {
        let own = prediction(of: requested).scanResponse
        let found = observer.observation(
            after: sequence,
            except: { observation in
                guard let scanResponse = observation.scanResponse, scanResponse != own else { return false }
                return self.requested.contains {
                    isCarried($0, by: observation.advertisingData) && prediction(of: $0).scanResponse == scanResponse
                }
            }, where: carrier(of: requested))
        guard var observation = found else { return nil }
        guard way == .management else { return observation }
        if observation.advertisingData == nil {
            observation.advertisingData = prediction(of: requested).advertisingData
        }
        if observation.scanResponse == nil { observation.scanResponse = requested.scanResponse.serialized() }
        return observation
    }

    private func effective(_ observation: AdvertisingObserver.Observation) -> EffectiveAdvertisement {
        var effective = EffectiveAdvertisement(unknown: "the controller was not observed")
        effective.pdu =
            observation.pdu.map { .known($0) } ?? .unknown("the controller was given a PDU type that no beacon has")
        effective.advertisingData = Self.effective(observation.advertisingData)
        effective.scanResponse =
            observation.pdu == .nonConnectable ? .known([]) : Self.effective(observation.scanResponse)
        effective.interval = .known(observation.interval)
        effective.transmitPower =
            observation.transmitPower.map { .known($0) }
            ?? .unknown("controllers do not report the power of legacy advertising")
        effective.address = address(observation)
        return effective
    }

    private static func effective(_ bytes: [UInt8]?) -> Effective<[UInt8]> {
        bytes.map { .known($0) } ?? .unknown("it was set before the controller was observed")
    }

    /// The fields that differ by the rules, observed or not.
    private func certainDifferences(
        _ requested: Advertisement, _ effective: EffectiveAdvertisement, _ prediction: Prediction
    ) -> Set<AdvertisingField> {
        var fields: Set<AdvertisingField> = []
        if requested.address != nil, effective.address.value == nil { fields.insert(.address) }
        if requested.transmitPower != nil, !isExtended { fields.insert(.transmitPower) }
        if effective.interval.value == nil {
            if forcesInterval(of: requested) || way.honoursIntervals == false { fields.insert(.interval) }
        }
        if effective.advertisingData.value == nil,
            prediction.advertisingData != requested.advertisingData.serialized()
        {
            fields.insert(.advertisingData)
        }
        if effective.scanResponse.value == nil, prediction.scanResponse != requested.scanResponse.serialized() {
            fields.insert(.scanResponse)
        }
        if effective.pdu.value == nil, prediction.pdu != requested.pdu { fields.insert(.pdu) }
        return fields
    }

    /// Whether the kernel chooses the interval.
    func forcesInterval(of requested: Advertisement) -> Bool {
        guard case .management = way else { return false }
        return !isExtended && !requested.pdu.isConnectable && !settings.isConnectable
    }

    /// The address in the PDU. The kernel takes a new random address at each turn of an instance.
    private func address(_ observation: AdvertisingObserver.Observation) -> Effective<BluetoothAddress> {
        guard let random = observation.randomAddress else {
            return adapterAddress.map { .known($0) } ?? .unknown("the address of the adapter is not known")
        }
        return takesTurns ? .unknown("the kernel takes a new random address at every turn") : .known(random)
    }
}

extension AdvertisingStructure {
    /// Whether it is the flags.
    var isFlags: Bool { if case .flags = self { true } else { false } }
}
