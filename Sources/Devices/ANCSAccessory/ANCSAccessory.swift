// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth

/// A display for a phone's notifications, such as a watch: it advertises that it solicits the notification service, and
/// becomes the GATT client of a phone that connects.
package struct ANCSAccessory: SelfContainedDevice {
    package static let kind = "ancs-accessory"
    package static let hasFlash = false

    /// The values that a profile gives.
    package struct Configuration: AdvertisingConfiguration {
        /// The name.
        package var name: String
        package var advertising: AdvertisingSettings
        /// The attributes that it requests.
        package var consumer: ANCSConsumer.Configuration

        /// A configuration; the defaults are the same as in a profile without keys: `BOB`, every second.
        package init(
            name: String = "BOB",
            advertising: AdvertisingSettings = AdvertisingSettings(interval: AdvertisingInterval(1600)),
            consumer: ANCSConsumer.Configuration = ANCSConsumer.Configuration()
        ) {
            self.name = name
            self.advertising = advertising
            self.consumer = consumer
        }
    }

    package private(set) var configuration: Configuration
    /// The connected phone.
    private var phone: (central: Central, consumer: ANCSConsumer)?

    /// An accessory without a connection.
    package init(_ configuration: Configuration) { self.configuration = configuration }

    /// The Device Information service, so that a phone that discovers services finds one.
    package var services: [GATTService] {
        [GATTService(uuid: .bit16(0x180A), characteristics: [GATTCharacteristic(uuid: Self.model, properties: .read)])]
    }

    private static let model = BluetoothUUID.bit16(0x2A24)

    package var nextDeadline: Duration? { phone?.consumer.nextDeadline }

    package var advertisesWhileConnected: Bool { false }

    package var commands: [DeviceCommand.Declaration] { [Self.act] }

    /// `act`: performs an action of a phone's notification.
    private static let act = DeviceCommand.Declaration(
        "act", help: "Performs an action of a phone's notification.",
        arguments: [
            DeviceCommand.Argument(
                "action", "an action", possible: "positive or negative", .names(["positive", "negative"])),
            DeviceCommand.Argument(
                "notification", "a notification's number",
                possible: "the one of an event of this session, from 0 to \(UInt32.max)", .number(0...Int(UInt32.max))),
        ])

    package func read(_ characteristic: CharacteristicIdentifier, offset: Int, at now: DeviceTime) -> ReadResult {
        guard characteristic.uuid == Self.model else { return .error(.readNotPermitted) }
        return .value(Array(configuration.name.utf8), from: offset)
    }

    package mutating func handle(_ input: DeviceInput, at now: DeviceTime) -> DeviceResponse {
        switch input {
        case .poweredOn:
            phone = nil
            return [.advertise(advertisement)]
        case .connected(let central): return DeviceResponse(connect(central))
        case .disconnected(let central):
            guard central == phone?.central else { return [] }
            phone = nil
            return [.advertise(advertisement)]
        case .wrote: return .rejected(.writeNotPermitted)
        case .responseReceived(let central, let request, let result):
            return DeviceResponse(consume(from: central) { $0.take(result, of: request, at: now.uptime) })
        case .notificationReceived(let central, let handle, let value):
            return DeviceResponse(consume(from: central) { $0.take(value, of: handle, at: now.uptime) })
        case .timePassed:
            guard let central = phone?.central else { return [] }
            return DeviceResponse(consume(from: central) { $0.advance(to: now.uptime) })
        case .perform(let command): return perform(command, at: now.uptime)
        case .set(let changes): return set(changes)
        case .readAnswered, .subscribed, .connectionUpdated: return []
        }
    }

    /// The advertisement: its name, and the solicited notification service.
    package var advertisement: Advertisement {
        var solicitation = ByteWriter()
        ANCSService.solicited.serialize(into: &solicitation)
        let flags = AdvertisingFlags(rawValue: 0x02)
        var data: AdvertisingData = [.flags(flags)]
        let solicited = AdvertisingStructure.unknown(type: 0x15, data: solicitation.bytes)
        let budget = AdvertisingPDU.capacity - data.size - solicited.size
        if let name = AdvertisingStructure.localName(configuration.name, fitting: budget) {
            data.append(name)
        }
        data.append(solicited)
        return Advertisement(
            pdu: .connectableScannable, advertisingData: data, scanResponse: [], settings: configuration.advertising)
    }
}

extension ANCSAccessory {
    private mutating func connect(_ central: Central) -> [DeviceEffect] {
        guard phone == nil || phone?.central == central else {
            let warning = Warning(
                code: "second-central",
                message: "\(central.name) connected while a phone is connected; the display supports one phone at a "
                    + "time, so it was disconnected",
                hint: "let the first phone disconnect before the next one connects")
            return [.disconnect(central), .warn(warning)]
        }
        phone = (central, ANCSConsumer(configuration.consumer))
        return [.advertise(nil)] + consume(from: central) { $0.begin() }
    }

    private mutating func consume(
        from central: Central, _ body: (inout ANCSConsumer) -> [ANCSConsumer.Output]
    ) -> [DeviceEffect] {
        guard var consumer = phone?.consumer, phone?.central == central else { return [] }
        let outputs = body(&consumer)
        phone?.consumer = consumer
        return outputs.map { output in
            switch output {
            case .request(let request): .request(request, of: central)
            case .report(let report): .report(DeviceReport(report, central: central))
            case .warn(let warning): .warn(warning)
            }
        }
    }

    private mutating func perform(_ command: DeviceCommand, at now: Duration) -> DeviceResponse {
        guard command.name == Self.act.name else {
            return .refused("there is no command \"\(command.name)\"; this device has \(Self.act.name)")
        }
        guard let action = command.arguments["action"].flatMap(ANCSAction.init),
            let notification = command.arguments["notification"].flatMap({ UInt32($0) })
        else {
            return .refused("act needs an action, positive or negative, and a notification's number")
        }
        guard let phone else { return .refused("no phone is connected") }
        if let obstacle = phone.consumer.obstacle(to: action, on: notification) { return .refused(obstacle) }
        return .done(consume(from: phone.central) { $0.perform(action, on: notification, at: now) })
    }

    private mutating func set(_ changes: [SettingChange]) -> DeviceResponse {
        do throws(SettingRefusal) {
            try Self.settings.apply(changes, to: &configuration)
        } catch {
            return .refused(error.sentence)
        }
        return .done([.advertise(phone == nil ? advertisement : nil)])
    }
}
