// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import TestSupport

extension FuzzTarget {
    /// Damaged messages between a phone and an accessory: for the codecs, and for both sides in the middle of a session.
    ///
    /// The first byte of an input selects the receiver.
    static let ancs = FuzzTarget(name: "ancs") { generator in
        let receiver = UInt8.random(in: 0...5, using: &generator)
        let samples = samples[Int(receiver) % samples.count]
        return [receiver]
            + (Int.random(in: 0...9, using: &generator) == 0
                ? Mutation.noise(64, &generator) : Mutation.damaged(samples, &generator))
    } parse: { bytes in
        guard let receiver = bytes.first else { return .refused }
        let message = Array(bytes.dropFirst())
        return switch receiver {
        case 0: survives(ANCSNotificationEvent.self, message)
        case 1: survives(ANCSCommand.self, message)
        case 2: survives(ANCSResponse.self, message)
        case 3: receivesEvent(message)
        case 4: receivesCommand(message)
        default: receivesData(message)
        }
    }

    private static let samples: [[[UInt8]]] = [events, commands, responses, events, commands, responses]
    private static let events: [[UInt8]] = [
        [0, 0x18, 1, 1, 1, 0, 0, 0], [1, 0, 2, 1, 0, 0, 0, 0], [2, 4, 3, 0, 1, 0, 0, 0],
    ]
    private static let commands: [[UInt8]] = [
        [0, 0, 0, 0, 0, 0, 1, 11, 0, 3, 64, 0, 5], [1] + app + [0, 0], [2, 0, 0, 0, 0, 0], [2, 0, 0, 0, 0, 1],
    ]
    private static let responses = [
        ANCSResponse.notificationAttributes(
            1, [ANCSAttribute(0, value: app), ANCSAttribute(1, value: Array("Title".utf8))]
        ).serialized(),
        ANCSResponse.appAttributes("com.apple.MobileSMS", [ANCSAttribute(0, value: Array("Messages".utf8))])
            .serialized(),
    ]
    private static let app = Array("com.apple.MobileSMS".utf8)

    /// A parsed value must serialize to the same bytes.
    private static func survives<Value: WireCodable>(_: Value.Type, _ bytes: [UInt8]) -> Outcome {
        guard let value = try? Value(parsing: bytes) else { return .refused }
        guard value.serialized() == bytes else {
            FuzzReport.fail("\(Value.self) \(Hexadecimal.string(bytes)) does not serialize to the same bytes")
        }
        return .parsed
    }

    // MARK: - The accessory

    private static let source: AttributeHandle = 1
    private static let controlPoint: AttributeHandle = 2
    private static let data: AttributeHandle = 3

    /// An accessory that received a notification and requested its attributes.
    private static func asking() -> (consumer: ANCSConsumer, command: ClientRequest?) {
        var consumer = ANCSConsumer(
            ANCSConsumer.Configuration(attributes: [
                ANCSAttributeRequest(.appIdentifier), ANCSAttributeRequest(.title, maximumLength: 11),
            ]))
        var outputs = consumer.begin()
        while case .request(let request)? = outputs.first {
            outputs.removeFirst()
            let result: ClientResult =
                switch request {
                case .discover(ANCSService.uuid): .found(characteristics)
                case .discover: .found(nil)
                default: .done
                }
            outputs += consumer.take(result, of: request, at: .zero).filter {
                if case .request = $0 { true } else { false }
            }
        }
        for case .request(let request) in consumer.take(events[0], of: source, at: .zero) { return (consumer, request) }
        return (consumer, nil)
    }

    private static func characteristic(
        _ uuid: BluetoothUUID, _ properties: CharacteristicProperties, _ value: AttributeHandle
    ) -> RemoteCharacteristic {
        RemoteCharacteristic(
            uuid: uuid, properties: properties, declaration: AttributeHandle(value.rawValue - 1), value: value,
            end: value)
    }

    private static let characteristics = [
        characteristic(ANCSService.notificationSource, .notify, source),
        characteristic(ANCSService.controlPoint, .write, controlPoint),
        characteristic(ANCSService.dataSource, .notify, data),
    ]

    private static let accessory = asking()

    private static func receivesEvent(_ bytes: [UInt8]) -> Outcome {
        var consumer = accessory.consumer
        return outcome(consumer.take(bytes, of: source, at: .zero))
    }

    /// The damaged answer arrives in one piece and in many, before and after its command is acknowledged.
    private static func receivesData(_ bytes: [UInt8]) -> Outcome {
        guard let command = accessory.command else { FuzzReport.fail("the accessory requests nothing") }
        var consumer = accessory.consumer
        var outputs = consumer.take(bytes, of: data, at: .zero)
        outputs += consumer.take(.done, of: command, at: .zero)
        for octet in bytes { outputs += consumer.take([octet], of: data, at: .zero) }
        outputs += consumer.advance(to: .seconds(3600))
        return outcome(outputs)
    }

    private static func outcome(_ outputs: [ANCSConsumer.Output]) -> Outcome {
        outputs.contains { if case .warn = $0 { true } else { false } } ? .refused : .parsed
    }

    // MARK: - The phone

    private static let phone: ANCSProvider = {
        let call = ANCSNotification(
            category: .incomingCall, app: "com.apple.MobileSMS", title: "Davidson Robert", message: "Incoming Call",
            positiveLabel: "Answer")
        var provider = ANCSProvider(
            ANCSScript(
                steps: [ANCSScript.Step(at: nil, .post("call", call))], apps: ["com.apple.MobileSMS": "Messages"]))
        _ = provider.subscribe(ANCSService.dataSource, true, at: DeviceTime())
        _ = provider.subscribe(ANCSService.notificationSource, true, at: DeviceTime())
        return provider
    }()

    private static func receivesCommand(_ bytes: [UInt8]) -> Outcome {
        var provider = phone
        switch provider.write(bytes, maximumLength: 20).answer {
        case .success: return .parsed
        case .failure(let error):
            guard 0xA0...0xA3 ~= error.rawValue else { FuzzReport.fail("\(error) is not an error of the service") }
            return .refused
        }
    }
}
