// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth
package import HCI

/// The parameters of an advertising set, or of the only advertiser of a legacy controller.
package struct AdvertiserParameters: Hashable, Sendable {
    /// The PDU type.
    package var pdu: AdvertisingPDU
    /// The interval, the shortest and the longest at once.
    package var interval: AdvertisingInterval
    /// The transmit power; `nil` leaves it to the controller.
    package var transmitPower: TransmitPower?
    /// The type of the own address.
    package var ownAddressType: OwnAddressType
}

/// A requested advertisement in the form that commands take.
struct AdvertisingOrder: Hashable, Sendable {
    /// The values that a controller takes only while the set is disabled.
    var parameters: AdvertiserParameters
    /// The address in the PDUs.
    var address: OwnAddress
    var advertisingData: [UInt8]
    /// Empty for a PDU that is not scannable.
    var scanResponse: [UInt8]

    init(_ advertisement: Advertisement, address: OwnAddress) {
        parameters = AdvertiserParameters(
            pdu: advertisement.pdu, interval: advertisement.interval, transmitPower: advertisement.transmitPower,
            ownAddressType: address.type)
        self.address = address
        advertisingData = advertisement.advertisingData.bytes
        scanResponse = advertisement.scanResponse.bytes
    }
}

/// What a controller acknowledged of one advertising set, or of its only advertiser.
struct Advertiser: Hashable, Sendable {
    /// Whether this is an advertising set, which can be removed.
    private let isSet: Bool
    /// `nil` until they are acknowledged once.
    private(set) var parameters: AdvertiserParameters?
    private(set) var randomAddress: BluetoothAddress?
    private(set) var advertisingData: [UInt8] = []
    private(set) var scanResponse: [UInt8] = []
    private(set) var isEnabled = false
    /// The transmit power that the controller reported.
    private(set) var selectedPower: TransmitPower?
    /// Whether new parameters need a command to disable the set first, although it is not known to be enabled.
    private var disabling = Disabling.notNeeded

    private enum Disabling: Hashable {
        case notNeeded, due, done
    }

    init(isSet: Bool) { self.isSet = isSet }

    /// Whether a central can connect to its PDUs.
    var isConnectable: Bool { parameters?.pdu.isConnectable == true }

    /// The next command towards an order, with the least disturbance of what is on the air; `nil` when none is needed.
    /// - Parameter enabling: whether it is enabled in the end.
    func step(towards order: AdvertisingOrder?, enabling: Bool) -> AdvertiserStep? {
        if disabling == .due { return .disable }
        guard let order else {
            if isEnabled { return .disable }
            return isSet && parameters != nil ? .remove : nil
        }
        if let step = stepWhileDisabled(towards: order) { return isEnabled ? .disable : step }
        if advertisingData != order.advertisingData { return .advertisingData(order.advertisingData) }
        if order.parameters.pdu.isScannable, scanResponse != order.scanResponse {
            return .scanResponse(order.scanResponse)
        }
        if isEnabled == enabling { return nil }
        return enabling ? .enable : .disable
    }

    private func stepWhileDisabled(towards order: AdvertisingOrder) -> AdvertiserStep? {
        if parameters != order.parameters {
            if isSet, let parameters, parameters.pdu != order.parameters.pdu { return .remove }
            return .parameters(order.parameters)
        }
        if let address = order.address.randomAddress, address != randomAddress { return .randomAddress(address) }
        return nil
    }

    /// Records that the controller executed a command.
    mutating func acknowledge(_ step: AdvertiserStep) {
        switch step {
        case .disable:
            isEnabled = false
            if disabling == .due { disabling = .done }
        case .remove: self = Advertiser(isSet: isSet)
        case .parameters(let new):
            parameters = new
            disabling = .notNeeded
        case .randomAddress(let address): randomAddress = address
        case .advertisingData(let data): advertisingData = data
        case .scanResponse(let data): scanResponse = data
        case .enable: isEnabled = true
        }
    }

    /// Records that the controller refused a command as not allowed now.
    ///
    /// Some refuse new parameters after a connection until the set is disabled, although the connection has done that.
    /// - Returns: whether the command is to be repeated, after the set was disabled; not a second time.
    mutating func refuse(_ step: AdvertiserStep) -> Bool {
        guard case .parameters = step else { return false }
        let isFirst = disabling == .notNeeded
        disabling = isFirst ? .due : .notNeeded
        return isFirst
    }

    /// Records the transmit power that the controller selected, if it reports one.
    mutating func select(_ power: TransmitPower?) { selectedPower = power == .unspecified ? nil : power }
}

/// One command on the way from the present state of an advertiser to an order.
enum AdvertiserStep: Hashable, Sendable {
    case disable
    /// Remove the set, so that a new PDU type is not combined with the data of the old one.
    case remove
    case parameters(AdvertiserParameters)
    case randomAddress(BluetoothAddress)
    case advertisingData([UInt8])
    case scanResponse([UInt8])
    case enable

    var changesRandomAddress: Bool {
        if case .randomAddress = self { true } else { false }
    }

    /// The commands that `command(for:)` returns.
    static let setCommands = [
        LESetAdvertisingSetRandomAddress.opcode, LESetExtendedAdvertisingParameters.opcode,
        LESetExtendedAdvertisingData.opcode, LESetExtendedScanResponseData.opcode,
        LESetExtendedAdvertisingEnable.opcode, LERemoveAdvertisingSet.opcode,
    ]

    /// The command for an advertising set.
    func command(for set: AdvertisingSetIdentifier) -> HCICommandPacket {
        let handle = set.rawValue
        return switch self {
        case .disable, .enable:
            HCICommandPacket(
                LESetExtendedAdvertisingEnable(
                    enable: self == .enable ? 1 : 0,
                    sets: [LESetExtendedAdvertisingEnable.AdvertisingSet(advertisingHandle: handle)]))
        case .remove: HCICommandPacket(LERemoveAdvertisingSet(advertisingHandle: handle))
        case .parameters(let parameters): HCICommandPacket(LESetExtendedAdvertisingParameters(set: set, parameters))
        case .randomAddress(let address):
            HCICommandPacket(LESetAdvertisingSetRandomAddress(advertisingHandle: handle, randomAddress: address))
        case .advertisingData(let data):
            HCICommandPacket(LESetExtendedAdvertisingData(advertisingHandle: handle, data: data))
        case .scanResponse(let data):
            HCICommandPacket(LESetExtendedScanResponseData(advertisingHandle: handle, data: data))
        }
    }

    /// The command for the only advertiser of a legacy controller; `nil` where there is no such command.
    var legacyCommand: HCICommandPacket? {
        switch self {
        case .disable, .enable: HCICommandPacket(LESetAdvertisingEnable(enable: self == .enable ? 1 : 0))
        case .remove: nil
        case .parameters(let parameters): HCICommandPacket(LESetAdvertisingParameters(parameters))
        case .randomAddress(let address): HCICommandPacket(LESetRandomAddress(randomAddress: address))
        case .advertisingData(let data):
            HCICommandPacket(LESetAdvertisingData(data: data, padding: Self.padding(data)))
        case .scanResponse(let data):
            HCICommandPacket(LESetScanResponseData(data: data, padding: Self.padding(data)))
        }
    }

    /// The zeros after data of at most 31 bytes in a legacy command.
    private static func padding(_ data: [UInt8]) -> [UInt8] {
        [UInt8](repeating: 0, count: max(AdvertisingPDU.capacity - data.count, 0))
    }
}

extension LESetExtendedAdvertisingParameters {
    /// The parameters of a set that sends legacy PDUs.
    fileprivate init(set: AdvertisingSetIdentifier, _ parameters: AdvertiserParameters) {
        let properties: AdvertisingEventProperties =
            switch parameters.pdu {
            case .connectableScannable: .legacyConnectable
            case .scannable: .legacyScannable
            case .nonConnectable: .legacyNonConnectable
            }
        self.init(
            advertisingHandle: set.rawValue, properties: properties, minimumInterval: parameters.interval,
            maximumInterval: parameters.interval, ownAddressType: parameters.ownAddressType,
            transmitPower: parameters.transmitPower ?? .unspecified)
    }
}

extension LESetAdvertisingParameters {
    /// The parameters of the only advertiser.
    fileprivate init(_ parameters: AdvertiserParameters) {
        let type: AdvertisingType =
            switch parameters.pdu {
            case .connectableScannable: .connectableUndirected
            case .scannable: .scannableUndirected
            case .nonConnectable: .nonConnectableUndirected
            }
        self.init(
            minimumInterval: parameters.interval, maximumInterval: parameters.interval, advertisingType: type,
            ownAddressType: parameters.ownAddressType)
    }
}
