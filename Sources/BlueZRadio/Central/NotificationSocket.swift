// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus
@preconcurrency import Dispatch
import Glibc

/// The socket that AcquireNotify gives: a packet for each value that the device notifies.
///
/// bluetoothd unsubscribes when it is closed.
final class NotificationSocket: Sendable {
    private let source: any DispatchSourceRead

    /// Reads from a descriptor, which is closed with this object or by `close()`.
    init(_ descriptor: DBusFileDescriptor, queue: DispatchQueue, take: @escaping @Sendable ([UInt8]) -> Void) {
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor.rawValue, queue: queue)
        source.setEventHandler { [source] in
            while true {
                switch Self.receive(descriptor.rawValue) {
                case .value(let value): take(value)
                case .nothing: return
                case .end: return source.cancel()
                }
            }
        }
        // The descriptor lives as long as its source may look at it.
        source.setCancelHandler { withExtendedLifetime(descriptor) {} }
        source.resume()
    }

    private enum Received {
        case value([UInt8])
        case nothing
        case end
    }

    /// A value may be empty, and so may the end be: only the end says that nobody is there.
    private static func receive(_ descriptor: Int32) -> Received {
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0 { return .value(Array(buffer[..<count])) }
        if count < 0 { return errno == EAGAIN || errno == EINTR ? .nothing : .end }
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&state, 1, 0) >= 0, state.revents & Int16(POLLHUP) == 0 else { return .end }
        return .value([])
    }

    /// Ends it; more than once is harmless.
    func close() {
        source.cancel()
    }

    deinit { source.cancel() }
}
