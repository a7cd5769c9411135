// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Foundation
import Profiles
import Testing

@Suite struct PhoneProfileTests {
    @Test func allKeysAreRead() throws {
        let profile = try PhoneProfile(
            parsing: """
                phone: iphone
                name: Alice's iPhone
                mtu: 23
                pairing: off
                apps: { com.apple.mobilephone: Phone }
                notifications:
                  - { id: text, category: social, title: Robert, silent: true }
                  - id: call
                    at: 1s
                    until: 6s
                    category: incoming-call
                    app: com.apple.mobilephone
                    title: Davidson
                    subtitle: Robert
                    message: Incoming Call
                    date: 20140512T093015
                    important: true
                    positive-action: Answer
                    negative-action: Decline
                    actions-fail: true
                changes:
                  - { at: 2s, id: text, title: Bob, silent: false }
                  - { at: 3s, id: text, message: Hello }
                  - { at: 4s, service: away }
                  - { at: 5s, service: back }
                """, file: "phone.yaml")
        let text = ANCSNotification(category: .social, flags: .silent, title: "Robert")
        let call = ANCSNotification(
            category: .incomingCall, flags: .important, app: "com.apple.mobilephone", title: "Davidson",
            subtitle: "Robert", message: "Incoming Call", date: "20140512T093015", positiveLabel: "Answer",
            negativeLabel: "Decline", actionsFail: true)
        let script = ANCSScript(
            steps: [
                ANCSScript.Step(at: nil, .post("text", text)), ANCSScript.Step(at: .seconds(1), .post("call", call)),
                ANCSScript.Step(at: .seconds(6), .remove("call")),
                ANCSScript.Step(at: .seconds(2), .post("text", ANCSNotification(category: .social, title: "Bob"))),
                ANCSScript.Step(
                    at: .seconds(3), .post("text", ANCSNotification(category: .social, title: "Bob", message: "Hello"))),
                ANCSScript.Step(at: .seconds(4), .setService(isPresent: false)),
                ANCSScript.Step(at: .seconds(5), .setService(isPresent: true)),
            ], apps: ["com.apple.mobilephone": "Phone"])
        #expect(profile.name == "iphone")
        #expect(profile.displayName == "Alice's iPhone")
        #expect(profile.maximumTransmissionUnit == 23)
        #expect(!profile.needsPairing)
        #expect(profile.script == script)
    }

    @Test func mostKeysAreOptional() throws {
        let profile = try PhoneProfile(
            parsing: "{ phone: a, notifications: [{ id: x, category: other }] }", file: "phone.yaml")
        #expect(profile.displayName == "a")
        #expect(profile.maximumTransmissionUnit == 185)
        #expect(profile.needsPairing)
    }

    @Test func shippedPhoneIsValid() throws {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = package.appending(path: "profiles/phones/iphone.yaml")
        let profile = try PhoneProfile(parsing: String(contentsOf: file, encoding: .utf8), file: file.path)
        #expect(profile.name == "iphone")
        #expect(!profile.script.steps.isEmpty)
    }

    private static func one(_ keys: String) -> String {
        "phone: a\nnotifications:\n  - { id: x, category: other, \(keys) }\n"
    }
    private static func change(_ keys: String) -> String { one("at: 1s") + "changes:\n  - \(keys)\n" }

    /// Phones with one mistake, whose place is marked with `¦`; the field, and the beginning of the message.
    static let mistakes = [
        ("¦notifications: [{ id: x, category: other }]\n", "", "\"phone\" is missing"),
        ("¦phone: a\n", "", "\"notifications\" is missing"),
        ("phone: ¦a b\nnotifications: [{ id: x, category: other }]\n", "phone", "\"a b\" is not a name"),
        ("phone: a\nnotifications: ¦[]\n", "notifications", "a list of at least one notification is expected here"),
        ("phone: a\nnotifications: [¦x]\n", "notifications[0]", "a mapping of keys and values is expected here"),
        ("phone: a\nmtu: ¦22\nnotifications: [{ id: x, category: other }]\n", "mtu", "\"22\" is not a whole number"),
        ("phone: a\nmtu: ¦518\nnotifications: [{ id: x, category: other }]\n", "mtu", "\"518\" is not a whole number"),
        (
            "phone: a\npairing: ¦maybe\nnotifications: [{ id: x, category: other }]\n", "pairing",
            "\"maybe\" is not one of required, off"
        ),
        (
            "phone: a\napps: { a: ¦'' }\nnotifications: [{ id: x, category: other }]\n", "apps.a",
            "a name has 1 to 100 characters"
        ),
        ("phone: a\nnotifications: [¦{ id: x }]\n", "notifications[0]", "\"category\" is missing"),
        ("phone: a\nnotifications: [¦{ category: other }]\n", "notifications[0]", "\"id\" is missing"),
        (
            "phone: a\nnotifications: [{ id: x, category: ¦bell }]\n", "notifications[0].category",
            "there is no category \"bell\"; categories are other, incoming-call"
        ),
        (
            "phone: a\nnotifications: [{ id: x, category: other }, { id: ¦x, category: other }]\n",
            "notifications[1].id", "another notification has the id \"x\" already"
        ),
        (one("at: ¦1"), "notifications[0].at", "\"1\" has no unit: ms, s, m or h; write at: 1s"),
        (one("until: ¦0s"), "notifications[0].until", "a notification cannot be removed before it is posted"),
        (one("at: 2s, until: ¦2s"), "notifications[0].until", "a notification cannot be removed before it is posted"),
        (one("date: ¦today"), "notifications[0].date", "\"today\" is not a date; write it as 20140512T093015"),
        (one("silent: ¦perhaps"), "notifications[0].silent", "\"perhaps\" is not one of true, false"),
        (one("app: ¦''"), "notifications[0].app", "an app's identifier has 1 to 155 bytes"),
        (one("¦colour: red"), "notifications[0]", "there is no key \"colour\" here"),
        (change("¦{ id: x, title: y }"), "changes[0]", "\"at\" is missing"),
        (change("¦{ at: 1s }"), "changes[0]", "\"id\" is missing"),
        (change("{ at: 1s, id: ¦y }"), "changes[0].id", "there is no notification \"y\""),
        (change("{ at: 1s, service: ¦gone }"), "changes[0].service", "\"gone\" is not one of away, back"),
        (
            change("{ at: 2s, id: x, title: a }") + "  - { at: ¦1s, id: x, title: b }\n", "changes[1].at",
            "changes must be in the order of their times"
        ),
        (change("{ at: 1s, service: away, ¦id: x }"), "changes[0]", "there is no key \"id\" here"),
        // The consequences of a mistake are not reported.
        (
            "phone: a\nnotifications: [{ id: x, category: ¦bell }]\nchanges: [{ at: 1s, id: x, title: b }]\n",
            "notifications[0].category", "there is no category \"bell\""
        ),
        (
            "phone: a\nnotifications: [{ id: ¦\"x y\", category: other }]\nchanges: [{ at: 1s, id: x y, title: b }]\n",
            "notifications[0].id", "\"x y\" is not a name"
        ),
        ("¦phone: a\nchanges: [{ at: 1s, id: x, title: b }]\n", "", "\"notifications\" is missing"),
        (
            change("{ at: 1s, id: ¦y, title: a, category: other, silent: true }"), "changes[0].id",
            "there is no notification \"y\"; notifications are x"
        ),
        (
            "¦profile: a\nbeacons: [{ id: x, device: ibeacon }]\n", "",
            "this is a profile, not a phone's profile; run it with beaconry run"
        ),
    ]

    @Test func phoneIsNotAProfileOfBeacons() {
        let text = "phone: a\nnotifications: [{ id: x, category: bell }]\n"
        #expect(PhoneProfile.isPhone(text))
        #expect(!PhoneProfile.isPhone("profile: p\nbeacons: []\n"))
        #expect(!PhoneProfile.isPhone("- a\n"))
        #expect(!PhoneProfile.isPhone("phone: ["))
        let error = #expect(throws: ProfileFaults.self) { try Profile(parsing: text, file: "p.yaml") }
        #expect(
            error?.faults.map(\.message) == [
                "this is a phone's profile, not a profile; run it with beaconry phone, or check it with beaconry check"
            ])
    }

    @Test(arguments: mistakes)
    func mistakeIsReportedAtItsPlace(_ text: String, _ field: String, _ message: String) throws {
        let marked = MarkedText(text)
        let place = try #require(marked.places.first)
        do throws(ProfileFaults) {
            _ = try PhoneProfile(parsing: marked.text, file: "p.yaml")
            Issue.record("it was accepted")
        } catch {
            let fault = try #require(error.faults.first)
            #expect(error.faults.count == 1)
            #expect(fault.message.hasPrefix(message), "\(fault)")
            #expect(fault.field == field)
            #expect((fault.line, fault.column) == (place.line, place.column))
        }
    }
}
