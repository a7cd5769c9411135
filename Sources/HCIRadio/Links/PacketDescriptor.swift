// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
@preconcurrency import Dispatch
import Glibc
import HCI
import NIOCore
import Sockets

/// A descriptor of the kernel on which each read and each write is one packet: the user channel, and /dev/vhci.
final class PacketDescriptor: ControllerLink {
    private let descriptor: Int32
    private let source: any DispatchSourceRead
    private let watch: any DispatchSourceTimer
    private var isOpen = true
    private weak var user: (any ControllerLinkUser)?

    /// Takes an open descriptor. Packets are delivered on the event loop, where all functions must be called.
    /// - Parameter whenClosed: is called on any thread when the kernel has closed the descriptor, which may take it seconds.
    init(
        _ descriptor: Int32, loop: any EventLoop, user: any ControllerLinkUser,
        whenClosed: @escaping @Sendable () -> Void = {}
    ) {
        self.descriptor = descriptor
        self.user = user
        let queue = DispatchQueue(label: "packets")
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        watch = DispatchSource.makeTimerSource(queue: queue)
        let bound = NIOLoopBound(Weak(self), eventLoop: loop)
        let receive = { @Sendable [source] in
            while !source.isCancelled, let result = Self.receive(descriptor) {
                if case .failure = result { source.cancel() }
                loop.execute { bound.value.object?.take(result) }
            }
        }
        source.setEventHandler(handler: receive)
        source.setCancelHandler { [watch] in
            watch.cancel()
            Glibc.close(descriptor)
            whenClosed()
        }
        // Dispatch reports no error that comes without data, such as the error of an adapter that was removed.
        watch.setEventHandler { [source] in
            var entry = pollfd(fd: descriptor, events: 0, revents: 0)
            if !source.isCancelled, poll(&entry, 1, 0) > 0 { receive() }
        }
        watch.schedule(deadline: .now() + .seconds(1), repeating: .seconds(1), leeway: .milliseconds(200))
        source.resume()
        watch.resume()
    }

    deinit { source.cancel() }

    private struct Weak {
        weak var object: PacketDescriptor?
        init(_ object: PacketDescriptor) { self.object = object }
    }

    private struct Ended: Error {
        let code: Int32
    }

    /// The next packet; `nil` if there is none yet.
    private static func receive(_ descriptor: Int32) -> Result<[UInt8], Ended>? {
        // The largest packet: ACL data, with its header and its type.
        var buffer = [UInt8](repeating: 0, count: 65_535 + 5)
        let count = read(descriptor, &buffer, buffer.count)
        if count > 0 { return .success(Array(buffer[..<count])) }
        if count < 0, errno == EAGAIN || errno == EINTR { return nil }
        return .failure(Ended(code: count == 0 ? 0 : errno))
    }

    private func take(_ result: Result<[UInt8], Ended>) {
        guard isOpen else { return }
        switch result {
        case .success(let bytes):
            // Other packets are ignored, such as the vendor packets of /dev/vhci.
            if let packet = try? HCIPacket(parsing: bytes) { user?.linkReceived(packet) }
        case .failure(let ended):
            isOpen = false
            user?.linkEnded(ended.code == 0 ? "it was closed" : SystemErrorText.words(ended.code))
        }
    }

    func send(_ packet: HCIPacket) {
        guard isOpen else { return }
        let bytes = packet.serialized()
        // ENXIO of /dev/vhci: the kernel has the controller switched off, or gave up its set-up, and drops the packet.
        guard Glibc.write(descriptor, bytes, bytes.count) != bytes.count, errno != EINTR, errno != ENXIO else { return }
        isOpen = false
        source.cancel()
        user?.linkEnded(SystemErrorText.words(errno))
    }

    func close() {
        isOpen = false
        source.cancel()
    }
}
