// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore

/// Finds a characteristic's client configuration descriptor and writes it (Core 5.4, Vol 3, Part G, 4.7.1 and 4.12.3).
struct Subscribing: ProcedureMachine {
    private let characteristic: RemoteCharacteristic
    private let wanted: ClientCharacteristicConfiguration
    private var discovery: DescriptorDiscovery?
    private var writing: ValueWriting?

    init(to characteristic: RemoteCharacteristic, _ wanted: ClientCharacteristicConfiguration) {
        self.characteristic = characteristic
        self.wanted = wanted
        discovery = characteristic.descriptorHandles.map { DescriptorDiscovery(in: $0) }
    }

    mutating func start(mtu: Int) -> ProcedureStep { discovery?.start(mtu: mtu) ?? missing }

    mutating func receive(_ response: Result<ATTPDU, ATTClientError>, mtu: Int) -> ProcedureStep {
        if writing != nil { return writing?.receive(response, mtu: mtu) ?? missing }
        let step = discovery?.receive(response, mtu: mtu) ?? missing
        guard case .finished(.success(.descriptors(let descriptors))) = step else { return step }
        guard let descriptor = descriptors.first(where: { $0.uuid == .clientCharacteristicConfiguration }) else {
            return missing
        }
        var writing = ValueWriting(descriptor.handle, wanted.rawValue.littleEndianBytes)
        defer { self.writing = writing }
        return writing.start(mtu: mtu)
    }

    private var missing: ProcedureStep { .failed(.refused(.attributeNotFound, characteristic.value)) }
}
