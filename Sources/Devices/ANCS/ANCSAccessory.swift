// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth
package import BluetoothCore

/// A display for a phone's notifications, such as a watch: it solicits the phone's service, and when the phone has
/// connected it is the client of what the phone serves.
package struct ANCSAccessory: Device {
    package static let kind = "ancs-accessory"
    package static let hasFlash = false

    /// What a profile says of it.
    package struct Configuration: Hashable, Sendable {
        /// Its name.
        package var name: String
        /// The address; `nil` leaves it to the radio.
        package var address: BluetoothAddress?
        /// The advertising interval.
        package var interval: AdvertisingInterval
        /// The radiated power; `nil` leaves it to the radio.
        package var transmitPower: TransmitPower?
        /// What it asks the phone for.
        package var consumer: ANCSConsumer.Configuration

        /// A configuration; the defaults are those of a profile that gives nothing: BOB, once a second.
        package init(
            name: String = "BOB", address: BluetoothAddress? = nil,
            interval: AdvertisingInterval = AdvertisingInterval(1600), transmitPower: TransmitPower? = nil,
            consumer: ANCSConsumer.Configuration = ANCSConsumer.Configuration()
        ) {
            self.name = name
            self.address = address
            self.interval = interval
            self.transmitPower = transmitPower
            self.consumer = consumer
        }
    }

    private var configuration: Configuration
    private var phone: (central: Central, consumer: ANCSConsumer)?

    /// An accessory with these values, which nothing is connected to.
    package init(_ configuration: Configuration) { self.configuration = configuration }

    /// Who it is, so that a phone that looks finds something.
    package var services: [GATTService] {
        [GATTService(uuid: .bit16(0x180A), characteristics: [GATTCharacteristic(uuid: Self.model, properties: .read)])]
    }

    private static let model = BluetoothUUID.bit16(0x2A24)

    package var settings: [DeviceSetting] {
        [.interval(configuration.interval), .transmitPower(configuration.transmitPower)]
    }

    package var nextDeadline: Duration? { phone?.consumer.nextDeadline }

    package mutating func handle(_ input: DeviceInput, at now: DeviceTime) -> [DeviceOutput] {
        switch input {
        case .poweredOn:
            phone = nil
            return [.advertise(advertisement)]
        case .connected(let central): return connect(central)
        case .disconnected(let central):
            guard central == phone?.central else { return [] }
            phone = nil
            return [.advertise(advertisement)]
        case .read(let characteristic, let offset): return [read(characteristic.uuid, offset: offset)]
        case .wrote: return [.reject(.writeNotPermitted)]
        case .asked(let central, let request, let result):
            return consume(from: central) { $0.take(result, of: request, at: now.uptime) }
        case .told(let central, let handle, let value):
            return consume(from: central) { $0.take(value, of: handle, at: now.uptime) }
        case .timePassed:
            guard let central = phone?.central else { return [] }
            return consume(from: central) { $0.advance(to: now.uptime) }
        case .perform(.act(let action, let notification)): return act(action, notification, at: now.uptime)
        case .set(let settings): return set(settings)
        case .subscribed, .connectionUpdated: return []
        }
    }

    package mutating func restore(from flash: FlashImage) throws(FlashFault) {}

    /// What it advertises: its name, and that it wants a phone's notifications.
    package var advertisement: Advertisement {
        var solicitation = ByteWriter()
        ANCSService.solicited.serialize(into: &solicitation)
        let flags = AdvertisingFlags(rawValue: 0x02)
        var data: AdvertisingData = [.flags(flags)]
        let wanted = AdvertisingStructure.unknown(type: 0x15, data: solicitation.bytes)
        let budget = AdvertisingPDU.capacity - data.size - wanted.size
        if let name = AdvertisingStructure.localName(configuration.name, fitting: budget) {
            data.structures.append(name)
        }
        data.structures.append(wanted)
        return Advertisement(
            pdu: .connectableScannable, advertisingData: data, scanResponse: [], interval: configuration.interval,
            transmitPower: configuration.transmitPower, address: configuration.address)
    }
}

extension ANCSAccessory {
    private mutating func connect(_ central: Central) -> [DeviceOutput] {
        guard phone == nil || phone?.central == central else {
            let warning = Warning(
                code: "second-central",
                message: "\(central.name) connected while a phone is; the display takes one at a time, so it was "
                    + "disconnected",
                hint: "let the first phone disconnect before the next one connects")
            return [.disconnect(central), .warn(warning)]
        }
        phone = (central, ANCSConsumer(configuration.consumer))
        return [.advertise(nil)] + consume(from: central) { $0.begin() }
    }

    private mutating func consume(
        from central: Central, _ body: (inout ANCSConsumer) -> [ANCSConsumer.Output]
    ) -> [DeviceOutput] {
        guard var consumer = phone?.consumer, phone?.central == central else { return [] }
        let outputs = body(&consumer)
        phone?.consumer = consumer
        return outputs.map { output in
            switch output {
            case .ask(let request): .ask(request, of: central)
            case .report(let report): .report(.notifications(report, from: central))
            case .warn(let warning): .warn(warning)
            }
        }
    }

    private mutating func act(_ action: ANCSAction, _ notification: UInt32, at now: Duration) -> [DeviceOutput] {
        guard let phone else { return [.refuse("no phone is connected")] }
        if let obstacle = phone.consumer.obstacle(to: action, on: notification) { return [.refuse(obstacle)] }
        return [.acknowledge] + consume(from: phone.central) { $0.perform(action, on: notification, at: now) }
    }

    private func read(_ characteristic: BluetoothUUID, offset: Int) -> DeviceOutput {
        let value = Array(configuration.name.utf8)
        guard characteristic == Self.model else { return .reject(.readNotPermitted) }
        guard 0...value.count ~= offset else { return .reject(.invalidOffset) }
        return .respond(Array(value[offset...]))
    }

    private mutating func set(_ settings: [DeviceSetting]) -> [DeviceOutput] {
        var changed = configuration
        for setting in settings {
            switch setting {
            case .transmitPower(let power): changed.transmitPower = power
            case .interval(let interval):
                guard AdvertisingInterval.legacyRange.contains(interval) else {
                    return [.refuse("interval: a radio can send every 20 ms to 10240 ms (32 to 16384 ticks)")]
                }
                changed.interval = interval
            case .uuid, .major, .minor, .measuredPower, .named:
                return [
                    .refuse("\(setting.key): a notification display has no such setting; it has interval and tx-power")
                ]
            }
        }
        configuration = changed
        return [.acknowledge, .advertise(phone == nil ? advertisement : nil)]
    }
}
