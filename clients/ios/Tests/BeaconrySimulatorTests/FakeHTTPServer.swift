// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryStream
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An HTTP/1.1 server on 127.0.0.1: one request per connection, and bodies in chunks that a test writes.
///
/// `kill` closes all connections without the ends of their bodies, as the death of a process does; `start` listens on the same port
/// again.
final class FakeHTTPServer: Sendable {
    struct Request: Sendable {
        var method: String
        /// The path with its query, as it was sent.
        var target: String
        var fields: [String: String]
        var body: Data
    }

    enum Answer: Sendable {
        case reply(status: Int, body: String, type: String = "application/json", location: String? = nil)
        /// A body of the type text/event-stream that stays open; what comes first in it.
        case stream([String] = [], type: String = "text/event-stream")
        /// Nothing, until the server is killed.
        case silence
    }

    private struct State {
        var listener: Int32 = -1
        var port: UInt16 = 0
        var connections: Set<Int32> = []
        var streams: [String: [Int32]] = [:]
        var requests: [Request] = []
    }

    private let state = Locked(State())
    private let answer: @Sendable (Request) -> Answer

    /// A server that answers with this closure; it does not listen yet.
    init(answer: @escaping @Sendable (Request) -> Answer) { self.answer = answer }

    deinit { kill() }

    /// The address, once it has listened.
    var url: URL { URL(string: "http://127.0.0.1:\(state.withLock { $0.port })")! }

    /// All requests so far.
    var requests: [Request] { state.withLock { $0.requests } }

    /// The requests with this method and target.
    func requests(_ method: String, _ target: String) -> [Request] {
        requests.filter { $0.method == method && $0.target == target }
    }

    /// The number of open streams of this target.
    func streamCount(_ target: String) -> Int { state.withLock { $0.streams[target]?.count ?? 0 } }

    // Ports that systems do not give out by themselves, each for one server: while a server is dead, nothing else gets its port.
    private static let nextPort = Locked(UInt16(20_000 + Int(getpid()) % 100 * 100))

    /// Listens: at first on a port of its own, then on the same.
    func start() throws {
        let deadline = Date().addingTimeInterval(60)
        while Date() < deadline {
            let former = state.withLock { $0.port }
            let port = former > 0 ? former : Self.newPort()
            guard let listener = try Self.listen(port) else {
                // The thread of the former listener may not have closed it yet.
                if former > 0 { Thread.sleep(forTimeInterval: 0.005) }
                continue
            }
            state.withLock {
                $0.listener = listener
                $0.port = port
            }
            return Thread.detachNewThread { [weak self] in
                while self?.accept(listener) == true {}
                close(listener)
            }
        }
        throw NotReached(description: "after a minute, the port is still in use")
    }

    private static func newPort() -> UInt16 {
        nextPort.withLock { port in
            port += 1
            return port
        }
    }

    /// - Returns: `nil` if the port is in use.
    private static func listen(_ port: UInt16) throws -> Int32? {
        #if canImport(Glibc)
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let listener = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var on: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isListening = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                    && Foundation.listen(listener, 64) == 0
            }
        }
        if isListening { return listener }
        let error = errno
        close(listener)
        if error == EADDRINUSE { return nil }
        throw NotReached(description: "cannot listen on port \(port): errno \(error)")
    }

    /// Closes everything at once.
    func kill() {
        state.withLock {
            $0.listener = -1
            // Its thread closes it: the number could otherwise be another connection's by then.
            for connection in $0.connections { shutdown(connection, Int32(SHUT_RDWR)) }
            $0.streams = [:]
        }
    }

    /// Sends text to all open streams of a target, as one chunk.
    func send(_ text: String, to target: String) { send(Data(text.utf8), to: target) }

    /// Sends bytes to all open streams of a target, as one chunk.
    func send(_ bytes: Data, to target: String) {
        let chunk = Self.chunk(bytes)
        state.withLock { state in
            for connection in state.streams[target] ?? [] { Self.write(chunk, to: connection) }
        }
    }

    /// Ends the open streams of a target, as the end of a run does.
    func end(_ target: String) {
        state.withLock { state in
            for connection in state.streams.removeValue(forKey: target) ?? [] {
                Self.write(Data("0\r\n\r\n".utf8), to: connection)
                shutdown(connection, Int32(SHUT_RDWR))
            }
        }
    }

    // MARK: - Connections

    private func accept(_ listener: Int32) -> Bool {
        guard state.withLock({ $0.listener == listener }) else { return false }
        var poll = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        guard systemPoll(&poll, 1, 20) > 0 else { return true }
        let connection = systemAccept(listener, nil, nil)
        guard connection >= 0 else { return true }
        #if canImport(Darwin)
            var on: Int32 = 1
            setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
        state.withLock { _ = $0.connections.insert(connection) }
        Thread.detachNewThread { [weak self] in
            self?.serve(connection)
            self?.state.withLock { state in
                _ = state.connections.remove(connection)
                for target in state.streams.keys { state.streams[target]?.removeAll { $0 == connection } }
            }
            close(connection)
        }
        return true
    }

    private func serve(_ connection: Int32) {
        guard let request = Self.read(connection) else { return }
        state.withLock { $0.requests.append(request) }
        switch answer(request) {
        case .reply(let status, let body, let type, let location):
            var head = "HTTP/1.1 \(status) Status\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n"
            if let location { head += "Location: \(location)\r\n" }
            Self.write(Data((head + "Connection: close\r\n\r\n" + body).utf8), to: connection)
            return
        case .stream(let first, let type):
            let head = "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nTransfer-Encoding: chunked\r\n\r\n"
            // With the lock, so that what a test sends comes after what comes first.
            state.withLock { state in
                Self.write(Data(head.utf8), to: connection)
                for text in first { Self.write(Self.chunk(Data(text.utf8)), to: connection) }
                state.streams[request.target, default: []].append(connection)
            }
        case .silence:
            break
        }
        // Until the client or a test closes it.
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) > 0 {}
    }

    private static func read(_ connection: Int32) -> Request? {
        var bytes = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        func more() -> Bool {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return false }
            bytes.append(contentsOf: buffer[..<count])
            return true
        }
        while bytes.range(of: Data("\r\n\r\n".utf8)) == nil { guard more() else { return nil } }
        guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let first = lines[0].split(separator: " ").map(String.init)
        guard first.count == 3 else { return nil }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        let length = fields["content-length"].flatMap { Int($0) } ?? 0
        while bytes.count < end.upperBound + length { guard more() else { return nil } }
        let body = Data(bytes[end.upperBound..<end.upperBound + length])
        return Request(method: first[0], target: first[1], fields: fields, body: body)
    }

    private static func chunk(_ bytes: Data) -> Data {
        Data((String(bytes.count, radix: 16) + "\r\n").utf8) + bytes + Data("\r\n".utf8)
    }

    private static func write(_ bytes: Data, to connection: Int32) {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        bytes.withUnsafeBytes { buffer in
            var sent = 0
            while sent < buffer.count {
                let count = Foundation.send(connection, buffer.baseAddress! + sent, buffer.count - sent, flags)
                guard count > 0 else { return }
                sent += count
            }
        }
    }
}

// Methods of the server have these names, too.
private func systemAccept(
    _ listener: Int32, _ address: UnsafeMutablePointer<sockaddr>?, _ length: UnsafeMutablePointer<socklen_t>?
) -> Int32 {
    accept(listener, address, length)
}

private func systemPoll(_ polls: UnsafeMutablePointer<pollfd>, _ count: nfds_t, _ timeout: Int32) -> Int32 {
    poll(polls, count, timeout)
}
