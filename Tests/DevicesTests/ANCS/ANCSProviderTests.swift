// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import TestSupport
import Testing

@Suite struct ANCSProviderTests {
    private static let call = ANCSNotification(
        category: .incomingCall, flags: .important, app: "com.apple.mobilephone", title: "Davidson Robert",
        message: "Incoming Call", date: "20140512T093015", positiveLabel: "Answer", negativeLabel: "Decline")
    private static let text = ANCSNotification(category: .social, flags: .silent, title: "Z\u{FC}rich", message: "Hi")
    private static let script = ANCSScript(
        steps: [
            ANCSScript.Step(at: nil, .post("text", text)), ANCSScript.Step(at: .seconds(2), .remove("call")),
            ANCSScript.Step(at: .seconds(1), .post("call", call)),
        ], apps: ["com.apple.mobilephone": "Phone"])

    /// A phone whose accessory has subscribed to everything at time 0.
    private static func inSession(_ script: ANCSScript = script) -> (ANCSProvider, [ANCSProvider.Output]) {
        var provider = ANCSProvider(script)
        _ = provider.subscribe(ANCSService.dataSource, true, at: DeviceTime())
        let outputs = provider.subscribe(ANCSService.notificationSource, true, at: DeviceTime())
        return (provider, outputs)
    }

    private static func time(_ seconds: Int) -> DeviceTime { DeviceTime(uptime: .seconds(seconds)) }

    @Test func existingNotificationsAreNotifiedAtTheStart() {
        let (provider, outputs) = Self.inSession()
        #expect(outputs.values(of: ANCSService.notificationSource) == ["0005040100000000"])
        #expect(outputs.reports.first == .sessionBegan)
        #expect(provider.nextDeadline == .seconds(1))
    }

    @Test func nothingHappensWithoutASession() {
        var provider = ANCSProvider(Self.script)
        #expect(provider.nextDeadline == nil, "the time of the script has not started")
        #expect(provider.advance(to: Self.time(100)).isEmpty)
        #expect(provider.write([0, 0, 0, 0, 0, 0], maximumLength: 20).answer.error == .ancsInvalidParameter)
    }

    @Test func stepsArePerformedInOrderOfTime() {
        var (provider, _) = Self.inSession()
        #expect(provider.advance(to: DeviceTime(uptime: .milliseconds(999))).isEmpty)
        #expect(provider.advance(to: Self.time(1)).values(of: ANCSService.notificationSource) == ["001a010101000000"])
        #expect(provider.advance(to: Self.time(2)).values(of: ANCSService.notificationSource) == ["021a010001000000"])
        #expect(provider.nextDeadline == nil)
    }

    @Test func modifiedNotificationHasTheSameIdentifier() {
        var changed = Self.call
        changed.title = "Somebody else"
        let script = ANCSScript(steps: [
            ANCSScript.Step(at: nil, .post("call", Self.call)),
            ANCSScript.Step(at: .seconds(1), .post("call", changed)),
        ])
        var (provider, _) = Self.inSession(script)
        #expect(provider.advance(to: Self.time(1)).values(of: ANCSService.notificationSource) == ["011a010100000000"])
        let (answer, outputs) = provider.write([0, 0, 0, 0, 0, 1, 8, 0], maximumLength: 182)
        #expect(answer.error == nil)
        #expect(outputs.values(of: ANCSService.dataSource) == ["0000000000010800" + "536f6d65626f6479"])
    }

    @Test func identifiersOfAnEarlierSessionAreInvalid() {
        var (provider, _) = Self.inSession()
        #expect(provider.write([0, 0, 0, 0, 0, 0], maximumLength: 20).answer.error == nil)
        #expect(provider.disconnect().reports == [.sessionEnded])
        _ = provider.subscribe(ANCSService.dataSource, true, at: Self.time(0))
        let again = provider.subscribe(ANCSService.notificationSource, true, at: Self.time(0))
        #expect(again.values(of: ANCSService.notificationSource) == ["0005040101000000"])
        for command: [UInt8] in [[0, 0, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0]] {
            #expect(provider.write(command, maximumLength: 20).answer.error == .ancsInvalidParameter)
        }
        #expect(provider.write([0, 1, 0, 0, 0, 0], maximumLength: 20).answer.error == nil)
    }

    /// The subscription of a bonded accessory is restored before the accessory has discovered the service.
    @Test func secondSubscriptionRepeatsTheNotifications() {
        var (provider, _) = Self.inSession()
        _ = provider.advance(to: Self.time(1))
        let again = provider.subscribe(ANCSService.notificationSource, true, at: Self.time(1))
        #expect(again.values(of: ANCSService.notificationSource) == ["0005040100000000", "001e010101000000"])
        #expect(!again.reports.contains(.sessionBegan))
    }

    @Test func unsubscribingEndsTheSession() {
        var (provider, _) = Self.inSession()
        let ended = provider.subscribe(ANCSService.notificationSource, false, at: DeviceTime())
        #expect(ended.reports == [.sessionEnded])
        #expect(provider.write([0, 0, 0, 0, 0, 0], maximumLength: 20).answer.error == .ancsInvalidParameter)
    }

    @Test(arguments: [
        ("", ATTError.ancsInvalidCommand), ("03", .ancsUnknownCommand), ("ff00000000", .ancsUnknownCommand),
        // Truncated; no attributes; an unknown attribute; an unknown notification.
        ("000000", .ancsInvalidCommand), ("000000000001", .ancsInvalidCommand),
        ("0000000000", .ancsInvalidCommand), ("000000000008", .ancsInvalidParameter),
        ("000900000000", .ancsInvalidParameter),
        // An unknown app; an unknown attribute of apps; no attributes; no zero byte.
        ("016100" + "00", .ancsInvalidParameter),
        ("01636f6d2e6170706c652e6d6f62696c6570686f6e650001", .ancsInvalidParameter),
        ("01636f6d2e6170706c652e6d6f62696c6570686f6e6500", .ancsInvalidCommand), ("0161", .ancsInvalidCommand),
        // A notification without actions; an unknown action; an unknown notification; wrong lengths.
        ("020000000000", .ancsActionFailed), ("020000000002", .ancsInvalidParameter),
        ("020900000000", .ancsInvalidParameter), ("0200000000", .ancsInvalidCommand),
        ("02000000000000", .ancsInvalidCommand),
    ])
    func invalidCommandsAreRefused(_ text: String, _ error: ATTError) throws {
        var (provider, _) = Self.inSession()
        let bytes = try Hexadecimal.bytes(text)
        let (answer, outputs) = provider.write(bytes, maximumLength: 20)
        #expect(answer.error == error)
        #expect(outputs == [.report(.refused(error, bytes))], "without a response")
    }

    @Test func longResponseIsSentInFragments() throws {
        var (provider, _) = Self.inSession()
        _ = provider.advance(to: Self.time(1))
        let command = try Hexadecimal.bytes("000100000000010b0003400005")
        let outputs = provider.write(command, maximumLength: 20).outputs
        let values = outputs.values(of: ANCSService.dataSource)
        #expect(values.map { $0.count / 2 } == [20, 20, 20, 17])
        let whole = try ANCSResponse(parsing: Hexadecimal.bytes(values.joined()))
        #expect(
            whole.attributes.map(\.text) == [
                "com.apple.mobilephone", "Davidson Ro", "Incoming Call", "20140512T093015",
            ])
    }

    @Test func textIsTruncatedBetweenCharacters() throws {
        var (provider, _) = Self.inSession()
        for (length, text) in [(0, ""), (1, "Z"), (2, "Z"), (3, "Z\u{FC}"), (7, "Z\u{FC}rich")] {
            let outputs = provider.write([0, 0, 0, 0, 0, 1, UInt8(length), 0], maximumLength: 100).outputs
            let value = try #require(outputs.values(of: ANCSService.dataSource).first)
            #expect(try ANCSResponse(parsing: Hexadecimal.bytes(value)).attributes.map(\.text) == [text])
        }
    }

    @Test func missingAttributesAreEmpty() throws {
        var (provider, _) = Self.inSession()
        let outputs = provider.write([0, 0, 0, 0, 0, 0, 2, 9, 0, 4, 6, 7], maximumLength: 100).outputs
        let value = try #require(outputs.values(of: ANCSService.dataSource).first)
        let response = try ANCSResponse(parsing: Hexadecimal.bytes(value))
        #expect(response.attributes.map(\.text) == ["", "", "2", "", ""])
    }

    @Test func defaultDateIsTheTimeOfTheFirstNotification() throws {
        var provider = ANCSProvider(ANCSScript(steps: [ANCSScript.Step(at: nil, .post("text", Self.text))]))
        let now = DeviceTime(uptime: .zero, sinceUnixEpoch: .seconds(1_709_210_096))
        _ = provider.subscribe(ANCSService.dataSource, true, at: now)
        _ = provider.subscribe(ANCSService.notificationSource, true, at: now)
        let outputs = provider.write([0, 0, 0, 0, 0, 5], maximumLength: 100).outputs
        let value = try #require(outputs.values(of: ANCSService.dataSource).first)
        #expect(try ANCSResponse(parsing: Hexadecimal.bytes(value)).attributes.map(\.text) == ["20240229T123456"])
    }

    @Test func responseIsNotSentWithoutSubscription() {
        var (provider, _) = Self.inSession()
        _ = provider.subscribe(ANCSService.dataSource, false, at: DeviceTime())
        let (answer, outputs) = provider.write([0, 0, 0, 0, 0, 0], maximumLength: 20)
        #expect(answer.error == nil)
        #expect(outputs.values(of: ANCSService.dataSource).isEmpty)
    }

    @Test(arguments: [ANCSAction.positive, .negative])
    func actionRemovesTheNotification(_ action: ANCSAction) {
        var (provider, _) = Self.inSession()
        _ = provider.advance(to: Self.time(1))
        let (answer, outputs) = provider.write([2, 1, 0, 0, 0, action.rawValue], maximumLength: 20)
        #expect(answer.error == nil)
        #expect(outputs.reports.first == .acted(action, "call"))
        #expect(outputs.values(of: ANCSService.notificationSource) == ["021a010001000000"])
        let again = provider.write([2, 1, 0, 0, 0, action.rawValue], maximumLength: 20)
        #expect(again.answer.error == .ancsInvalidParameter)
    }

    @Test func actionCanFail() {
        var failing = Self.call
        failing.actionsFail = true
        var (provider, _) = Self.inSession(ANCSScript(steps: [ANCSScript.Step(at: nil, .post("call", failing))]))
        #expect(provider.write([2, 0, 0, 0, 0, 0], maximumLength: 20).answer.error == .ancsActionFailed)
        #expect(provider.write([0, 0, 0, 0, 0, 0], maximumLength: 20).answer.error == nil, "it is still there")
    }

    @Test func removingTheServiceEndsTheSession() {
        let script = ANCSScript(steps: [
            ANCSScript.Step(at: nil, .post("text", Self.text)),
            ANCSScript.Step(at: .seconds(1), .setService(isPresent: false)),
            ANCSScript.Step(at: .seconds(2), .setService(isPresent: true)),
        ])
        var (provider, _) = Self.inSession(script)
        #expect(provider.advance(to: Self.time(1)) == [.report(.sessionEnded), .setService(isPresent: false)])
        #expect(provider.advance(to: Self.time(2)) == [.setService(isPresent: true)])
    }

    @Test func categoriesAreCounted() {
        let script = ANCSScript(
            steps: (0..<300).map { ANCSScript.Step(at: nil, .post("text \($0)", Self.text)) })
        let (_, outputs) = Self.inSession(script)
        let values = outputs.values(of: ANCSService.notificationSource)
        #expect(values.count == 300)
        #expect(values.first == "000504ff00000000", "the count is limited to 255")
    }
}

extension Result where Failure == ATTError {
    fileprivate var error: ATTError? { if case .failure(let error) = self { error } else { nil } }
}

extension [ANCSProvider.Output] {
    /// The notified values of a characteristic, in order.
    fileprivate func values(of characteristic: BluetoothUUID) -> [String] {
        compactMap {
            if case .notify(characteristic, let value) = $0 { Hexadecimal.string(value) } else { nil }
        }
    }

    fileprivate var reports: [ANCSProvider.Report] {
        compactMap { if case .report(let report) = $0 { report } else { nil } }
    }
}
