// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import Radio

extension EventRecord {
    /// What a radio reports of a beacon on the air.
    init(_ event: String, device: String, radio: String, report: AdvertisingStatus) {
        self.init(event, device: device)
        self.radio = radio
        let effective = report.effective
        var unknown: [String] = []
        func take<Value>(_ field: Effective<Value>, _ name: String) -> Value? {
            if field.value == nil { unknown.append(name) }
            return field.value
        }
        address = take(effective.address, "address")?.description
        pdu = take(effective.pdu, "pdu")?.rawValue
        advertisingData = take(effective.advertisingData, "advertisingData").map(Hexadecimal.string)
        scanResponse = take(effective.scanResponse, "scanResponse").map(Hexadecimal.string)
        if let range = take(effective.interval, "intervalTicks") {
            if range.lowerBound == range.upperBound {
                intervalTicks = range.lowerBound.count
            } else {
                intervalTicksRange = [range.lowerBound.count, range.upperBound.count]
                unknown.append("intervalTicks")
            }
        }
        txPower = take(effective.transmitPower, "txPower")?.decibelMilliwatts
        requested = Requested(
            pdu: report.requested.pdu.rawValue,
            advertisingData: Hexadecimal.string(report.requested.advertisingData.serialized()),
            scanResponse: Hexadecimal.string(report.requested.scanResponse.serialized()),
            intervalTicks: report.requested.interval.count,
            txPower: report.requested.transmitPower?.decibelMilliwatts,
            address: report.requested.address?.description)
        self.unknown = unknown.isEmpty ? nil : unknown
        let fields = AdvertisingField.allCases.filter(report.differences.contains).map(\.rawValue)
        different = fields.isEmpty ? nil : fields
    }

    /// What a radio is and can do.
    init(ready capabilities: RadioCapabilities) {
        self.init("radio-ready")
        radio = capabilities.name
        way = capabilities.way
        reason = capabilities.wayReason
        address = capabilities.address?.description
        extended = capabilities.hasExtendedAdvertising
        instances = capabilities.instances
        freeInstances = capabilities.freeInstances
        servers = capabilities.servers.isEmpty ? nil : capabilities.servers
        seed = capabilities.seed
    }

    /// What another program's host does on the radio's air.
    init(_ event: HostEvent) {
        switch event.action {
        case .joined: self.init("host-joined")
        case .left: self.init("host-left")
        case .refused(let reason):
            self.init("host-refused")
            self.reason = reason
        case .scanStarted(let isActive):
            self.init("scan-started")
            scan = isActive ? "active" : "passive"
        case .scanStopped: self.init("scan-stopped")
        }
        transport = event.transport
        peer = event.peer
        address = event.address.description
    }

    /// Something to know.
    init(_ warning: Warning, device: String?) {
        self.init("warning", device: device)
        code = warning.code
        message = warning.message
        hint = warning.hint
    }

    /// Trouble with the radio.
    init(_ event: String, device: String? = nil, error: RadioError) {
        self.init(event, device: device)
        code = error.code.rawValue
        message = error.message
        hint = error.hint
    }
}
