// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import Space
package import VirtualRadio

/// The parameters of a virtual air, and its servers for other hosts.
package struct VirtualAirOptions: Hashable, Sendable {
    /// The number of receivers with a server that can be added while the air is open.
    package static let addedReceivers = 100

    /// A server of controllers on the air.
    package struct Server: Hashable, Sendable {
        /// Where hosts get the controllers.
        package var place: ServerAddress
        /// The public address of the first controller; the others have the following ones. `nil` for free addresses.
        package var address: BluetoothAddress?
        /// The name of the first host on the air; the others have a number after it. `nil` for `host`.
        package var name: String?
        /// How its hosts move; `nil` is 1 m from every beacon.
        package var motion: Motion?
        /// The hardware of the receivers of its hosts.
        package var hardware: ReceiverHardware
        /// Whether emulators without an option find it, by the file `netsim.ini`; of servers for emulators only.
        package var writesDiscovery = false
        /// The character that it was given; `nil` for that of its kind of server.
        private var givenCharacter: ControllerCharacter?

        /// How its controllers deviate from those that follow the specification in everything. Those for emulators have
        /// commands of BR/EDR besides.
        package var character: ControllerCharacter {
            if let givenCharacter { return givenCharacter }
            guard case .netsim = place else { return .none }
            return .dualMode
        }

        /// A server at a place.
        package init(
            _ place: ServerAddress, address: BluetoothAddress? = nil, name: String? = nil, motion: Motion? = nil,
            hardware: ReceiverHardware = ReceiverHardware()
        ) {
            self.place = place
            self.address = address
            self.name = name
            self.motion = motion
            self.hardware = hardware
        }

        /// A server at a free port of 127.0.0.1.
        package static func local(
            address: BluetoothAddress? = nil, name: String? = nil, motion: Motion? = nil
        ) -> Server {
            Server(.tcp(HostAndPort(host: "127.0.0.1", port: 0)), address: address, name: name, motion: motion)
        }
    }

    /// The central of the radio itself.
    package struct Central: Hashable, Sendable {
        /// Its name on the air.
        package var name = "central"
        /// How it moves; `nil` is 1 m from every beacon.
        package var motion: Motion?
        /// The hardware of its receiver.
        package var hardware = ReceiverHardware()
        /// The ATT_MTU that it offers, 23 to 517 bytes.
        package var maximumTransmissionUnit: UInt16 = 517

        /// A central with the defaults.
        package init() {}
    }

    /// The server where a central looks for an air.
    package static let defaultServer = HostAndPort(host: "127.0.0.1", port: 6402)

    /// The timings, by name.
    package static let timings: [String: ConnectionTiming] = ["spec": .spec, "immediate": .immediate]

    /// The seed of all random numbers of the air, including the keys of its controllers, and in virtual time also of
    /// the random numbers of the hosts; `nil` for a random seed in each run, which `RadioCapabilities.seed` reports,
    /// and in real time keys from the system's generator.
    package var seed: UInt64?
    /// Whether data waits for connection events, or arrives at once.
    package var timing: ConnectionTiming
    /// The RSSI of packets, and which are received.
    package var propagation: Propagation
    /// The servers.
    package var servers: [Server]
    /// The central of the radio, if it is opened as a receiver.
    package var central = Central()
    /// Seconds on the air in a second of real time; the hosts of servers have clocks of their own. In a simulation 1.
    package var rate: Double = 1
    /// The recording that is sent again, from the first scan on; `nil` for none.
    package var replay: AirReplay?

    /// A seed for an air that was given none, of 32 bits: JSON's numbers are exact up to 53 bits.
    package static func randomSeed() -> UInt64 { UInt64(UInt32.random(in: 1...UInt32.max)) }

    /// Options; by default without chance, and served at `defaultServer`.
    package init(
        seed: UInt64? = nil, timing: ConnectionTiming = .spec, propagation: Propagation = Propagation(),
        servers: [Server] = [Server(.tcp(Self.defaultServer))]
    ) {
        self.seed = seed
        self.timing = timing
        self.propagation = propagation
        self.servers = servers
    }
}

extension VirtualAirOptions.Server {
    /// What is wrong with the text of a character.
    package struct CharacterFault: Error {
        /// A clause with what can be written instead.
        package let message: String
        /// The name that no character has; `nil` for other faults.
        package let unknownName: String?
    }

    /// The names of the characters of controllers.
    package static var characterNames: [String] { ControllerCharacter.names }

    /// Gives its controllers a character by its text (see `ControllerCharacter`), such as `legacy-5.0+slow:20`.
    package mutating func setCharacter(_ text: String) throws(CharacterFault) {
        do throws(VirtualRadio.CharacterFault) {
            givenCharacter = try ControllerCharacter(text)
        } catch {
            switch error {
            case .unknownName(let name):
                throw CharacterFault(message: "there is no character \"\(name)\"", unknownName: name)
            case .value(let message): throw CharacterFault(message: message, unknownName: nil)
            }
        }
    }
}
