// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Emulator
import Foundation
import Glibc
import Persistence
import Profiles
import Radio
import Space
import SystemPackage
import Testing

@testable import BeaconryTools

struct FailureTests {
    @Test(
        arguments: [
            (RadioError(.noAdapter, "no adapter", hint: "plug one in"), 69),
            (SystemError(.noSpace, attempt: "write x"), 74), (ValueFault("odd"), 65),
            (ProfileFaults([ProfileFault(file: "a", line: 1, column: 2, field: "f", message: "m")]), 65),
            (EmulatorError(.inputOutput, "odd"), 74), (Failure.usage("odd"), 64),
        ] as [(any Error, Int32)])
    func errorsHaveTheirExitCodes(_ error: any Error, _ code: Int32) throws {
        #expect(try #require(Failure(error)).exitCode == code)
    }

    @Test func unknownErrorsAreNoFailures() { #expect(Failure(CancellationError()) == nil) }

    @Test func faultsOfAProfileBecomeDiagnostics() throws {
        let faults = ProfileFaults([ProfileFault(file: "a", line: 1, column: 2, field: "f", message: "m")])
        let failure = try #require(Failure(faults))
        #expect(failure.diagnostics == ["a:1:2: error: f: m"])
        #expect(failure.records.map(\.line) == [1])
    }

    @Test func existingFileIsOverwrittenOnlyByForce() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("", to: "x")
        #expect(throws: Failure.self) { try Failure.unlessFree(path, force: false) }
        try Failure.unlessFree(path, force: true)
        try Failure.unlessFree(folder.file("y"), force: false)
    }
}

struct ControlSocketTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func path() throws -> String { try ControlSockets.path(in: [folder.path]) }

    private func path(_ profile: String) -> String? { ControlSockets.path(of: profile, in: [folder.path]) }

    @Test func onlyRunIsFound() throws {
        _ = try folder.write("", to: "shop.sock")
        _ = try folder.write("", to: "shop.json")
        #expect(try path() == folder.file("shop.sock"))
    }

    @Test func profilesOfOneRunShareASocket() throws {
        _ = try folder.write("", to: "shop.sock")
        #expect(link(folder.file("shop.sock"), folder.file("museum.sock")) == 0)
        #expect([folder.file("shop.sock"), folder.file("museum.sock")].contains(try path()))
    }

    @Test func severalRunsNeedAProfile() throws {
        _ = try folder.write("", to: "shop.sock")
        _ = try folder.write("", to: "museum.sock")
        let failure = #expect(throws: Failure.self) { try path() }
        #expect(failure?.exitCode == 64)
        #expect(failure?.message.contains("several profiles run") == true)
        #expect(path("museum") == folder.file("museum.sock"))
    }

    @Test func socketsOfAdvertiseHaveAProcessNumber() throws {
        _ = try folder.write("", to: "advertise-17.sock")
        _ = try folder.write("", to: "advertise-x.sock")
        #expect(path("advertise") == folder.file("advertise-17.sock"))
        _ = try folder.write("", to: "advertise-18.sock")
        #expect(path("advertise") == nil, "which of them is unclear")
    }

    @Test func numberInTheNameOfAnotherProfileIsNotAProcessNumber() throws {
        _ = try folder.write("", to: "shop-2.sock")
        #expect(path("shop") == nil)
    }

    @Test func noRunIsAnError() {
        let error = #expect(throws: EmulatorError.self) { try path() }
        #expect(error?.exitCode == 74)
    }
}

struct RadioDriverTests {
    @Test(arguments: [
        "bluez", "bluez:hci0", "bluez:00:1B:DC:07:31:42", "virtual", "hci-socket:0", "tcp-client:127.0.0.1:6402",
        "tcp-client:[::1]:6402", "unix:/tmp/x", "serial:/dev/ttyUSB0", "serial:/dev/ttyUSB0,1000000", "auto",
        "esphome:kitchen.local", "esphome:192.0.2.10:6054", "esphome:[::1]", "esphome:[::1]:6053", "esphome:fe80::1",
        "esphome:kitchen?key=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
    ])
    func namesAreAccepted(_ name: String) throws {
        _ = try RadioDrivers.radio(named: name, waits: false)
    }

    @Test(arguments: [
        "", "odd", "bluez:", "virtual:1", "hci-socket", "hci-socket:x", "tcp-client:6402", "tcp-client:h:99999",
        "unix:",
        "serial:", "serial:/dev/x,fast", "esphome", "esphome:", "esphome:?key=x", "esphome:kitchen:0",
        "esphome://kitchen",
        "esphome:kitchen:port",
    ])
    func otherNamesAreRefusedWithExamples(_ name: String) {
        let failure = #expect(throws: Failure.self) { _ = try RadioDrivers.radio(named: name, waits: false) }
        #expect(failure?.exitCode == 64)
        #expect(failure?.message.hasPrefix("\"\(name)\" is not a radio; write auto, bluez:hci0, ") == true)
        #expect(failure?.message.hasSuffix(" or esphome:192.0.2.10") == true)
    }

    @Test func schemesAreUniqueAndInTheHelp() {
        let schemes = RadioDrivers.all.map { $0.scheme }
        #expect(Set(schemes).count == schemes.count)
        for scheme in schemes { #expect(RadioDrivers.forms.contains(scheme)) }
    }
}

struct ProfileFilesTests {
    private static let shop = """
        profile: shop
        beacons:
          - id: door
            device: ibeacon
            ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 2 }  # stays

        """
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func frame(minor: UInt16) throws -> IBeacon {
        IBeacon(
            uuid: UUID128("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"), major: 1, minor: minor,
            measuredPower: MeasuredPower(-59))
    }

    @Test func faultsOfAllFilesAreReported() throws {
        let bad = try folder.write("profile: [\n", to: "bad.yaml")
        let missing = folder.file("missing.yaml")
        let good = try folder.write(Self.shop, to: "good.yaml")
        let faults = #expect(throws: ProfileFaults.self) { try ProfileFiles.load([bad, good, missing]) }
        #expect(faults?.faults.map(\.file) == [bad, missing])
    }

    @Test func sameNameTwiceIsAFault() throws {
        let paths = try ["a.yaml", "b.yaml"].map { try folder.write(Self.shop, to: $0) }
        let faults = #expect(throws: ProfileFaults.self) { try ProfileFiles.load(paths) }
        #expect(faults?.faults.map(\.file) == [paths[1]])
    }

    /// The names of receivers and beacons are names on one air.
    @Test(arguments: [
        ("receivers:\n  - id: visitor\n", "receivers:\n  - id: visitor\n", "visitor"),
        ("receivers:\n  - id: window\n", "", "window"), ("", "receivers:\n  - id: door\n", "door"),
    ])
    func receiversOfSeveralProfilesHaveTheirOwnNames(_ first: String, _ second: String, _ id: String) throws {
        let one = try folder.write(Self.shop + first, to: "one.yaml")
        let beacon = Self.shop.replacing("shop", with: "mall").replacing("door", with: "window")
        let other = try folder.write(beacon + second, to: "other.yaml")
        let error = #expect(throws: ProfileFaults.self) { try ProfileFiles.load([one, other]) }
        #expect(error?.faults.map(\.file) == [other])
        #expect(error?.faults.first?.message == "\(one) has the id \"\(id)\" already; give every receiver its own id")
        #expect(try ProfileFiles.load([one]).count == 1)
    }

    @Test func tracksAreBesideTheirProfile() throws {
        _ = try folder.write("t,x,y\n0,1,2\n", to: "visitor.csv")
        let text = Self.shop + "receivers:\n  - { id: visitor, track: visitor.csv }\n"
        let path = try folder.write(text, to: "shop.yaml")
        #expect(
            try ProfileFiles.load([path]).first?.receivers.first?.movement?.motion.position(at: .zero)
                == Position(x: 1, y: 2))
    }

    @Test func measuredPowerIsSetInPlace() throws {
        let path = try folder.write(Self.shop, to: "shop.yaml", mode: 0o640)
        try FileManager.default.createSymbolicLink(atPath: folder.file("link.yaml"), withDestinationPath: path)
        let ids = try ProfileFiles.setMeasuredPower(
            MeasuredPower(-65), of: frame(minor: 2), in: folder.file("link.yaml"))
        #expect(ids == ["door"])
        let text = try #require(folder.text(of: "shop.yaml"))
        #expect(text.contains("measured-power: -65") && text.contains("# stays"))
        var status = stat()
        #expect(lstat(path, &status) == 0 && status.st_mode & 0o7777 == 0o640)
        #expect(lstat(folder.file("link.yaml"), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        #expect(try ProfileFiles.load([path]).count == 1)
    }

    @Test func otherNumbersAreAnError() throws {
        let path = try folder.write(Self.shop, to: "shop.yaml")
        let failure = #expect(throws: Failure.self) {
            try ProfileFiles.setMeasuredPower(MeasuredPower(-65), of: frame(minor: 3), in: path)
        }
        #expect(failure?.exitCode == 65)
        #expect(folder.text(of: "shop.yaml") == Self.shop)
    }
}

struct DecodingTests {
    private func payload(_ hex: String) throws -> DecodedPayload {
        DecodedPayload(try AdvertisingData(parsing: try Hexadecimal.bytes(hex)))
    }

    @Test func framesAndStructuresArePrinted() throws {
        let payload = try payload("0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5")
        #expect(
            payload.lines == [
                "ibeacon E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 major 1 minor 2 measured power -59 dBm",
                "  0x01 flags: 06",
                "  0xff manufacturer-specific: 4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5",
            ])
    }

    @Test func unknownTypesAndPaddingArePrinted() throws {
        #expect(try payload("02ee01000000").lines == ["  0xee unknown type: 01", "  padding: 000000"])
    }
}
