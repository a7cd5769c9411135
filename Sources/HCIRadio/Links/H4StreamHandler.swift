// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import NIOCore
import Sockets

/// HCI packets on a stream of bytes, framed as H4 (Core 5.4, Vol 4, Part A): TCP, Unix sockets, serial lines.
///
/// Packets are delivered until none is complete, or the user stops reading:
///
///     idle --(bytes, or the user reads again)--> delivering --(no packet left)--> idle
///     delivering --(`packetsInOneGo` packets)--> resting --(the next turn of the event loop)--> delivering
final class H4StreamHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Delivery {
        case idle
        case delivering
        /// Other work on the event loop comes first.
        case resting
    }

    private var decoder = H4Decoder()
    private weak var user: (any ControllerLinkUser)?
    private var context: ChannelHandlerContext?
    private var delivery = Delivery.idle
    /// Whether the user takes packets.
    private var isWanted = true
    /// Whether the channel reads by itself, as it was set last.
    private var isReadingAutomatically = true
    /// Packets that are written together.
    private var queued = ByteWriter()
    private var willSend = false

    /// The approximate size of a write, in bytes.
    private static let batch = 65_536
    /// The number of packets that are delivered at once, before other work on the event loop.
    private static let packetsInOneGo = 64

    /// Called when the stream accepts bytes again.
    var onWritable: (() -> Void)?

    init(user: any ControllerLinkUser) {
        self.user = user
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Whether packets are written soon, or would pile up.
    var isWritable: Bool { context?.channel.isWritable ?? false }

    /// Queues a packet; `flush()` follows.
    func write(_ packet: HCIPacket) {
        packet.serialize(into: &queued)
        if queued.bytes.count >= Self.batch { send() }
    }

    /// Sends the queued packets at the end of this turn of the event loop, with any others of this turn: an
    /// acknowledgement and the response that follows it are one write, which wakes the peer once.
    func flush() {
        guard !willSend, !queued.bytes.isEmpty, let context else { return }
        willSend = true
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.execute {
            bound.value.willSend = false
            bound.value.send()
        }
    }

    private func send() {
        guard !queued.bytes.isEmpty else { return }
        let bytes = queued.bytes
        queued = ByteWriter()
        guard let context else { return }
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
    }

    /// Stops or continues reading. Packets that have arrived already wait here.
    func setReading(_ isReading: Bool) {
        guard isReading != isWanted else { return }
        isWanted = isReading
        deliver()
    }

    /// Ends the stream after the queued packets.
    func close() {
        send()
        context?.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard user != nil else { return }
        decoder.append(unwrapInboundIn(data).readableBytesView)
        deliver()
    }

    /// Delivers packets until there are no more, or the user stops reading, which it may do after each.
    private func deliver() {
        guard case .idle = delivery else { return }
        delivery = .delivering
        var fault: WireError?
        do throws(WireError) {
            try handOver()
        } catch {
            fault = error
        }
        if case .delivering = delivery { delivery = .idle }
        readAsWanted()
        flush()
        guard let fault else { return }
        user?.linkRefused("it does not send H4 packets (\(fault))")
        user = nil
        context?.close(promise: nil)
    }

    private func handOver() throws(WireError) {
        var count = 0
        while isWanted, case .delivering = delivery, let user, let packet = try decoder.next() {
            user.linkReceived(packet)
            count += 1
            if count == Self.packetsInOneGo { rest() }
        }
    }

    private func rest() {
        guard let context else { return }
        delivery = .resting
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.execute {
            bound.value.delivery = .idle
            bound.value.deliver()
        }
    }

    private func readAsWanted() {
        var isReading = isWanted
        if case .resting = delivery { isReading = false }
        guard isReading != isReadingAutomatically else { return }
        isReadingAutomatically = isReading
        context?.channel.setOption(.autoRead, value: isReading).whenFailure { _ in }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { onWritable?() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end("the connection was closed")
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(SystemErrorText.words(error))
        context.close(promise: nil)
    }

    private func end(_ reason: String) {
        user?.linkEnded(reason)
        user = nil
    }
}
