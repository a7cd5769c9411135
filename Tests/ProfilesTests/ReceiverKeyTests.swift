// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Receiving
import Space
import Testing

@testable import Profiles

/// The keys of the hardware of receivers, each at each place that has them, and handsets.
@Suite struct ReceiverKeyTests {
    private static func profile(_ receiver: String) throws(ProfileFaults) -> Profile {
        try Profile(
            parsing: "profile: p\nbeacons: []\nreceivers:\n  - { id: r, \(receiver) }\n", file: "p.yaml")
    }

    private static func fault(_ receiver: String) -> ProfileFault? {
        do throws(ProfileFaults) {
            _ = try profile(receiver)
            return nil
        } catch {
            return error.faults.first
        }
    }

    private static func traits(_ key: ReceiverKey, _ text: String) throws -> ReceiverTraits {
        var traits = ReceiverTraits()
        try key.set(text, in: &traits)
        return traits
    }

    @Test(arguments: ReceiverKey.all.map(\.name))
    func keyIsReadAndWrittenOfEachKindOfReceiver(_ name: String) throws {
        let key = try #require(ReceiverKey.all.first { $0.name == name })
        let expected = try Self.traits(key, key.example)
        #expect(expected != ReceiverTraits())
        for kind in ["", "phone: iphone, ", "hci-server: none, ", "hci-server: vhci, ", "esphome: 127.0.0.1:0, "] {
            let profile = try Self.profile("\(kind)\(name): \(key.example)")
            let receiver = try #require(profile.receivers.first)
            #expect(receiver.traits == expected, "\(kind)")
            #expect(receiver.listener.map { $0.traits == expected } ?? true, "\(kind)")
            let copy = try Profile(parsing: ProfileWriter.text(of: profile), file: "copy.yaml")
            #expect(copy.receivers == profile.receivers, "\(kind)")
        }
        let text = """
            scenario: s
            beacons: [{ id: gate, device: ibeacon, ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 } }]
            receivers: [{ id: r, \(name): \(key.example) }]
            expect: [{ receiver: r, sees: gate, by: 1s }]
            """
        let scenario = try Scenario(parsing: text, file: "s.yaml") { _ throws(ProfileFaults) in throw ProfileFaults([])
        }
        #expect(scenario.receivers.map(\.traits) == [expected])
    }

    @Test func eachKeyHasAPlaceInTheHardware() throws {
        for key in ReceiverKey.all {
            let traits = try Self.traits(key, key.example)
            let hardware = traits.hardware(in: Propagation())
            #expect(hardware != ReceiverHardware(), "\(key.name)")
            #expect(ReceiverTraits(of: hardware) == traits, "\(key.name)")
            #expect(traits.applied(to: ReceiverHardware()) == hardware)
            // What is given replaces what was there; the rest stays.
            for other in ReceiverKey.all where other.name != key.name {
                let both = try Self.traits(other, other.example).replaced(by: traits)
                #expect(key.value(both) == key.value(traits) && other.value(both) != nil)
            }
        }
    }

    @Test(arguments: [
        ("rssi-offset: 41", "\"41\" is not an offset from -40dB to 40dB"),
        ("rssi-offset: 3dBm", "\"3dBm\" is not an offset from -40dB to 40dB"),
        ("sensitivity: -121", "\"-121\" is not the sensitivity of a receiver from -120dBm to -50dBm"),
        ("sensitivity: -10dBm", "\"-10dBm\" is not the sensitivity of a receiver from -120dBm to -50dBm"),
        ("fast: -1", "\"-1\" is not a standard deviation from 0dB to 20dB"),
        ("antenna: isotrop", "\"isotrop\" is not one of drawn, isotropic; did you mean \"isotropic\"?"),
        ("carried: pockt", "\"pockt\" is not one of hand, pocket, none; did you mean \"pocket\"?"),
        ("heading: 361", "\"361\" is not a number of degrees from -360 to 360"),
        (
            "phone: { preset: android-9-low-power, handset: pixel-6 }",
            "there is no handset \"pixel-6\"; did you mean \"pixel-3\"?"
        ),
        ("phone: { preset: android-9-lowpower }", "there is no phone \"android-9-lowpower\"; did you mean"),
        (
            "phone: { preset: android-13-balanced, handset: iphone-5 }",
            "iphone-5 is not a handset of android-13-balanced; write a preset that it can have"
        ),
        (
            "phone: { preset: home-assistant, handset: pixel-4 }",
            "pixel-4 is not a handset of home-assistant; write a preset that it can have"
        ),
        ("phone: { handset: pixel-4, model: x }", "there is no key \"model\" here"),
        ("phone: exact, hci-server: vhci", "a receiver that scans within the run has no hosts; leave it out, or phone"),
    ])
    func wrongValueIsAFaultWithWhatCanBeWritten(_ receiver: String, _ message: String) throws {
        let fault = try #require(Self.fault(receiver))
        #expect(fault.message.hasPrefix(message), "\(fault.message)")
        #expect(fault.line == 4 && fault.column > 0)
    }

    @Test func handsetHasAnOffsetThatAKeyReplaces() throws {
        let phone = try #require(
            Self.profile("phone: { preset: android-9-low-power, handset: galaxy-s9 }").receivers.first?.listener)
        #expect(phone.phone.handset?.name == "galaxy-s9")
        #expect(phone.traits.hardware(of: phone.phone, in: Propagation()).rssiOffset == -8)
        let own = try #require(
            Self.profile("phone: { preset: altbeacon, handset: galaxy-s9 }, rssi-offset: 2dB").receivers.first?.listener
        )
        #expect(own.traits.hardware(of: own.phone, in: Propagation()).rssiOffset == 2)
        let copy = try Profile(
            parsing: ProfileWriter.text(
                of: Self.profile(
                    "phone: { handset: iphone-5 }, bluetooth: off, permission: denied, estimator: least-squares")),
            file: "copy.yaml")
        let listener = try #require(copy.receivers.first?.listener)
        #expect(listener.phone.text == "{ preset: exact, handset: iphone-5 }")
        #expect(listener.bluetooth == .off && listener.permission == .denied)
    }

    @Test func sensitivityOfAPhoneCountsWhereThePhysicsHasOne() throws {
        let phone = try #require(PhoneModel.named("iphone"))
        #expect(ReceiverTraits().hardware(of: phone, in: Propagation()).sensitivity == nil)
        let office = try #require(Propagation.environments.first { $0.name == "office" }).propagation
        #expect(ReceiverTraits().hardware(of: phone, in: office).sensitivity == -91)
        #expect(ReceiverTraits().hardware(of: .exact, in: office).sensitivity == nil)
        let key = try #require(ReceiverKey.all.first { $0.name == "sensitivity" })
        #expect(try Self.traits(key, "-85dBm").hardware(of: phone, in: office).sensitivity == -85)
    }

    @Test func receiverWithoutAServerIsOneOfTheRun() throws {
        let receiver = try #require(Self.profile("hci-server: none").receivers.first)
        #expect(receiver.listener == ListenerSettings() && receiver.server == nil)
        #expect(try Self.profile("hci-server: vhci").receivers.first?.listener == nil)
    }
}
