// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Foundation
import NIOCore
import NIOEmbedded
import Radio
import Sockets
import Testing

@testable import HCIRadio

/// Servers for hosts of other programs.
struct AirDoorTests {
    @Test(arguments: [
        "tcp:127.0.0.1:6402", "tcp:0.0.0.0:1", "tcp:[::1]:18099", "tcp:localhost:0", "unix:/tmp/a b:c.sock", "vhci",
    ])
    func addressesHaveTexts(_ text: String) throws {
        #expect(try #require(ServerAddress(text)).description == text)
    }

    @Test(arguments: ["", "tcp", "tcp:", "tcp:host", "tcp:host:65536", "unix:", "unix", "vhci:hci0", "udp:127.0.0.1:1"])
    func otherTextsAreNoAddresses(_ text: String) { #expect(ServerAddress(text) == nil) }

    @Test func placesOfSocketsAreAddresses() throws {
        for (host, port, text) in [("127.0.0.1", 6402, "tcp:127.0.0.1:6402"), ("::1", 18099, "tcp:[::1]:18099")] {
            let place = HostAndPort(try SocketAddress(ipAddress: host, port: port))
            #expect(place.map { ServerAddress.tcp($0).description } == text)
        }
    }

    /// A Unix socket is for the user who runs the program, and is removed with the air; what a killed program has left is replaced.
    @Test func hostsJoinOverAUnixSocket() async throws {
        let path = FileManager.default.temporaryDirectory.path + "/air-\(UUID().uuidString.prefix(8)).sock"
        defer { unlink(path) }
        try Self.abandonSocket(at: path)
        let radio = VirtualAirRadio(VirtualAirOptions(servers: [.init(.unix(path), name: "phone")]))
        let capabilities = try await radio.open([], waits: false) { _ in .failure(.unlikely) }
        #expect(capabilities.servers == ["unix:\(path)"] && capabilities.receivers == ["phone": "unix:\(path)"])
        let mode = try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
        #expect(mode == 0o600)
        let central = HCIRadio(.unix(path: path), commandTimeout: .seconds(300))
        _ = try await central.openCentral(waits: false)
        #expect(await radio.members().map(\.name) == ["phone"])
        let second = VirtualAirRadio(VirtualAirOptions(servers: [.init(.unix(path))]))
        let error = await #expect(throws: RadioError.self) {
            _ = try await second.open([], waits: false) { _ in .failure(.unlikely) }
        }
        #expect(error?.code == .cannotServe)
        await second.close()
        await central.close()
        await radio.close()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    /// Leaves the file of a socket on which no process listens, as a killed program does.
    private static func abandonSocket(at path: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let bound = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
    }

    /// The values that autoRead was set to.
    private static func readings(of channel: EmbeddedChannel) -> [Bool] {
        channel.options.filter { $0.option is ChannelOptions.Types.AutoReadOption }.compactMap { $0.value as? Bool }
    }

    /// Without room for another connection, a server stops accepting for a while, instead of failing in a loop.
    @Test func acceptingPausesAfterAnError() throws {
        let channel = EmbeddedChannel(handler: AcceptRest(pause: .milliseconds(200)))
        channel.pipeline.fireErrorCaught(IOError(errnoCode: 24, reason: "accept"))
        #expect(Self.readings(of: channel) == [false])
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(199))
        #expect(Self.readings(of: channel) == [false])
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(Self.readings(of: channel).last == true)
        // The error was not passed on.
        try channel.throwIfErrorCaught()
        _ = try channel.finish()
    }
}
