// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Glibc
import NIOCore
import NIOPosix
import Radio
import Sockets

/// The transport to a controller from elsewhere.
public enum HCITransport: Hashable, Sendable {
    /// H4 over TCP.
    case tcp(host: String, port: Int)
    /// H4 over TCP, to a virtual air that another process serves; the reason is set if it was not requested.
    case virtualAir(host: String, port: Int, reason: String?)
    /// H4 over a Unix socket.
    case unix(path: String)
    /// H4 over a serial line with hardware flow control.
    case serial(device: String, baud: Int)
    /// The kernel's user channel of hciN.
    case userChannel(Int)
}

extension HCITransport: CustomStringConvertible {
    /// As `--radio` takes it.
    public var description: String {
        switch self {
        case .tcp(let host, let port): "tcp-client:\(host):\(port)"
        case .virtualAir: "virtual"
        case .unix(let path): "unix:\(path)"
        case .serial(let device, let baud): "serial:\(device),\(baud)"
        case .userChannel(let index): "hci-socket:\(index)"
        }
    }
}

extension HCITransport {
    /// Opens the link to the controller, on this event loop.
    /// - Parameters:
    ///   - known: its address, if it was open before.
    ///   - ledger: what other runs use; `nil` for none.
    ///   - timeout: how long a server may take to accept the connection.
    func open(
        on loop: any EventLoop, user: any ControllerLinkUser, known: BluetoothAddress?, ledger: (any RadioLedger)?,
        timeout: Duration
    ) async throws(RadioError) -> any ControllerLink {
        let bound = NIOLoopBound(user, eventLoop: loop)
        switch self {
        case .userChannel(let index):
            let claim = try await UserChannel(ledger: ledger).claim(index, known: known)
            return UserChannelLink(claim, number: index, loop: loop, user: bound.value)
        case .tcp(let host, let port), .virtualAir(let host, let port, _):
            return try await stream(bound, loop, timeout) { bootstrap in bootstrap.connect(host: host, port: port) }
        case .unix(let path):
            return try await stream(bound, loop, timeout) { bootstrap in bootstrap.connect(unixDomainSocketPath: path) }
        case .serial(let device, let baud):
            let descriptor = try SerialLine.open(device, baud: baud)
            do {
                let channel = try await NIOPipeBootstrap(group: loop).takingOwnershipOfDescriptor(
                    inputOutput: descriptor
                ).get()
                return try StreamLink(channel, user: user)
            } catch {
                throw unreachable(error)
            }
        }
    }

    private func stream(
        _ user: NIOLoopBound<any ControllerLinkUser>, _ loop: any EventLoop, _ timeout: Duration,
        connect: (ClientBootstrap) -> EventLoopFuture<any Channel>
    ) async throws(RadioError) -> any ControllerLink {
        let bootstrap = ClientBootstrap(group: loop)
            .channelOption(.autoRead, value: false)
            .connectTimeout(TimeAmount(timeout))
        do {
            let channel = try await connect(bootstrap).get()
            let link = try StreamLink(channel, user: user.value)
            channel.setOption(.autoRead, value: true).whenFailure { _ in }
            return link
        } catch {
            throw unreachable(error)
        }
    }

    private func unreachable(_ error: any Error) -> RadioError {
        if case .virtualAir(let host, let port, let reason) = self {
            return RadioError(
                .noAdapter, (reason.map { "\($0), and " } ?? "") + "no process serves a virtual air at \(host):\(port)",
                hint: "start one first (beaconry run PROFILE --radio virtual); an air on another host is "
                    + "--radio tcp-client:HOST:PORT")
        }
        let (reason, hint) = explanation(error)
        return RadioError(.noAdapter, "no controller answers at \(self): \(reason)", hint: hint)
    }

    /// Why the controller cannot be reached, and a hint.
    private func explanation(_ error: any Error) -> (reason: String, hint: String) {
        let another = if case .unix = self { "another path" } else { "another host and port" }
        if let error = error as? NIOConnectionError, error.connectionErrors.isEmpty {
            return ("there is no host \(error.host)", "check the host's name, or write its address")
        }
        let words = SystemErrorText.words(error)
        switch SystemErrorText.code(of: error) {
        case ECONNREFUSED:
            return (
                "nothing listens there, \(words)",
                "start a server of controllers there (beaconry run --radio virtual, rootcanal, Bumble), or give \(another)"
            )
        case ENOENT, ENOTDIR:
            return ("there is no socket, \(words)", "start a server of controllers there, or give \(another)")
        case EACCES, EPERM: return (words, "ask its owner for the right to use it, or give \(another)")
        default: return (words, "check the address and its server, or give \(another)")
        }
    }
}
