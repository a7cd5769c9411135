// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// A connection with its channels: attributes, signalling and security.
///
/// It reassembles the frames of the peer, gives each to its channel, and does what the channel returns. Frames to send
/// wait in `outgoing` until the controller has room, and the packets that the controller holds are counted.
///
///     open --(Disconnect sent)--> ending --(Disconnect failed)--> open      open, ending --(the controller's event)--> closed
///     unwanted --(the controller's event)--> closed
struct HostConnection: Sendable {
    private enum Phase {
        case open
        /// The owner or this end requested the end, and the controller has not reported it.
        case ending
        /// The owner cancelled the connection before it was made: it is ended at once, and the owner is not notified of it.
        case unwanted
    }

    /// An update of the connection parameters.
    private enum Update {
        case none
        /// The controller performs an update; the latest one requested meanwhile is next.
        case underway(next: ConnectionParameters?)
    }

    /// The controller's number for it.
    let handle: ConnectionHandle
    /// The state that the owner sees.
    private(set) var link: LEConnection
    private var reassembler = L2CAPReassembler()
    private var signalling: SignallingChannel
    private var security: ConnectionSecurity
    private var bearer: ATTBearer
    private var outgoing = FragmentQueue()
    /// The number of its packets that the controller holds.
    private(set) var packetsInController = 0
    private var phase: Phase
    private var parameterUpdate = Update.none
    /// When one of its channels has something to do, as of the last `noteDeadline()`: it is read after every packet.
    private(set) var nextDeadline: Duration?

    init(
        handle: ConnectionHandle, ownAddress: PeerAddress, link: LEConnection, database: AttributeDatabase?,
        mtu: UInt16, isUnwanted: Bool
    ) {
        self.handle = handle
        self.link = link
        phase = isUnwanted ? .unwanted : .open
        signalling = SignallingChannel(role: link.role == .central ? .central : .peripheral)
        security = ConnectionSecurity(handle: handle, ownAddress: ownAddress)
        let server = database.map { ATTServer(database: $0, limits: ATTServer.Limits(mtu: mtu)) }
        bearer = ATTBearer(server: server, client: GATTClient(maximumMTU: mtu))
        bearer.setSecurity(link.security)
    }

    /// Whether the owner cancelled the connection before it was made.
    var isUnwanted: Bool {
        if case .unwanted = phase { true } else { false }
    }
    /// Whether a pairing is under way.
    var isPairing: Bool { security.isPairing }

    mutating func noteDeadline() {
        nextDeadline = bearer.nextDeadline.orEarlier(signalling.nextDeadline).orEarlier(security.nextDeadline)
    }

    /// Does what is due on its channels.
    mutating func advance(_ context: inout HostContext) {
        perform(bearer.advance(to: context.now), &context)
        perform(signalling.advance(to: context.now), &context)
        let actions = security.advance(&link, client: bearer.server?.client, &context)
        perform(actions, &context)
    }

    // MARK: - Data

    /// The frames that a packet of the peer completes.
    mutating func reassemble(_ data: ACLDataPacket) -> [L2CAPReassembler.Output] {
        reassembler.receive(data.payload, isStart: data.boundary != .continuing)
    }

    mutating func receiveAttributes(
        _ payload: [UInt8], _ context: inout HostContext
    ) {
        perform(bearer.receive(payload, at: context.now), &context)
    }

    mutating func receiveSignals(_ payload: [UInt8], _ context: inout HostContext) {
        perform(signalling.receive(payload), &context)
    }

    /// Takes the payload of a frame on the security manager's channel.
    /// - Parameter identity: the identity behind the private addresses of this end.
    mutating func receiveSecurity(
        _ payload: [UInt8], identity: LocalIdentity?, _ context: inout HostContext
    ) {
        let actions = security.receive(
            payload, &link, identity: identity, client: bearer.server?.client, &context)
        perform(actions, &context)
    }

    /// Queues a payload for the peer. A peer that requests more than it receives is disconnected, so that the queue
    /// stays bounded.
    private mutating func send(_ payload: [UInt8], on channel: ChannelIdentifier, _ context: inout HostContext) {
        guard outgoing.hasRoom else { return end(reason: .remoteDeviceTerminatedLowResources, &context) }
        outgoing.append(
            L2CAPFrame(channel: channel, payload: payload), fragmentLength: context.knownCapabilities.dataLength)
    }

    /// Whether data waits for the controller.
    var hasOutgoing: Bool { !outgoing.isEmpty }

    /// The next packet for the controller, which holds it from now on.
    mutating func nextPacket() -> ACLDataPacket? {
        guard let part = outgoing.popFirst() else { return nil }
        packetsInController += 1
        return ACLDataPacket(
            handle: handle, boundary: part.isStart ? .firstNonFlushable : .continuing, payload: part.bytes)
    }

    /// The controller has sent packets.
    /// - Returns: the number of those that it held.
    mutating func completePackets(_ count: Int) -> Int {
        let count = min(count, packetsInController)
        packetsInController -= count
        return count
    }

    // MARK: - Attributes

    /// What the central subscribed to, of the characteristic whose value has this handle.
    func subscription(to handle: AttributeHandle) -> ClientCharacteristicConfiguration {
        bearer.server?.subscription(to: handle) ?? []
    }

    mutating func respond(
        to token: ATTToken, with result: Result<[UInt8], ATTError>, _ context: inout HostContext
    ) {
        let now = context.now
        perform(bearer.withServer { $0.respond(token, result, at: now) }, &context)
    }

    /// Sends a value to the central.
    /// - Returns: `false` if the central has not subscribed, or if too much data waits already.
    mutating func notify(
        _ value: [UInt8], of handle: AttributeHandle, _ context: inout HostContext
    ) -> Bool {
        guard outgoing.hasRoom, !subscription(to: handle).isEmpty else { return false }
        let now = context.now
        perform(bearer.withServer { $0.notify(value, of: handle, at: now) }, &context)
        return true
    }

    mutating func start(
        _ procedure: GATTProcedure, as token: ATTToken, _ context: inout HostContext
    ) {
        let now = context.now
        perform(bearer.withClient { $0.start(procedure, as: token, at: now) }, &context)
    }

    /// Replaces the attributes that the peer finds.
    /// - Returns: the subscriptions that ended with the old ones.
    mutating func replaceDatabase(
        _ database: AttributeDatabase, _ context: inout HostContext
    ) -> [EndedSubscription] {
        guard let old = bearer.server else { return [] }
        let changed =
            link.role == .central ? ClosedRange<AttributeHandle>.all : database.affectedHandles(since: old.database)
        let now = context.now
        var remaining: Set<AttributeHandle> = []
        let outputs = bearer.withServer { server in
            defer { remaining = Set(server.client.configurations.keys) }
            return server.replaceDatabase(database, changed: changed, at: now)
        }
        perform(outputs, &context)
        return old.client.configurations.keys.filter { !remaining.contains($0) }.sorted().map {
            EndedSubscription(connection: link.id, handle: $0)
        }
    }

    private mutating func perform(
        _ outputs: [ATTBearer.Output], _ context: inout HostContext
    ) {
        // The state of a bonded client is saved before the client gets the confirmation.
        saveClientState(&context)
        for output in outputs {
            switch output {
            case .send(let pdu): send(pdu, on: .attribute, &context)
            case .failed: end(reason: .remoteUserTerminatedConnection, &context)
            case .server, .client, .mtuChanged: report(output, &context)
            }
        }
    }

    private func saveClientState(_ context: inout HostContext) {
        guard let peer = security.bondInUse, link.security.isEncrypted, let client = bearer.server?.client,
            let bond = context.registry.save(client, of: peer, for: link.advertisingSet)
        else { return }
        context.emit(.bondChanged(link.advertisingSet, bond))
    }

    private func report(_ output: ATTBearer.Output, _ context: inout HostContext) {
        switch output {
        case .server(let output): report(output, &context)
        case .client(let output): report(output, &context)
        case .mtuChanged(let mtu): context.emit(.mtuChanged(link.id, mtu))
        case .send, .failed: break
        }
    }

    private func report(_ output: ATTServerOutput, _ context: inout HostContext) {
        switch output {
        case .read(let token, let handle, let uuid, let offset):
            context.emit(request(token, handle, uuid, .read(offset: offset)))
        case .write(let token, let handle, let uuid, let offset, let value, let needsResponse):
            context.emit(
                request(token, handle, uuid, .write(offset: offset, value: value, needsResponse: needsResponse)))
        case .subscriptionChanged(let handle, let uuid, let configuration):
            context.emit(.subscriptionChanged(link.id, link.advertisingSet, handle, uuid: uuid, configuration))
        case .refused(let handle, let value, let error):
            context.emit(.attributeRefused(link.id, handle, write: value, error))
        case .indicationEnded(let handle, let isConfirmed):
            context.emit(.indicationEnded(link.id, handle, isConfirmed: isConfirmed))
        case .send, .broadcastChanged, .mtuChanged, .failed: break
        }
    }

    private func request(
        _ token: ATTToken, _ handle: AttributeHandle, _ uuid: BluetoothUUID,
        _ operation: AttributeServerRequest.Operation
    ) -> LEHostEvent {
        .attributeRequest(
            AttributeServerRequest(
                connection: link.id, advertisingSet: link.advertisingSet, token: token, handle: handle, uuid: uuid,
                operation: operation))
    }

    private func report(_ output: GATTClientOutput, _ context: inout HostContext) {
        switch output {
        case .completed(let token, let result): context.emit(.completed(link.id, token, result))
        case .notification(let handle, let value): context.emit(.notification(link.id, handle, value))
        case .indication(let handle, let value): context.emit(.indication(link.id, handle, value))
        case .send, .mtuChanged, .failed: break
        }
    }

    // MARK: - Connection parameters

    /// Requests other parameters: a central sets them, a peripheral asks its central for them.
    mutating func update(to parameters: ConnectionParameters, _ context: inout HostContext) {
        guard link.role == .peripheral else { return set(parameters, &context) }
        let request = ConnectionParameterUpdateRequest(
            minimumInterval: parameters.interval.lowerBound, maximumInterval: parameters.interval.upperBound,
            latency: parameters.latency, timeout: parameters.supervisionTimeout)
        let outputs = signalling.request(request, at: context.now)
        if outputs.isEmpty { context.emit(.connectionUpdateFailed(link.id, .busy)) }
        perform(outputs, &context)
    }

    /// Sets parameters, after those that are on their way.
    private mutating func set(_ parameters: ConnectionParameters, _ context: inout HostContext) {
        if case .underway = parameterUpdate {
            parameterUpdate = .underway(next: parameters)
            return
        }
        parameterUpdate = .underway(next: nil)
        context.send(
            LEConnectionUpdate(
                connectionHandle: handle, minimumConnectionInterval: parameters.interval.lowerBound,
                maximumConnectionInterval: parameters.interval.upperBound, maximumLatency: parameters.latency,
                supervisionTimeout: parameters.supervisionTimeout),
            then: .connection(link.id, .update))
    }

    /// Takes the outcome of an update, of either end's request.
    mutating func receive(_ event: LEConnectionUpdateComplete, _ context: inout HostContext) {
        guard event.status == .success else {
            if case .underway = parameterUpdate { finishUpdate(.connection(event.status), &context) }
            return
        }
        link.interval = event.connectionInterval
        link.latency = event.peripheralLatency
        link.supervisionTimeout = event.supervisionTimeout
        if !isUnwanted { context.emit(.connectionUpdated(link)) }
        finishUpdate(nil, &context)
    }

    /// Ends an update, and begins the next one that was requested.
    private mutating func finishUpdate(_ failure: LEHostFailure?, _ context: inout HostContext) {
        let finished = parameterUpdate
        parameterUpdate = .none
        if let failure { context.emit(.connectionUpdateFailed(link.id, failure)) }
        if case .underway(let next?) = finished { set(next, &context) }
    }

    private mutating func perform(_ outputs: [SignallingChannel.Output], _ context: inout HostContext) {
        for output in outputs {
            switch output {
            case .send(let payload): send(payload, on: .signalling, &context)
            case .updateConnectionParameters(let request):
                guard request.minimumInterval <= request.maximumInterval else { continue }
                set(
                    ConnectionParameters(
                        interval: request.minimumInterval...request.maximumInterval, latency: request.latency,
                        supervisionTimeout: request.timeout), &context)
            case .connectionParameterUpdateAnswered(.accepted): break
            case .connectionParameterUpdateAnswered(.some):
                context.emit(.connectionUpdateFailed(link.id, .connection(.unacceptableConnectionParameters)))
            case .connectionParameterUpdateAnswered(nil): context.emit(.connectionUpdateFailed(link.id, .timedOut))
            }
        }
    }

    // MARK: - Security

    /// Passes a request or an answer of the owner to the security of the link, and performs what follows.
    mutating func secure(
        _ context: inout HostContext,
        _ body: (inout ConnectionSecurity, inout LEConnection, ATTClientState?, inout HostContext)
            -> [ConnectionSecurity.Action]
    ) {
        let actions = body(&security, &link, bearer.server?.client, &context)
        perform(actions, &context)
    }

    /// The owner removed the bond with the peer. The link stays encrypted.
    mutating func forgetBond(with peer: PeerAddress) {
        guard link.identity == peer else { return }
        link.identity = nil
        security.forgetBond(with: peer)
    }

    mutating func receive(
        _ event: LELongTermKeyRequest, _ context: inout HostContext
    ) {
        security.receive(event, &link, &context)
    }

    /// Handles an event that encryption began, failed or ended.
    /// - Parameter identity: the identity behind the private addresses of this end.
    mutating func receive(
        _ event: EncryptionChange, identity: LocalIdentity?, _ context: inout HostContext
    ) {
        if event.status == .success, event.encryptionEnabled == 0 {
            security.endEncryption(&link, &context)
            bearer.setSecurity(link.security)
        } else {
            finishEncryption(event.status, identity: identity, &context)
        }
    }

    /// Encryption has begun, has a new key, or has failed.
    mutating func finishEncryption(
        _ status: HCIStatus, identity: LocalIdentity?, _ context: inout HostContext
    ) {
        let client = bearer.server?.client
        let actions =
            status == .success
            ? security.finishEncryption(&link, identity: identity, client: client, &context)
            : security.failEncryption(status, &link, client: client, &context)
        perform(actions, &context)
    }

    private mutating func perform(
        _ actions: [ConnectionSecurity.Action], _ context: inout HostContext
    ) {
        bearer.setSecurity(link.security)
        for action in actions {
            switch action {
            case .send(let payload): send(payload, on: .securityManager, &context)
            case .restore(let client):
                let now = context.now
                perform(bearer.withServer { $0.restore(client, at: now) }, &context)
            }
        }
    }

    // MARK: - Commands and the end

    /// Reads the RSSI of the peer.
    func readRSSI(_ context: inout HostContext) {
        context.send(ReadRSSI(connectionHandle: handle), then: .connection(link.id, .rssi))
    }

    /// Requests longer link layer packets if the controller has them.
    func requestDataLength(_ context: inout HostContext) {
        let capabilities = context.knownCapabilities
        guard capabilities.maximumLinkPayload > 27 else { return }
        _ = context.request(
            LESetDataLength(
                connectionHandle: handle, transmitOctets: UInt16(capabilities.maximumLinkPayload),
                transmitTime: capabilities.maximumLinkPayloadTime),
            then: .connection(link.id, .dataLength))
    }

    /// Requests the end of the connection, once.
    mutating func end(reason: HCIStatus, _ context: inout HostContext) {
        if case .ending = phase { return }
        let isRequested = context.request(
            Disconnect(connectionHandle: handle, reason: reason), then: .connection(link.id, .disconnect))
        if isRequested, case .open = phase { phase = .ending }
    }

    /// Takes the reply to a command about the connection.
    mutating func finish(
        _ step: ConnectionStep, _ reply: CommandReply, _ context: inout HostContext
    ) {
        switch step {
        case .dataLength, .longTermKey: break
        case .encryption:
            if reply.failure != nil { finishEncryption(reply.status ?? .unspecifiedError, identity: nil, &context) }
        case .rssi:
            if let returned = reply.value(of: ReadRSSI.self) {
                context.emit(.rssi(link.id, .success(returned.rssi)))
            } else {
                context.emit(.rssi(link.id, .failure(reply.failure ?? .unreadable(reply.opcode))))
            }
        case .update: if let failure = reply.failure { finishUpdate(failure, &context) }
        case .disconnect:
            // The end may be requested again.
            if reply.failure != nil, case .ending = phase { phase = .open }
        }
    }

    /// The connection has ended: notifies the owner, first of what ended with it.
    mutating func close(
        reason: HCIStatus, _ context: inout HostContext
    ) {
        guard !isUnwanted else { return }
        security.close(link, &context)
        for output in bearer.close() { report(output, &context) }
        context.emit(.disconnected(link, reason))
    }
}
