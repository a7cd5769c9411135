// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus
import Testing

@Suite struct NameTests {
    @Test(arguments: ["/", "/a", "/org/bluez/hci0", "/_/A9"])
    func objectPathIsAccepted(_ text: String) throws {
        #expect(try ObjectPath(text).rawValue == text)
    }

    @Test(arguments: ["", "a", "//", "/a/", "/a//b", "/a-b", "/ä", "/a\0", "\0", "/a b"])
    func objectPathIsRefused(_ text: String) {
        let error = #expect(throws: DBusError.self) { try ObjectPath(text) }
        #expect(error?.kind == .invalidArgument)
    }

    @Test func objectPathsHaveParentsAndChildren() throws {
        let path: ObjectPath = "/org/bluez"
        #expect(try path.appending("hci0") == "/org/bluez/hci0")
        #expect(try ObjectPath.root.appending("a") == "/a")
        #expect(throws: DBusError.self) { try path.appending("a/b") }
        #expect(throws: DBusError.self) { try path.appending("") }
        #expect(path.parent == "/org")
        #expect(ObjectPath("/org").parent == .root)
        #expect(ObjectPath.root.parent == nil)
        #expect(path.lastComponent == "bluez")
        #expect(ObjectPath("/org/bluez/hci0").isDescendant(of: path))
        #expect(!ObjectPath("/org/bluez2").isDescendant(of: path))
        #expect(!path.isDescendant(of: path))
        #expect(path.isDescendant(of: .root))
    }

    private static func structures(_ levels: Int) -> String {
        String(repeating: "(", count: levels) + "y" + String(repeating: ")", count: levels)
    }

    @Test(arguments: [
        "", "y", "a{sv}", "aay", "(y(s))", "a{oa{sa{sv}}}", "ybnqiuxtdsogvh",
        String(repeating: "a", count: 32) + "y", structures(32), String(repeating: "y", count: 255),
    ])
    func signatureIsAccepted(_ text: String) throws {
        #expect(try DBusSignature(text).rawValue == text)
    }

    @Test(arguments: [
        "a", "()", "(y", "y)", "{sv}", "a{vs}", "a{s}", "a{svs}", "z", "r", "e", "a{(y)s}", "y\0", "ä",
        String(repeating: "a", count: 33) + "y", structures(33), String(repeating: "y", count: 256),
    ])
    func signatureIsRefused(_ text: String) {
        let error = #expect(throws: DBusError.self) { try DBusSignature(text) }
        #expect(error?.kind == .invalidArgument)
    }

    @Test func singleCompleteTypeIsRecognised() {
        #expect(DBusSignature("a{sv}").isSingleCompleteType)
        #expect(!DBusSignature("").isSingleCompleteType)
        #expect(!DBusSignature("yy").isSingleCompleteType)
    }

    @Test func invalidLiteralStopsTheProcess() async {
        await #expect(processExitsWith: .failure) { _ = "no path" as ObjectPath }
        await #expect(processExitsWith: .failure) { _ = "()" as DBusSignature }
    }
}
