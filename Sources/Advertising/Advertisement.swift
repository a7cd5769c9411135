// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// The advertisement that a device requests, independent of the radio.
///
/// Its settings are members, too: `advertisement.interval`.
@dynamicMemberLookup
public struct Advertisement: Hashable, Sendable {
    private struct Fields: Hashable, Sendable {
        var pdu: AdvertisingPDU
        var advertisingData: AdvertisingData
        var scanResponse: AdvertisingData
        var settings: AdvertisingSettings
    }

    // The device, the emulator, the radio and the last events of thousands of beacons have the same one.
    private var fields: Boxed<Fields>

    /// The PDU type.
    public var pdu: AdvertisingPDU {
        get { fields.value.pdu }
        set { fields.value.pdu = newValue }
    }
    /// The advertising data; at most `AdvertisingPDU.capacity` bytes.
    public var advertisingData: AdvertisingData {
        get { fields.value.advertisingData }
        set { fields.value.advertisingData = newValue }
    }
    /// The scan response; at most `AdvertisingPDU.capacity` bytes, and empty for a PDU that is not scannable.
    public var scanResponse: AdvertisingData {
        get { fields.value.scanResponse }
        set { fields.value.scanResponse = newValue }
    }
    /// The settings that profiles of all kinds of devices may give.
    public var settings: AdvertisingSettings {
        get { fields.value.settings }
        set { fields.value.settings = newValue }
    }

    /// An advertisement, which is not checked here; see `problems`.
    public init(
        pdu: AdvertisingPDU, advertisingData: AdvertisingData, scanResponse: AdvertisingData = [],
        settings: AdvertisingSettings
    ) {
        fields = Boxed(
            Fields(pdu: pdu, advertisingData: advertisingData, scanResponse: scanResponse, settings: settings))
    }

    /// An advertisement with these settings, which is not checked here; see `problems`.
    public init(
        pdu: AdvertisingPDU, advertisingData: AdvertisingData, scanResponse: AdvertisingData = [],
        interval: AdvertisingInterval, transmitPower: TransmitPower? = nil, address: BluetoothAddress? = nil
    ) {
        self.init(
            pdu: pdu, advertisingData: advertisingData, scanResponse: scanResponse,
            settings: AdvertisingSettings(interval: interval, transmitPower: transmitPower, address: address))
    }

    public subscript<Value>(dynamicMember path: WritableKeyPath<AdvertisingSettings, Value>) -> Value {
        get { settings[keyPath: path] }
        set { settings[keyPath: path] = newValue }
    }

    /// A reason why no radio can send an advertisement.
    public enum Problem: Hashable, Sendable {
        /// The advertising data has this number of bytes, more than 31.
        case advertisingDataTooLong(Int)
        /// The scan response has this number of bytes, more than 31.
        case scanResponseTooLong(Int)
        /// There is a scan response, but the PDU does not answer scan requests.
        case scanResponseNeedsScannablePDU
        /// The interval is outside 0x0020...0x4000 ticks.
        case intervalOutOfRange(AdvertisingInterval)
    }

    /// The problems that prevent any radio from sending it; empty if it is well formed.
    public var problems: [Problem] {
        var problems: [Problem] = []
        if advertisingData.size > AdvertisingPDU.capacity {
            problems.append(.advertisingDataTooLong(advertisingData.size))
        }
        if scanResponse.size > AdvertisingPDU.capacity { problems.append(.scanResponseTooLong(scanResponse.size)) }
        if !pdu.isScannable, scanResponse.size > 0 { problems.append(.scanResponseNeedsScannablePDU) }
        if !AdvertisingInterval.legacyRange.contains(settings.interval) {
            problems.append(.intervalOutOfRange(settings.interval))
        }
        return problems
    }
}
