// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency
import DBus
import Dispatch
import Glibc

/// Our end of the socket of `AcquireNotify` or `AcquireWrite`: a packet is a value, in either direction.
///
/// A program that does not read loses values, as with bluetoothd. One that writes faster than the link waits: the next packet
/// is read when the one before it was written.
@ServiceActor
final class ValueSocket {
    /// The longest value of an attribute, in bytes.
    private static let capacity = 512

    private let descriptor: DBusFileDescriptor
    private let source: any DispatchSourceRead
    private let take: (@ServiceActor ([UInt8]) async -> Void)?
    private let ended: @ServiceActor () -> Void
    private var isSuspended = false
    private var isClosed = false

    /// Makes a pair of sockets.
    /// - Parameters:
    ///   - take: takes a value from the program; `nil` if values only go to it.
    ///   - ended: called when the program has closed its end.
    /// - Returns: our end and the program's end.
    /// - Throws: `Failed` if the system has no further descriptors.
    static func makePair(
        take: (@ServiceActor ([UInt8]) async -> Void)? = nil, ended: @escaping @ServiceActor () -> Void
    ) throws(DBusError) -> (ValueSocket, DBusFileDescriptor) {
        var descriptors: [Int32] = [-1, -1]
        let type = SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        guard socketpair(AF_UNIX, Int32(type), 0, &descriptors) == 0 else {
            throw BlueZError.failed(String(cString: strerror(errno)))
        }
        let socket = ValueSocket(DBusFileDescriptor(owning: descriptors[0]), take: take, ended: ended)
        return (socket, DBusFileDescriptor(owning: descriptors[1]))
    }

    /// The end that a program made, of which it has the other one. `take` and `ended` as in `makePair`.
    convenience init(
        adopting descriptor: DBusFileDescriptor, take: (@ServiceActor ([UInt8]) async -> Void)? = nil,
        ended: @escaping @ServiceActor () -> Void
    ) {
        self.init(descriptor, take: take, ended: ended)
    }

    private init(
        _ descriptor: DBusFileDescriptor, take: (@ServiceActor ([UInt8]) async -> Void)?,
        ended: @escaping @ServiceActor () -> Void
    ) {
        self.descriptor = descriptor
        self.take = take
        self.ended = ended
        source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor.rawValue, queue: ServiceActor.executor.queue)
        source.setEventHandler { @Sendable [weak self] in ServiceActor.assumeIsolated { self?.receive() } }
        // The descriptor must stay open until the source is cancelled.
        source.setCancelHandler { @Sendable in withExtendedLifetime(descriptor) {} }
        source.resume()
    }

    /// Sends a value to the program.
    /// - Returns: whether the program has room for it.
    func send(_ value: [UInt8]) -> Bool {
        Glibc.send(descriptor.rawValue, value, value.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            == value.count
    }

    private func receive() {
        guard !isClosed else { return }
        var buffer = [UInt8](repeating: 0, count: Self.capacity)
        let count = recv(descriptor.rawValue, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 || (count == 0 && !hasHungUp) else {
            close()
            return ended()
        }
        guard let take else { return }
        isSuspended = true
        source.suspend()
        let value = Array(buffer.prefix(count))
        Task {
            await take(value)
            resume()
        }
    }

    /// An empty value and the end of the socket both have length 0; only the end hangs up.
    private var hasHungUp: Bool {
        var state = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, 0) < 0 || state.revents & Int16(POLLHUP) != 0
    }

    private func resume() {
        guard isSuspended else { return }
        isSuspended = false
        source.resume()
    }

    /// Closes our end; the program notices it.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        source.cancel()
        resume()
        _ = shutdown(descriptor.rawValue, Int32(SHUT_RDWR))
    }
}
