// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

#if Program
    import Bluetooth
    import HCI
    import NIOCore
    import Netsim
    import Radio
    import Sockets
    import VirtualRadio

    /// A server of netsim's protocol for Android emulators: every call with a Bluetooth chip has a controller of its own.
    ///
    /// It is in the program only: packages that depend on the libraries do not build HTTP/2.
    final class NetsimDoor: AirDoor, PacketServerDelegate {
        private let entrance: AirEntrance
        private var server: PacketServer?
        private var file: DiscoveryFile?
        private var place: HostAndPort
        /// The radios that were reported as not served.
        private var ignored: Set<ChipInformation.Kind> = []

        private init(_ entrance: AirEntrance, at place: HostAndPort) {
            self.entrance = entrance
            self.place = place
        }

        var address: String { "\(ServerAddress.netsim(place))" }

        var isExposed: Bool { !place.isLoopback }

        /// Listens on TCP; port 0 takes a free one.
        /// - Throws: `RadioError` `.cannotServe`.
        static func open(at place: HostAndPort, _ entrance: AirEntrance) async throws(RadioError) -> NetsimDoor {
            let door = NetsimDoor(entrance, at: place)
            do {
                let server = try await PacketServer.open(at: place, on: entrance.air.loop, for: door)
                door.server = server
                door.place = server.address.flatMap(HostAndPort.init) ?? place
            } catch {
                throw RadioError(
                    .cannotServe, "cannot listen on \(place) for emulators: \(SystemErrorText.words(error))",
                    hint:
                        "stop the program that uses the port, or choose another (--netsim 127.0.0.1:0 takes a free one)"
                )
            }
            guard entrance.writesDiscovery else { return door }
            do throws(RadioError) {
                door.file = try DiscoveryFile(port: door.place.port, entrance.ledger)
            } catch {
                await door.close()
                throw error
            }
            return door
        }

        func close() async {
            // Before the port is free: afterwards the file could belong to another program.
            file?.remove()
            file = nil
            await server?.close()
            server = nil
        }

        // MARK: - Calls

        func join(_ chip: ChipInformation, on channel: any Channel, peer: String) throws -> (String) -> Void {
            let visit = AirVisit(
                entrance.of(receiver: chip.hostName), name: chip.hostName, given: chip.givenAddress,
                derived: .administered(0x0A, from: "netsim/\(chip.identity)"),
                as: entrance.controllers.character)
            try visit.join(over: channel, transport: address, peer: peer, kind: chip.hostKind)
            return { [weak visit] in visit?.linkRefused($0) }
        }

        func ignore(_ chip: ChipInformation, peer: String) {
            guard ignored.count < 8, ignored.insert(chip.kind).inserted else { return }
            entrance.report(
                .warning(
                    nil,
                    Warning(
                        code: "netsim-radio",
                        message:
                            "\(chip.hostName) has \(chip.kind.name) over netsim, which is not on the virtual air: what it "
                            + "sends is dropped",
                        hint:
                            "its Bluetooth works; for the other radios use netsim itself, without -packet-streamer-endpoint"
                    )))
        }

        func refuse(_ reason: String, peer: String) {
            entrance.report(
                .host(
                    HostEvent(.refused(reason: reason), name: "emulator", transport: address, peer: peer, address: nil))
            )
        }
    }
#endif
