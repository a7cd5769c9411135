// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import HCI

/// The parameters of an advertising set, or of a legacy controller's advertiser.
struct AdvertiserParameters: Hashable, Sendable {
    var pdu: AdvertisingPDU
    var interval: AdvertisingInterval
    var transmitPower: TransmitPower?
    var addressType: OwnAddressType
}

/// One command on the way from what a controller does to what it should do.
enum AdvertiserStep: Hashable, Sendable {
    case disable
    /// Forget the set, so that another PDU type meets no data of the old one.
    case remove
    case parameters(AdvertiserParameters)
    case randomAddress(BluetoothAddress)
    case advertisingData([UInt8])
    case scanResponse([UInt8])
    case enable
}

/// What a controller acknowledged of one advertising set, or of its only advertiser.
struct Advertiser: Hashable, Sendable {
    /// Whether a set can be forgotten.
    let isSet: Bool
    /// `nil` until they were given once.
    private(set) var parameters: AdvertiserParameters?
    private(set) var randomAddress: BluetoothAddress?
    private(set) var advertisingData: [UInt8] = []
    private(set) var scanResponse: [UInt8] = []
    private(set) var isEnabled = false
    /// What the controller said of its power.
    private(set) var selectedPower: TransmitPower?

    init(isSet: Bool) { self.isSet = isSet }

    /// The next command towards `order`, with the least disturbance of what is on the air; `nil` when it is so already.
    /// - Parameter enabling: whether it should be on the air in the end.
    func step(towards order: AdvertisingOrder?, enabling: Bool) -> AdvertiserStep? {
        guard let order else {
            if isEnabled { return .disable }
            return isSet && parameters != nil ? .remove : nil
        }
        if let step = stepOffTheAir(towards: order) { return isEnabled ? .disable : step }
        if advertisingData != order.advertisingData { return .advertisingData(order.advertisingData) }
        if order.parameters.pdu.isScannable, scanResponse != order.scanResponse {
            return .scanResponse(order.scanResponse)
        }
        if isEnabled == enabling { return nil }
        return enabling ? .enable : .disable
    }

    private func stepOffTheAir(towards order: AdvertisingOrder) -> AdvertiserStep? {
        if parameters != order.parameters {
            if isSet, let parameters, parameters.pdu != order.parameters.pdu { return .remove }
            return .parameters(order.parameters)
        }
        if let address = order.address.randomAddress, address != randomAddress { return .randomAddress(address) }
        return nil
    }

    /// Takes down what the controller acknowledged.
    mutating func acknowledge(_ step: AdvertiserStep) {
        switch step {
        case .disable: isEnabled = false
        case .remove: self = Advertiser(isSet: isSet)
        case .parameters(let new): parameters = new
        case .randomAddress(let address): randomAddress = address
        case .advertisingData(let data): advertisingData = data
        case .scanResponse(let data): scanResponse = data
        case .enable: isEnabled = true
        }
    }

    /// Takes down the power that the controller selected, unless it does not tell.
    mutating func select(_ power: TransmitPower?) { selectedPower = power == .unspecified ? nil : power }
}
