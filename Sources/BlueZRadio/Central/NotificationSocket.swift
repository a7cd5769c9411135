// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus
@preconcurrency import Dispatch
import Glibc

/// The socket of AcquireNotify, which carries a packet for each value that the device notifies.
///
/// Closing the socket makes bluetoothd unsubscribe.
final class NotificationSocket: Sendable {
    private let source: any DispatchSourceRead

    /// Reads from a descriptor until `close()` or the release of this object, which close the descriptor.
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
        // The descriptor must stay open until the source is cancelled.
        source.setCancelHandler { withExtendedLifetime(descriptor) {} }
        source.resume()
    }

    private enum Received {
        case value([UInt8])
        case nothing
        case end
    }

    /// Receives one packet. An empty value and the end of the socket both have length 0; only the end hangs up.
    private static func receive(_ descriptor: Int32) -> Received {
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0 { return .value(Array(buffer[..<count])) }
        if count < 0 { return errno == EAGAIN || errno == EINTR ? .nothing : .end }
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&state, 1, 0) >= 0, state.revents & Int16(POLLHUP) == 0 else { return .end }
        return .value([])
    }

    /// Closes the socket. Further calls have no effect.
    func close() {
        source.cancel()
    }

    deinit { source.cancel() }
}
