// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import TestSupport
import Testing

@Suite struct ANCSConsumerTests {
    static let changed: AttributeHandle = 0x0003
    static let source: AttributeHandle = 0x0012
    static let control: AttributeHandle = 0x0015
    static let data: AttributeHandle = 0x0017

    static func characteristic(
        _ uuid: BluetoothUUID, _ properties: CharacteristicProperties, _ value: AttributeHandle
    ) -> RemoteCharacteristic {
        RemoteCharacteristic(
            uuid: uuid, properties: properties, declaration: AttributeHandle(value.rawValue - 1), value: value,
            end: value)
    }

    static let attributes = [
        characteristic(ANCSService.notificationSource, .notify, source),
        characteristic(ANCSService.controlPoint, .write, control),
        characteristic(ANCSService.dataSource, .notify, data),
    ]
    static let title = ANCSConsumer.Configuration(
        attributes: [ANCSAttributeRequest(.title, maximumLength: 11)], asksAppNames: false, timeout: .seconds(5))
    static let added: [UInt8] = [0, 0x18, 1, 1, 7, 0, 0, 0]
    static let command: [UInt8] = [0, 7, 0, 0, 0, 1, 11, 0]
    static let response: [UInt8] = [0, 7, 0, 0, 0, 1, 3, 0, 0x42, 0x6F, 0x62]

    /// A consumer that is subscribed to a phone with all characteristics.
    static func ready(_ configuration: ANCSConsumer.Configuration = title) -> ANCSConsumer {
        var consumer = ANCSConsumer(configuration)
        var waiting = consumer.begin().requests
        while !waiting.isEmpty {
            let request = waiting.removeFirst()
            waiting += consumer.take(result(request), of: request, at: .zero).requests
        }
        return consumer
    }

    /// The result of a request to a phone with all characteristics.
    static func result(_ request: ClientRequest) -> ClientResult {
        switch request {
        case .discover(ANCSService.uuid): .found(attributes)
        case .discover:
            .found([characteristic(.serviceChanged, .indicate, changed)])
        case .secure, .subscribe, .write: .done
        case .read: .value([])
        }
    }

    @Test func dataSourceIsSubscribedBeforeNotificationSource() {
        var consumer = ANCSConsumer(Self.title)
        #expect(consumer.begin() == [.request(.secure)])
        let discoveries = consumer.take(.done, of: .secure, at: .zero)
        #expect(discoveries == [.request(.discover(.genericAttribute)), .request(.discover(ANCSService.uuid))])
        let changes = consumer.take(
            Self.result(.discover(.genericAttribute)), of: .discover(.genericAttribute), at: .zero)
        #expect(changes == [.request(.subscribe(Self.changed, true))])
        let found = consumer.take(.found(Self.attributes), of: .discover(ANCSService.uuid), at: .zero)
        #expect(found == [.request(.subscribe(Self.data, true)), .request(.subscribe(Self.source, true))])
        #expect(consumer.take(.done, of: .subscribe(Self.changed, true), at: .zero).isEmpty)
        #expect(consumer.take(.done, of: .subscribe(Self.data, true), at: .zero).isEmpty)
        let ready = consumer.take(.done, of: .subscribe(Self.source, true), at: .zero)
        #expect(ready == [.report(.available(canAsk: true))])
    }

    @Test(arguments: [ClientResult.failed("this radio does not pair"), .refused(.unlikely)])
    func discoversServicesAlsoWithoutEncryption(_ result: ClientResult) {
        var consumer = ANCSConsumer(Self.title)
        _ = consumer.begin()
        let outputs = consumer.take(result, of: .secure, at: .zero)
        #expect(outputs.warningCodes == ["not-encrypted"])
        #expect(outputs.requests == [.discover(.genericAttribute), .discover(ANCSService.uuid)])
    }

    @Test(arguments: [
        (ClientResult.found(nil), "the phone has no notification service"),
        (.found([]), "the phone's notification service has no notification source"),
        (.failed("the link is gone"), "the link is gone"),
        (.refused(.insufficientAuthentication), "ATT error 0x05 (insufficient authentication)"),
    ])
    func missingServiceIsReportedWithTheReason(_ result: ClientResult, _ reason: String) {
        var consumer = ANCSConsumer(Self.title)
        _ = consumer.begin()
        _ = consumer.take(.done, of: .secure, at: .zero)
        _ = consumer.take(.found(nil), of: .discover(.genericAttribute), at: .zero)
        let outputs = consumer.take(result, of: .discover(ANCSService.uuid), at: .zero)
        #expect(outputs == [.report(.unavailable(reason))])
    }

    @Test func refusedSubscriptionIsReported() {
        var consumer = ANCSConsumer(Self.title)
        _ = consumer.begin()
        _ = consumer.take(.done, of: .secure, at: .zero)
        _ = consumer.take(.found(nil), of: .discover(.genericAttribute), at: .zero)
        _ = consumer.take(.found(Self.attributes), of: .discover(ANCSService.uuid), at: .zero)
        let refused = ClientResult.refused(.insufficientEncryption)
        #expect(consumer.take(refused, of: .subscribe(Self.data, true), at: .zero).isEmpty)
        let outputs = consumer.take(refused, of: .subscribe(Self.source, true), at: .zero)
        let reason = "the subscription to the phone's notifications failed (ATT error 0x0F (insufficient encryption))"
        #expect(outputs == [.report(.unavailable(reason))])
    }

    @Test func withoutControlPointOnlyEventsAreReported() {
        var consumer = ANCSConsumer(Self.title)
        _ = consumer.begin()
        _ = consumer.take(.done, of: .secure, at: .zero)
        _ = consumer.take(.found(nil), of: .discover(.genericAttribute), at: .zero)
        _ = consumer.take(.found([Self.attributes[0]]), of: .discover(ANCSService.uuid), at: .zero)
        let ready = consumer.take(.done, of: .subscribe(Self.source, true), at: .zero)
        #expect(ready == [.report(.available(canAsk: false))])
        #expect(consumer.take(Self.added, of: Self.source, at: .zero).reports.count == 1)
        #expect(consumer.obstacle(to: .positive, on: 7) == "the phone accepts no actions")
    }

    @Test func attributesAreRequestedAndReported() throws {
        var consumer = Self.ready()
        let event = try ANCSNotificationEvent(parsing: Self.added)
        let outputs = consumer.take(Self.added, of: Self.source, at: .zero)
        #expect(outputs == [.report(.event(event)), .request(.write(Self.control, Self.command))])
        #expect(consumer.nextDeadline == nil)
        #expect(consumer.take(.done, of: .write(Self.control, Self.command), at: .seconds(1)).isEmpty)
        #expect(consumer.nextDeadline == .seconds(6))
        #expect(consumer.take(Array(Self.response[..<4]), of: Self.data, at: .seconds(1)).isEmpty)
        let shown = consumer.take(Array(Self.response[4...]), of: Self.data, at: .seconds(1))
        let bob = ANCSAttribute(1, value: Array("Bob".utf8))
        #expect(shown == [.report(.content(event, [bob], appName: nil))])
        #expect(consumer.nextDeadline == nil)
    }

    @Test func responseMayPrecedeTheAcknowledgement() {
        var consumer = Self.ready()
        _ = consumer.take(Self.added, of: Self.source, at: .zero)
        #expect(consumer.take(Self.response, of: Self.data, at: .zero).isEmpty)
        let outputs = consumer.take(.done, of: .write(Self.control, Self.command), at: .zero)
        #expect(outputs.reports.count == 1)
    }

    @Test(arguments: [
        ATTError.ancsUnknownCommand, .ancsInvalidCommand, .ancsInvalidParameter, .ancsActionFailed, .unlikely,
    ])
    func errorEndsTheRequestButNotTheSession(_ error: ATTError) {
        var consumer = Self.ready()
        _ = consumer.take(Self.added, of: Self.source, at: .zero)
        _ = consumer.take([0, 0, 2, 1, 8, 0, 0, 0], of: Self.source, at: .zero)
        let outputs = consumer.take(.refused(error), of: .write(Self.control, Self.command), at: .zero)
        #expect(outputs.reports == [.contentMissing(7, "ATT error \(error)")])
        #expect(outputs.requests == [.write(Self.control, [0, 8, 0, 0, 0, 1, 11, 0])])
    }

    @Test func requestEndsAtTheTimeout() {
        var consumer = Self.ready()
        _ = consumer.take(Self.added, of: Self.source, at: .zero)
        _ = consumer.take(.done, of: .write(Self.control, Self.command), at: .seconds(1))
        #expect(consumer.advance(to: .milliseconds(5_999)).isEmpty)
        let outputs = consumer.advance(to: .seconds(6))
        #expect(outputs.reports == [.contentMissing(7, "the phone did not answer within 5.0 seconds")])
        #expect(consumer.take(Self.response, of: Self.data, at: .seconds(7)).warningCodes == ["ancs-unexpected"])
    }

    @Test func restOfALateResponseIsIgnored() {
        var consumer = Self.ready()
        _ = consumer.take(Self.added, of: Self.source, at: .zero)
        _ = consumer.take(.done, of: .write(Self.control, Self.command), at: .zero)
        #expect(consumer.take([9, 9, 9], of: Self.data, at: .zero).warningCodes == ["ancs-unexpected"])
        #expect(consumer.take(Self.response, of: Self.data, at: .zero).reports.count == 1)
    }

    @Test func attributesOfARemovedNotificationAreNotRequested() {
        var consumer = Self.ready()
        _ = consumer.take(Self.added, of: Self.source, at: .zero)
        _ = consumer.take([0, 0, 2, 1, 8, 0, 0, 0], of: Self.source, at: .zero)
        _ = consumer.take([2, 0, 2, 0, 8, 0, 0, 0], of: Self.source, at: .zero)
        _ = consumer.take(.done, of: .write(Self.control, Self.command), at: .zero)
        let outputs = consumer.take(Self.response, of: Self.data, at: .zero)
        #expect(outputs.requests.isEmpty)
        #expect(outputs.reports.count == 1)
    }

    @Test func failureForARemovedNotificationIsNotReported() {
        var consumer = Self.ready()
        _ = consumer.take(Self.added, of: Self.source, at: .zero)
        _ = consumer.take([2, 0x18, 1, 0, 7, 0, 0, 0], of: Self.source, at: .zero)
        let refused = ClientResult.refused(.ancsInvalidParameter)
        #expect(consumer.take(refused, of: .write(Self.control, Self.command), at: .zero).isEmpty)
    }

    @Test func malformedEventsAreIgnoredWithAWarning() {
        var consumer = Self.ready()
        for value: [UInt8] in [[], [0], Self.added + [0]] {
            #expect(consumer.take(value, of: Self.source, at: .zero).warningCodes == ["ancs-malformed"])
        }
        #expect(consumer.take([9, 0, 0, 0, 1, 0, 0, 0], of: Self.source, at: .zero).requests.isEmpty)
        #expect(consumer.take([1, 2, 3], of: 0x0099, at: .zero).isEmpty, "there is no subscription to this handle")
    }

    @Test func appNamesAreRequestedOnce() throws {
        var configuration = Self.title
        configuration.attributes = [ANCSAttributeRequest(.appIdentifier)]
        configuration.asksAppNames = true
        var consumer = Self.ready(configuration)
        let command: [UInt8] = [0, 7, 0, 0, 0, 0]
        let content: [UInt8] = [0, 7, 0, 0, 0, 0, 1, 0, 0x61]
        let nameCommand: [UInt8] = [1, 0x61, 0, 0]
        _ = consumer.take(Self.added, of: Self.source, at: .zero)
        _ = consumer.take(.done, of: .write(Self.control, command), at: .zero)
        #expect(consumer.take(content, of: Self.data, at: .zero) == [.request(.write(Self.control, nameCommand))])
        _ = consumer.take(.done, of: .write(Self.control, nameCommand), at: .zero)
        let shown = consumer.take([1, 0x61, 0, 0, 2, 0, 0x41, 0x62], of: Self.data, at: .zero)
        let event = try ANCSNotificationEvent(parsing: Self.added)
        let app = ANCSAttribute(0, value: [0x61])
        #expect(shown.reports == [.content(event, [app], appName: "Ab")])
        _ = consumer.take(Self.added, of: Self.source, at: .zero)
        _ = consumer.take(.done, of: .write(Self.control, command), at: .zero)
        #expect(consumer.take(content, of: Self.data, at: .zero).reports == [.content(event, [app], appName: "Ab")])
    }

    @Test func unknownAppNameIsLeftOut() {
        var configuration = Self.title
        configuration.attributes = [ANCSAttributeRequest(.appIdentifier)]
        configuration.asksAppNames = true
        var consumer = Self.ready(configuration)
        _ = consumer.take(Self.added, of: Self.source, at: .zero)
        _ = consumer.take(.done, of: .write(Self.control, [0, 7, 0, 0, 0, 0]), at: .zero)
        _ = consumer.take([0, 7, 0, 0, 0, 0, 1, 0, 0x61], of: Self.data, at: .zero)
        let refused = ClientResult.refused(.ancsInvalidParameter)
        let outputs = consumer.take(refused, of: .write(Self.control, [1, 0x61, 0, 0]), at: .zero)
        #expect(outputs.reports.count == 1)
    }

    // MARK: - Actions

    @Test func actionPrecedesWaitingRequests() {
        var consumer = Self.ready()
        _ = consumer.take(Self.added, of: Self.source, at: .zero)
        _ = consumer.take([0, 0, 2, 1, 8, 0, 0, 0], of: Self.source, at: .zero)
        #expect(consumer.obstacle(to: .positive, on: 7) == nil)
        #expect(consumer.perform(.positive, on: 7, at: .zero).isEmpty, "a request is in progress")
        _ = consumer.take(.done, of: .write(Self.control, Self.command), at: .zero)
        let outputs = consumer.take(Self.response, of: Self.data, at: .zero)
        let command: [UInt8] = [2, 7, 0, 0, 0, 0]
        #expect(outputs.requests == [.write(Self.control, command)])
        let done = consumer.take(.done, of: .write(Self.control, command), at: .zero)
        #expect(done.reports == [.acted(.positive, 7, failure: nil)])
        #expect(done.requests.count == 1, "the request for the second notification follows")
    }

    @Test func actionsArePerformedInTheirOrder() {
        var consumer = Self.ready()
        _ = consumer.take(Self.added, of: Self.source, at: .zero)
        for action in [ANCSAction.positive, .negative] { _ = consumer.perform(action, on: 7, at: .zero) }
        _ = consumer.take(.done, of: .write(Self.control, Self.command), at: .zero)
        let first = consumer.take(Self.response, of: Self.data, at: .zero)
        #expect(first.requests == [.write(Self.control, [2, 7, 0, 0, 0, 0])])
        let second = consumer.take(.done, of: .write(Self.control, [2, 7, 0, 0, 0, 0]), at: .zero)
        #expect(second.requests == [.write(Self.control, [2, 7, 0, 0, 0, 1])])
    }

    @Test func failedActionIsReported() {
        var consumer = Self.ready()
        var silent = Self.title
        silent.attributes = []
        consumer = Self.ready(silent)
        _ = consumer.take(Self.added, of: Self.source, at: .zero)
        let command = ClientRequest.write(Self.control, [2, 7, 0, 0, 0, 1])
        #expect(consumer.perform(.negative, on: 7, at: .zero) == [.request(command)])
        let outputs = consumer.take(.refused(.ancsActionFailed), of: command, at: .zero)
        #expect(outputs.reports == [.acted(.negative, 7, failure: "ATT error 0xA3")])
    }

    @Test func actionNeedsANotificationThatHasIt() {
        #expect(
            ANCSConsumer(Self.title).obstacle(to: .positive, on: 7)
                == "the phone sends no notifications")
        var consumer = Self.ready()
        #expect(consumer.obstacle(to: .positive, on: 7) == "there is no notification 7 in this session")
        _ = consumer.take([0, 0x10, 1, 1, 7, 0, 0, 0], of: Self.source, at: .zero)
        #expect(consumer.obstacle(to: .positive, on: 7) == "notification 7 has no positive action")
        #expect(consumer.obstacle(to: .negative, on: 7) == nil)
        _ = consumer.take([2, 0x10, 1, 0, 7, 0, 0, 0], of: Self.source, at: .zero)
        #expect(consumer.obstacle(to: .negative, on: 7) == "there is no notification 7 in this session")
    }

    // MARK: - Changed services

    @Test func changedServicesAreDiscoveredAgain() {
        var consumer = Self.ready()
        _ = consumer.take(Self.added, of: Self.source, at: .zero)
        let outputs = consumer.take([1, 0, 0xFF, 0xFF], of: Self.changed, at: .zero)
        #expect(outputs.reports == [.unavailable("the phone's services have changed")])
        #expect(outputs.requests == [.discover(.genericAttribute), .discover(ANCSService.uuid)])
        #expect(consumer.obstacle(to: .positive, on: 7) != nil, "earlier notifications are discarded")
        #expect(consumer.take(Self.added, of: Self.source, at: .zero).isEmpty, "the handle is not valid any more")
        // The result of an earlier request is ignored.
        #expect(consumer.take(.done, of: .write(Self.control, Self.command), at: .zero).isEmpty)
        _ = consumer.take(.found(nil), of: .discover(.genericAttribute), at: .zero)
        let missing = consumer.take(.found(nil), of: .discover(ANCSService.uuid), at: .zero)
        #expect(missing.reports == [.unavailable("the phone has no notification service")])
        // The service is added again.
        var waiting = consumer.take([1, 0, 0xFF, 0xFF], of: Self.changed, at: .zero).requests
        var reports: [ANCSReport] = []
        while !waiting.isEmpty {
            let request = waiting.removeFirst()
            let outputs = consumer.take(Self.result(request), of: request, at: .zero)
            waiting += outputs.requests
            reports += outputs.reports
        }
        #expect(reports == [.available(canAsk: true)])
    }

    @Test func onlyTheResultOfTheOldestRequestIsAccepted() {
        var consumer = ANCSConsumer(Self.title)
        _ = consumer.begin()
        #expect(consumer.take(.done, of: .read(1), at: .zero).isEmpty)
        #expect(!consumer.take(.done, of: .secure, at: .zero).isEmpty)
        #expect(consumer.take(.done, of: .secure, at: .zero).isEmpty)
    }

    @Test func oldestNotificationsAreDiscardedBeyondTheCapacity() {
        var consumer = Self.ready()
        for number in 0..<(ANCSConsumer.capacity + 10) {
            let event = ANCSNotificationEvent(
                .added, notification: UInt32(number), category: .other, flags: .positiveAction)
            _ = consumer.take(event.serialized(), of: Self.source, at: .zero)
        }
        #expect(consumer.obstacle(to: .positive, on: 9) != nil)
        #expect(consumer.obstacle(to: .positive, on: 10) == nil)
    }
}

extension [ANCSConsumer.Output] {
    var requests: [ClientRequest] { compactMap { if case .request(let request) = $0 { request } else { nil } } }
    var reports: [ANCSReport] { compactMap { if case .report(let report) = $0 { report } else { nil } } }
    var warningCodes: [String] { compactMap { if case .warn(let warning) = $0 { warning.code } else { nil } } }
}
