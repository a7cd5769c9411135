// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// A request of an attribute server to its owner, or a report.
enum ATTServerOutput: Hashable, Sendable {
    /// Send this PDU on the attribute channel.
    case send([UInt8])
    /// The client reads a characteristic value from an offset: answer with `respond` and the value from there to its
    /// end.
    case read(ATTToken, handle: AttributeHandle, uuid: BluetoothUUID, offset: Int)
    /// The client writes a characteristic value from an offset: always answer with `respond`. The client receives the
    /// answer only if `needsResponse`.
    case write(
        ATTToken, handle: AttributeHandle, uuid: BluetoothUUID, offset: Int, value: [UInt8], needsResponse: Bool)
    /// The server refused to read an attribute, or to write this value to it, because of its permissions, the security
    /// of the link, or the length of the value.
    case refused(AttributeHandle, write: [UInt8]?, ATTError)
    /// The client changed its subscription to the characteristic with this value handle.
    case subscriptionChanged(AttributeHandle, uuid: BluetoothUUID, ClientCharacteristicConfiguration)
    /// The client switched the broadcast of the characteristic with this value handle on or off.
    case broadcastChanged(AttributeHandle, uuid: BluetoothUUID, isOn: Bool)
    /// An indication was confirmed, or can no longer be.
    case indicationEnded(AttributeHandle, isConfirmed: Bool)
    /// Both sides have agreed on a maximum PDU length, in bytes.
    case mtuChanged(Int)
    /// The client did not confirm an indication in time. Nothing more can be sent; disconnect the link.
    case failed
}

/// The attribute server of one connection (Core 5.4, Vol 3, Part F and G).
///
/// The server takes PDUs, answers of its owner and the time, and returns outputs. Its parts:
///
/// * `AttributeAccess`: the attribute table, the security of the link, and what is known of the client.
/// * `RequestQueue`: at most one request waits for the owner; PDUs received meanwhile are queued within limits.
/// * `ValueCollection` and `WriteSequence`: one request that reads or writes, which may stop to ask the owner.
/// * `PreparedWriteQueue` and `IndicationQueue`.
///
/// A request goes from `receive` through `process` to a `ValueCollection` or a `WriteSequence`. Where that needs a
/// characteristic value, the server returns `.read` or `.write` and continues in `respond`. After an indication times
/// out, or the link ends, the server is closed for good.
struct ATTServer: Sendable {
    /// The limits of a server.
    struct Limits: Hashable, Sendable {
        /// The longest PDU, in bytes: 23 to 65,535.
        var mtu: UInt16
        /// The total size of all Prepare Write requests in the queue, in bytes.
        var preparedBytes: Int
        /// The number of PDUs that wait for the owner's answer to an earlier one.
        var waitingPDUs: Int
        /// The number of indications that wait for the confirmation of an earlier one.
        var waitingIndications: Int

        /// Limits; the defaults are enough for any client that follows the protocol.
        init(
            mtu: UInt16 = 517, preparedBytes: Int = 4096, waitingPDUs: Int = 64, waitingIndications: Int = 64
        ) {
            self.mtu = mtu
            self.preparedBytes = preparedBytes
            self.waitingPDUs = waitingPDUs
            self.waitingIndications = waitingIndications
        }
    }

    /// The limits of this server.
    let limits: Limits
    /// The longest PDU that may be sent now, in bytes.
    private(set) var mtu = ATTBearer.minimumMTU
    private var access: AttributeAccess
    private var requests: RequestQueue
    private var prepared: PreparedWriteQueue
    private var indications: IndicationQueue
    private var isClosed = false

    /// The server of a new connection.
    init(database: AttributeDatabase, client: ATTClientState = ATTClientState(), limits: Limits = Limits()) {
        self.limits = limits
        access = AttributeAccess(database: database, client: client)
        requests = RequestQueue(capacity: limits.waitingPDUs)
        prepared = PreparedWriteQueue(capacity: limits.preparedBytes)
        indications = IndicationQueue(capacity: limits.waitingIndications)
    }

    /// The attribute table.
    var database: AttributeDatabase { access.database }
    /// The state of the client, to be saved with its bond.
    var client: ATTClientState { access.client }
    /// The characteristics that are broadcast, by their value handles.
    var broadcasts: Set<AttributeHandle> { access.broadcasts }
    /// The security of the link.
    var security: LinkSecurity {
        get { access.security }
        set { access.security = newValue }
    }
    /// Whether a request waits for the owner's answer.
    var isWaitingForOwner: Bool { requests.isSuspended }
    /// The number of PDUs that wait for that answer.
    var waitingPDUCount: Int { requests.waitingCount }

    /// The subscription to the characteristic with this value handle.
    func subscription(to handle: AttributeHandle) -> ClientCharacteristicConfiguration {
        access.subscription(to: handle)
    }

    /// The next time at which `advance(to:)` must be called.
    var nextDeadline: Duration? { isClosed ? nil : indications.deadline }

    /// Ends an indication that was not confirmed in time.
    mutating func advance(to now: Duration) -> [ATTServerOutput] {
        guard !isClosed, let deadline = indications.deadline, now >= deadline else { return [] }
        close()
        return indications.removeAll().map { .indicationEnded($0, isConfirmed: false) } + [.failed]
    }

    /// Closes the server: nothing can be sent any more.
    mutating func close() {
        isClosed = true
        _ = requests.removeAll()
    }

    /// Sets the MTU that the client on the same bearer has agreed on.
    mutating func setMTU(_ mtu: Int) { self.mtu = mtu }

    // MARK: - PDUs and answers

    /// Takes one PDU of the client.
    ///
    /// Requests that a client sends without waiting for responses are answered in order, within `Limits.waitingPDUs`;
    /// further ones are dropped.
    mutating func receive(_ pdu: [UInt8], at now: Duration) -> [ATTServerOutput] {
        guard !isClosed, let first = pdu.first else { return [] }
        if ATTOpcode(rawValue: first) == .handleValueConfirmation {
            // A confirmation answers an indication, so it waits for no request.
            return pdu.count == 1 ? confirmIndication(at: now) : []
        }
        guard !requests.isSuspended else {
            requests.enqueue(pdu)
            return []
        }
        return process(pdu)
    }

    /// Takes the owner's answer to `.read` or `.write`: the value from the offset on, or nothing for a write.
    ///
    /// An answer is ignored unless it has the token of the last question.
    mutating func respond(
        _ token: ATTToken, _ result: Result<[UInt8], ATTError>, at now: Duration
    ) -> [ATTServerOutput] {
        guard let request = requests.resume(token) else { return [] }
        var outputs: [ATTServerOutput]
        switch request {
        case .reading(let collection): outputs = resume(collection, with: result)
        case .writing(let sequence): outputs = resume(sequence, with: result.map { _ in })
        }
        while let pdu = requests.dequeue() { outputs += process(pdu) }
        return outputs
    }

    private mutating func process(_ bytes: [UInt8]) -> [ATTServerOutput] {
        let opcode = ATTOpcode(rawValue: bytes[0])
        guard !opcode.isFromServer else { return [] }
        guard bytes.count <= mtu, let pdu = try? ATTPDU(parsing: bytes) else {
            return opcode.isCommand ? [] : refuse(opcode, .none, .invalidPDU)
        }
        return opcode.isCommand ? processCommand(pdu) : processRequest(pdu)
    }

    private mutating func processCommand(_ command: ATTPDU) -> [ATTServerOutput] {
        // Signed writes are ignored because signatures cannot be checked, and so are unknown commands.
        guard !access.isOutOfSync, case .writeCommand(let command) = command else { return [] }
        return write(command.value, to: command.handle, origin: .command)
    }

    private mutating func processRequest(_ request: ATTPDU) -> [ATTServerOutput] {
        access.receiveRequest()
        if access.isOutOfSync, request.namesHandles {
            access.reportOutOfSync()
            return refuse(request.opcode, .none, .databaseOutOfSync)
        }
        switch request {
        case .exchangeMTURequest(let request): return exchangeMTU(request)
        case .findInformationRequest(let request): return findInformation(request)
        case .findByTypeValueRequest(let request):
            return collect(
                .byValue(request.value), .findByTypeValueRequest, from: request.startingHandle,
                to: request.endingHandle, type: .bit16(request.type))
        case .readByTypeRequest(let request):
            return collect(
                .byType, .readByTypeRequest, from: request.startingHandle, to: request.endingHandle, type: request.type)
        case .readByGroupTypeRequest(let request): return read(request)
        case .readRequest(let request): return read([request.handle], .whole, opcode: .readRequest)
        case .readBlobRequest(let request):
            return read([request.handle], .part(offset: Int(request.offset)), opcode: .readBlobRequest)
        case .readMultipleRequest(let request):
            return read(request.handles, .several, opcode: .readMultipleRequest)
        case .readMultipleVariableRequest(let request):
            return read(request.handles, .severalWithLengths, opcode: .readMultipleVariableRequest)
        case .writeRequest(let request): return write(request.value, to: request.handle, origin: .request)
        case .prepareWriteRequest(let request): return prepare(request)
        case .executeWriteRequest(let request): return execute(request)
        default: return refuse(request.opcode, .none, .requestNotSupported)
        }
    }

    private mutating func exchangeMTU(_ request: ATTExchangeMTURequest) -> [ATTServerOutput] {
        let own = max(Int(limits.mtu), ATTBearer.minimumMTU)
        let response = ATTExchangeMTUResponse(serverMTU: UInt16(truncatingIfNeeded: own))
        mtu = max(min(Int(request.clientMTU), own), ATTBearer.minimumMTU)
        return [.send(response.pduBytes), .mtuChanged(mtu)]
    }

    private func refuse(_ request: ATTOpcode, _ handle: AttributeHandle, _ error: ATTError) -> [ATTServerOutput] {
        [.send(ATTErrorResponse(request: request, handle: handle, error: error).pduBytes)]
    }

    /// The error response to a request with an invalid range of handles; `nil` for a valid range.
    private func refusal(
        of request: ATTOpcode, from start: AttributeHandle, to end: AttributeHandle
    ) -> [ATTServerOutput]? {
        start == .none || start > end ? refuse(request, start, .invalidHandle) : nil
    }

    // MARK: - Reading

    private func findInformation(_ request: ATTFindInformationRequest) -> [ATTServerOutput] {
        let opcode = ATTOpcode.findInformationRequest
        if let refusal = refusal(of: opcode, from: request.startingHandle, to: request.endingHandle) { return refusal }
        let attributes = access.database[request.startingHandle...request.endingHandle]
        guard let first = attributes.first else { return refuse(opcode, request.startingHandle, .attributeNotFound) }
        let entryLength = 2 + first.type.attributeTypeBytes.count
        let entries = attributes.prefix((mtu - 2) / entryLength).prefix { $0.type.isShort == first.type.isShort }
        return [
            .send(ATTFindInformationResponse(entries.map { .init(handle: $0.handle, type: $0.type) }).pduBytes)
        ]
    }

    private mutating func read(_ request: ATTReadByGroupTypeRequest) -> [ATTServerOutput] {
        let opcode = ATTOpcode.readByGroupTypeRequest
        if let refusal = refusal(of: opcode, from: request.startingHandle, to: request.endingHandle) { return refusal }
        let type = request.type.shortest
        guard type.isSame(as: .primaryService) || type.isSame(as: .secondaryService) else {
            return refuse(opcode, request.startingHandle, .unsupportedGroupType)
        }
        return collect(.byGroupType, opcode, from: request.startingHandle, to: request.endingHandle, type: type)
    }

    /// Reads attributes by their handles.
    private mutating func read(
        _ handles: [AttributeHandle], _ form: ValueCollection.Form, opcode: ATTOpcode
    ) -> [ATTServerOutput] {
        if form == .several || form == .severalWithLengths, handles.count < 2 {
            return refuse(opcode, .none, .invalidPDU)
        }
        var attributes: [Attribute] = []
        for handle in handles {
            guard let attribute = access.database[handle] else { return refuse(opcode, handle, .invalidHandle) }
            if let error = access.security.refusalToRead(attribute) {
                return refuse(opcode, handle, error) + [.refused(handle, write: nil, error)]
            }
            attributes.append(attribute)
        }
        return run(ValueCollection(attributes, form, request: opcode, startingHandle: handles[0]))
    }

    /// Reads the attributes of one type in a range.
    private mutating func collect(
        _ form: ValueCollection.Form, _ opcode: ATTOpcode, from start: AttributeHandle, to end: AttributeHandle,
        type: BluetoothUUID
    ) -> [ATTServerOutput] {
        if let refusal = refusal(of: opcode, from: start, to: end) { return refusal }
        let type = type.shortest
        let attributes = access.database[start...end].filter { $0.type.isSame(as: type) }
        return run(ValueCollection(attributes, form, request: opcode, startingHandle: start))
    }

    private mutating func resume(
        _ collection: consuming ValueCollection, with result: Result<[UInt8], ATTError>
    ) -> [ATTServerOutput] {
        if let outputs = collection.resume(with: result, mtu: mtu) { return outputs }
        return run(collection)
    }

    /// Collects values until the request is answered, or the owner must be asked.
    private mutating func run(_ collection: consuming ValueCollection) -> [ATTServerOutput] {
        if let outputs = collection.run(on: &access, mtu: mtu) { return outputs }
        let token = requests.makeToken()
        let question = collection.question(token)
        requests.suspend(.reading(collection), token)
        return question
    }

    // MARK: - Writing

    private mutating func write(
        _ value: [UInt8], to handle: AttributeHandle, origin: WriteSequence.Origin
    ) -> [ATTServerOutput] {
        run(WriteSequence(origin: origin, writes: [PreparedWrite(handle: handle, offset: 0, value: value)]))
    }

    private mutating func prepare(_ request: ATTPrepareWriteRequest) -> [ATTServerOutput] {
        let opcode = ATTOpcode.prepareWriteRequest
        guard let attribute = access.database[request.handle] else {
            return refuse(opcode, request.handle, .invalidHandle)
        }
        if let error = access.security.refusalToWrite(attribute) {
            return refuse(opcode, request.handle, error) + [.refused(request.handle, write: request.value, error)]
        }
        guard prepared.append(request.value, to: request.handle, offset: Int(request.offset)) else {
            return refuse(opcode, request.handle, .prepareQueueFull)
        }
        let response = ATTPrepareWriteResponse(handle: request.handle, offset: request.offset, value: request.value)
        return [.send(response.pduBytes)]
    }

    private mutating func execute(_ request: ATTExecuteWriteRequest) -> [ATTServerOutput] {
        guard request == .write || request == .cancel else {
            return refuse(.executeWriteRequest, .none, .invalidPDU)
        }
        let writes = prepared.removeAll()
        return run(WriteSequence(origin: .execution, writes: request == .write ? writes[...] : []))
    }

    private mutating func resume(
        _ sequence: consuming WriteSequence, with result: Result<Void, ATTError>
    ) -> [ATTServerOutput] {
        if let outputs = sequence.resume(with: result) { return outputs }
        return run(sequence)
    }

    /// Performs writes until the request is answered, or the owner must be asked.
    private mutating func run(_ sequence: consuming WriteSequence) -> [ATTServerOutput] {
        if let outputs = sequence.run(on: &access) { return outputs }
        let token = requests.makeToken()
        let question = sequence.question(token)
        requests.suspend(.writing(sequence), token)
        return question
    }

    // MARK: - Notifications and indications

    /// Sends a value to a subscribed client: by notification if it subscribed to notifications, else by indication.
    mutating func notify(
        _ value: [UInt8], of handle: AttributeHandle, at now: Duration
    ) -> [ATTServerOutput] {
        subscription(to: handle).contains(.notification)
            ? notify(value, of: handle) : indicate(value, of: handle, at: now)
    }

    /// Notifies a value if the client subscribed to notifications; the value is cut to one PDU.
    mutating func notify(_ value: [UInt8], of handle: AttributeHandle) -> [ATTServerOutput] {
        guard !isClosed, !access.isOutOfSync, subscription(to: handle).contains(.notification) else { return [] }
        return [.send(ATTHandleValueNotification(handle: handle, value: Array(value.prefix(mtu - 3))).pduBytes)]
    }

    /// Indicates a value if the client subscribed to indications, after the confirmation of earlier ones; the value is
    /// cut to one PDU. To a subscribed client, `.indicationEnded` follows in every case.
    mutating func indicate(
        _ value: [UInt8], of handle: AttributeHandle, at now: Duration
    ) -> [ATTServerOutput] {
        guard !isClosed, subscription(to: handle).contains(.indication) else { return [] }
        guard indications.append(value, of: handle) else { return [.indicationEnded(handle, isConfirmed: false)] }
        return sendNextIndication(at: now)
    }

    /// Takes a confirmation; one without an indication is ignored.
    private mutating func confirmIndication(at now: Duration) -> [ATTServerOutput] {
        guard let handle = indications.confirm() else { return [] }
        // After several changes, the client must confirm the last one.
        if isServiceChanged(handle), !indications.isWaiting(for: handle) { access.confirmServiceChanged() }
        return [.indicationEnded(handle, isConfirmed: true)] + sendNextIndication(at: now)
    }

    private mutating func sendNextIndication(at now: Duration) -> [ATTServerOutput] {
        var outputs: [ATTServerOutput] = []
        while indications.isIdle, let (handle, value) = indications.removeFirst() {
            // The client may have unsubscribed meanwhile, and one that is out of sync receives only Service Changed.
            guard subscription(to: handle).contains(.indication), !access.isOutOfSync || isServiceChanged(handle) else {
                outputs.append(.indicationEnded(handle, isConfirmed: false))
                continue
            }
            indications.begin(handle, deadline: now + ATTClient.transactionTimeout)
            let indication = ATTHandleValueIndication(handle: handle, value: Array(value.prefix(mtu - 3)))
            outputs.append(.send(indication.pduBytes))
        }
        return outputs
    }

    private func isServiceChanged(_ handle: AttributeHandle) -> Bool {
        access.database[handle].map { $0.type.isSame(as: .serviceChanged) } ?? false
    }

    // MARK: - Changes of the table, and bonded clients

    /// Replaces the attribute table; the client gets a Service Changed indication of `range`, if it subscribed.
    ///
    /// Subscriptions in that range end, except to Service Changed, and so do those whose new permissions this link does
    /// not satisfy. Prepared writes are dropped. A request that waits for the owner is refused, with those that wait for
    /// their turn, if an attribute that it names has changed: it is never checked against one attribute and answered from
    /// another. Changes of other attributes do not matter, wherever they are in the table.
    /// - Parameter range: the handles of the services that changed; `nil` if none did.
    mutating func replaceDatabase(
        _ database: AttributeDatabase, changed range: ClosedRange<AttributeHandle>?, at now: Duration
    ) -> [ATTServerOutput] {
        _ = prepared.removeAll()
        guard database != access.database else { return [] }
        let former = access.database
        access.replaceDatabase(database, changed: range)
        var outputs = refusePending(of: former)
        guard let range, let serviceChanged = database.valueHandle(of: .serviceChanged) else { return outputs }
        var value = ByteWriter()
        range.lowerBound.serialize(into: &value)
        range.upperBound.serialize(into: &value)
        outputs += indicate(value.bytes, of: serviceChanged, at: now)
        return outputs
    }

    /// Refuses the requests that were received with a former table, unless the attributes that are named are the same in
    /// both.
    private mutating func refusePending(of former: AttributeDatabase) -> [ATTServerOutput] {
        guard let handles = requests.suspendedHandles,
            handles.contains(where: { access.database[$0] != former[$0] })
        else { return [] }
        let error = access.isOutOfSync ? ATTError.databaseOutOfSync : .unlikely
        if access.isOutOfSync { access.reportOutOfSync() }
        let (request, waiting) = requests.removeAll()
        var outputs: [ATTServerOutput] = []
        if let request, !request.isCommand { outputs = refuse(request, handles.first ?? .none, error) }
        for opcode in waiting where !opcode.isCommand && !opcode.isFromServer {
            outputs += refuse(opcode, .none, error)
        }
        return outputs
    }

    /// Restores the saved state of a bonded client that has been recognized. Subscriptions that it made on this
    /// connection take precedence.
    ///
    /// If the table has changed since, only a subscription to Service Changed is restored, and indicated.
    mutating func restore(_ saved: ATTClientState, at now: Duration) -> [ATTServerOutput] {
        let (subscriptions, isSameTable) = access.restore(saved)
        var outputs: [ATTServerOutput] = subscriptions.compactMap { entry in
            access.database[entry.handle].map {
                .subscriptionChanged(entry.handle, uuid: $0.type, entry.configuration)
            }
        }
        guard !isSameTable, let serviceChanged = access.database.valueHandle(of: .serviceChanged) else {
            return outputs
        }
        let whole = AttributeHandle.first.serialized() + AttributeHandle.last.serialized()
        outputs += indicate(whole, of: serviceChanged, at: now)
        return outputs
    }
}

extension ATTPDU {
    /// Whether the request depends on handles that the client knows from a table, which may be out of date
    /// (Core 5.4, Vol 3, Part G, 2.5.2.1). A request by type depends on them unless it discovers attributes or searches
    /// the whole table.
    fileprivate var namesHandles: Bool {
        switch self {
        case .readRequest, .readBlobRequest, .readMultipleRequest, .readMultipleVariableRequest, .writeRequest,
            .prepareWriteRequest:
            true
        case .readByTypeRequest(let request):
            !(request.startingHandle == .first && request.endingHandle == .last)
                && !request.type.shortest.isSame(as: .include) && !request.type.shortest.isSame(as: .characteristic)
        default: false
        }
    }
}

extension BluetoothUUID {
    fileprivate var isShort: Bool { if case .bit16 = self { true } else { false } }
}
