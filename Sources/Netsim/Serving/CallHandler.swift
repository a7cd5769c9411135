// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import NIOCore
import NIOHPACK
import NIOHTTP2
import Sockets

/// A call in the channel of its HTTP/2 stream: towards the network gRPC messages, towards the handlers of the chip H4.
final class CallHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = HTTP2Frame.FramePayload

    static let path = "/netsim.packet.PacketStreamer/StreamPackets"
    private static let contentType = "application/grpc"

    private enum Phase {
        /// Nothing was answered yet.
        case begun
        /// The call is accepted: the device may send.
        case open
        /// The status was sent, or the stream is gone.
        case closed
    }

    private let delegate: any PacketServerDelegate
    private let peer: String
    private var phase = Phase.begun
    private var call = PacketCall()
    private var outbound = H4Decoder()
    /// Reports what ends the call; set when a chip has joined.
    private var refuse: ((String) -> Void)?
    private var timeout: Scheduled<Void>?
    /// Whether the device sends nothing more.
    private var hasEndedInput = false

    init(_ delegate: any PacketServerDelegate, peer: String) {
        self.delegate = delegate
        self.peer = peer
    }

    // MARK: - From the device

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let frame):
            hasEndedInput = frame.endStream
            if case .begun = phase { begin(context, frame.headers) }
            if frame.endStream { endInput(context) }
        case .data(let frame):
            hasEndedInput = frame.endStream
            if case .open = phase, case .byteBuffer(let bytes) = frame.data {
                call.append(bytes.readableBytesView)
                deliver(context)
            }
            if frame.endStream { endInput(context) }
        default: break
        }
    }

    private func begin(_ context: ChannelHandlerContext, _ headers: HPACKHeaders) {
        let type = headers.first(name: "content-type") ?? ""
        guard headers.first(name: ":method") == "POST", type.hasPrefix(Self.contentType) else {
            phase = .closed
            let method = headers.first(name: ":method").map(Self.beginning) ?? "no method"
            let content = type.isEmpty ? "no content type" : Self.beginning(of: type)
            delegate.refuse("its request is not one of gRPC (\(method), \(content))", peer: peer)
            // gRPC over HTTP/2, "Requests": Unsupported Media Type.
            return write(context, [":status": "415"], endStream: true)
        }
        guard headers.first(name: ":path") == Self.path else {
            let asked = headers.first(name: ":path").map(Self.beginning) ?? ""
            let status = RPCStatus(.unimplemented, "there is no method \(asked)")
            delegate.refuse(status.message, peer: peer)
            return end(context, status)
        }
        phase = .open
        write(context, [":status": "200", "content-type": Self.contentType], endStream: false)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timeout = context.eventLoop.scheduleTask(in: PacketServer.chipTimeout) {
            let (handler, context) = bound.value
            handler.end(context, RPCStatus(.ok))
        }
    }

    /// The beginning of what a client wrote, for people.
    private static func beginning(of text: String) -> String { String(decoding: text.utf8.prefix(128), as: UTF8.self) }

    private func deliver(_ context: ChannelHandlerContext) {
        do throws(RPCStatus) {
            while let action = try call.next() { try perform(action, context) }
        } catch {
            fail(context, error)
        }
    }

    private func perform(_ action: PacketCall.Action, _ context: ChannelHandlerContext) throws(RPCStatus) {
        switch action {
        case .join(let chip):
            timeout?.cancel()
            do {
                refuse = try delegate.join(chip, on: context.channel, peer: peer)
            } catch {
                throw RPCStatus(.unavailable, "\(error)")
            }
        case .ignore(let chip):
            timeout?.cancel()
            delegate.ignore(chip, peer: peer)
        case .packet(let packet):
            context.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: packet.serialized())))
        case .reply(let packet):
            guard context.channel.isWritable else {
                throw RPCStatus(.resourceExhausted, "it does not read the answers to its commands")
            }
            var messages = ByteBuffer()
            Self.append(packet, to: &messages)
            writeMessages(context, messages, promise: nil)
            context.flush()
        }
    }

    private func endInput(_ context: ChannelHandlerContext) {
        guard case .open = phase else { return }
        let status = call.end()
        if status.code == .ok { end(context, status) } else { fail(context, status) }
    }

    // MARK: - To the device

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .open = phase else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        outbound.append(unwrapOutboundIn(data).readableBytesView)
        var messages = ByteBuffer()
        // Our own packets are whole and well-formed.
        while let packet = try? outbound.next() { Self.append(packet, to: &messages) }
        writeMessages(context, messages, promise: promise)
    }

    private static func append(_ packet: HCIPacket, to buffer: inout ByteBuffer) {
        let message = PacketResponse.bytes(of: packet)
        buffer.writeBytes(RPCMessageDecoder.prefix(message.count))
        buffer.writeBytes(message)
    }

    private func writeMessages(
        _ context: ChannelHandlerContext, _ messages: ByteBuffer, promise: EventLoopPromise<Void>?
    ) {
        let frame = HTTP2Frame.FramePayload.Data(data: .byteBuffer(messages))
        context.write(wrapOutboundOut(.data(frame)), promise: promise)
    }

    private func write(_ context: ChannelHandlerContext, _ headers: HPACKHeaders, endStream: Bool) {
        let frame = HTTP2Frame.FramePayload.Headers(headers: headers, endStream: endStream)
        context.write(wrapOutboundOut(.headers(frame)), promise: nil)
        // The device may still send: it is to stop (RFC 9113, 8.1).
        if endStream, !hasEndedInput { context.write(wrapOutboundOut(.rstStream(.noError)), promise: nil) }
        context.flush()
    }

    /// Ends the call because of what the device sent.
    private func fail(_ context: ChannelHandlerContext, _ status: RPCStatus) {
        if let refuse { refuse(status.message) } else { delegate.refuse(status.message, peer: peer) }
        end(context, status)
    }

    private func end(_ context: ChannelHandlerContext, _ status: RPCStatus) {
        timeout?.cancel()
        var trailers: HPACKHeaders = [:]
        switch phase {
        case .begun: trailers = [":status": "200", "content-type": Self.contentType]
        case .open: break
        case .closed: return
        }
        phase = .closed
        trailers.add(name: "grpc-status", value: "\(status.code.rawValue)")
        if !status.message.isEmpty { trailers.add(name: "grpc-message", value: status.encodedMessage) }
        write(context, trailers, endStream: true)
    }

    /// The handlers of the chip end the call.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard case .open = phase, mode != .input else { return context.close(mode: mode, promise: promise) }
        end(context, RPCStatus(.unavailable, "the controller was removed"))
        promise?.succeed()
    }

    func channelInactive(context: ChannelHandlerContext) {
        phase = .closed
        timeout?.cancel()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The end of the stream follows.
        if error is NIOHTTP2Errors.StreamClosed { return }
        context.fireErrorCaught(error)
        context.close(promise: nil)
    }
}
