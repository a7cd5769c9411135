// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import DBus

@Suite struct MatchRuleTests {
    private let signal = {
        var signal = DBusMessage.signal(path: "/a/b", interface: "a.B", member: "C", body: ["x"])
        signal.sender = ":1.7"
        return signal
    }()

    @Test func textQuotesApostrophes() {
        let rule = MatchRule(
            sender: "org.bluez", path: "/a", interface: "a.B", member: "C", argument0: #"it's, \ "#)
        #expect(
            rule.text
                == #"type='signal',sender='org.bluez',path='/a',interface='a.B',member='C',arg0='it'\''s, \ '"#)
        #expect(MatchRule(pathNamespace: "/").text == "type='signal',path_namespace='/'")
    }

    @Test(arguments: [
        MatchRule(), MatchRule(sender: ":1.7"), MatchRule(path: "/a/b"), MatchRule(pathNamespace: "/a/b"),
        MatchRule(pathNamespace: "/a"), MatchRule(pathNamespace: "/"), MatchRule(interface: "a.B"),
        MatchRule(member: "C"), MatchRule(argument0: "x"), MatchRule(sender: "org.bluez"),
    ])
    func matches(_ rule: MatchRule) {
        #expect(rule.matches(signal, owner: ":1.7"))
    }

    @Test(arguments: [
        MatchRule(sender: ":1.8"), MatchRule(sender: "org.freedesktop.DBus"), MatchRule(path: "/a"),
        MatchRule(pathNamespace: "/a/b/c"), MatchRule(pathNamespace: "/a/bb"), MatchRule(interface: "a.C"),
        MatchRule(member: "B"), MatchRule(argument0: "y"),
    ])
    func doesNotMatch(_ rule: MatchRule) {
        #expect(!rule.matches(signal, owner: ":1.7"))
    }

    @Test func wellKnownSenderNeedsItsOwner() {
        let rule = MatchRule(sender: "org.bluez")
        #expect(!rule.matches(signal, owner: nil))
        #expect(!rule.matches(signal, owner: ":1.8"))
    }

    @Test(arguments: [
        MatchRule(sender: "a"), MatchRule(path: "/", pathNamespace: "/"), MatchRule(interface: "a"),
        MatchRule(member: "a.b"), MatchRule(sender: "a.b'"),
    ])
    func invalidRuleIsRefused(_ rule: MatchRule) {
        let error = #expect(throws: DBusError.self) { try rule.check() }
        #expect(error?.kind == .invalidArgument)
    }
}
