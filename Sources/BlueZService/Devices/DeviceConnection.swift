// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Radio

/// The connection of a device: from `Connect` to the end of the link, with the services that are found over it.
///
///     idle --(connect)--> connecting --(link)--> connected, browsing --(services)--> connected, resolved
///     connecting --(failure, or disconnect)--> idle      connected --(end of the link, or disconnect)--> idle
///
/// Signals and replies leave in the order of bluetoothd: `Connected`, the reply, the objects of the services, and
/// `ServicesResolved` with `UUIDs`; at the end `ServicesResolved`, `Disconnected`, the reply, `Connected` (bluez 5.66
/// src/device.c, `device_remove_connection`). Programs such as bleak close the bus with `Connected`, so a later reply would
/// not be received.
@ServiceActor
final class DeviceConnection {
    private enum State {
        /// Without a connection. An attempt that was cancelled may not have ended in the radio: the next one waits for it.
        case idle(ending: Task<Void, Never>?)
        case connecting(Attempt)
        case connected(Session)
    }

    /// An attempt to connect.
    private final class Attempt {
        /// Cancelled with the attempt.
        var task: Task<Void, Never>?
        /// What waits for its end: the reply to `Connect`, or a pairing.
        var waiters: [@ServiceActor (BlueZError.ConnectionFailure?) -> Void]

        init(_ waiter: @escaping @ServiceActor (BlueZError.ConnectionFailure?) -> Void) { waiters = [waiter] }
    }

    /// A link, and what lasts as long as it does.
    @ServiceActor
    private final class Session {
        let link: any RemoteLink
        let values = ReceivedValues()
        var battery: BatteryObject?
        var isBrowsed = false
        /// How the link is encrypted; `nil` if it is not.
        var protection: LinkProtection?
        /// Waits for the end of the link.
        var watch: Task<Void, Never>?
        /// What replies to `Disconnect` when the link has ended.
        var disconnectionWaiters: [@ServiceActor () -> Void] = []

        init(_ link: any RemoteLink) { self.link = link }

        func end() {
            watch?.cancel()
            values.end()
            battery?.remove()
        }

        func replyToDisconnections() {
            let waiters = disconnectionWaiters
            disconnectionWaiters = []
            for waiter in waiters { waiter() }
        }
    }

    private let address: RemoteAddress
    private let path: ObjectPath
    private let context: AdapterContext
    /// `nil` after the device was removed, while a task of this connection has not ended.
    private weak var device: RemoteDevice?
    private(set) lazy var attributes = AttributeObjects(over: self, below: path, context)
    /// The requests to the device.
    let requests = RequestOrder()
    private var state = State.idle(ending: nil)
    private var pairing: Pairing?
    /// The agent of the pairing that the device requested last.
    private var requestAgent: Agent?

    /// A pairing, or the encryption of a link with the keys of a former one.
    private final class Pairing {
        /// The program that requested it; `nil` for the service itself.
        let caller: String?
        /// The pairing over the link, with its error; `nil` until there is a link.
        var task: Task<PairingError?, Never>?
        /// Whether `CancelPairing`, or the end of the caller, ended it.
        var isCancelled = false

        init(_ caller: String?) { self.caller = caller }
    }

    init(of device: RemoteDevice, _ context: AdapterContext) {
        address = device.address
        path = device.path
        self.context = context
        self.device = device
    }

    private var session: Session? {
        if case .connected(let session) = state { session } else { nil }
    }
    /// The session of a link, while it is the current one.
    private func session(over link: any RemoteLink) -> Session? {
        session.flatMap { $0.link as AnyObject === link as AnyObject ? $0 : nil }
    }

    /// The link; `nil` without a connection.
    var link: (any RemoteLink)? { session?.link }

    /// Whether there is a link.
    var isConnected: Bool { link != nil }
    /// Whether there is a link, or an attempt to make one.
    var isActive: Bool {
        if case .idle(let ending) = state { ending != nil } else { true }
    }
    /// Whether the services are known.
    var isResolved: Bool { session?.isBrowsed ?? false }
    /// The services of the device, if they are known.
    var services: [BluetoothUUID]? { isResolved ? attributes.services : nil }

    // MARK: - Connecting

    /// Connects for a program, if there is a reply to send.
    func connect(_ reply: PendingReply?) {
        switch state {
        case .connected: reply?.succeed()
        case .connecting: reply?.fail(BlueZError.inProgress())
        case .idle:
            connect { failure in
                if let failure { reply?.fail(BlueZError.connection(failure)) } else { reply?.succeed() }
            }
        }
    }

    /// Takes a link that the device made, as a central. Without effect beside another one.
    func accept(_ link: any RemoteLink) {
        guard case .idle = state else { return }
        connected(over: link)
    }

    private func connect(then waiter: @escaping @ServiceActor (BlueZError.ConnectionFailure?) -> Void) {
        guard case .idle(let former) = state else { return }
        let attempt = Attempt(waiter)
        state = .connecting(attempt)
        device?.noteSeen()
        attempt.task = Task {
            await former?.value
            await self.run(attempt)
        }
    }

    private func run(_ attempt: Attempt) async {
        let begin = ContinuousClock.now
        let timeout = context.options.connectionTimeout
        do throws(RadioError) {
            guard !Task.isCancelled else { return }
            let link = try await context.radio.central.connect(to: address, timeout: timeout)
            guard !Task.isCancelled else { return await link.disconnect() }
            connected(over: link)
            for waiter in attempt.waiters { waiter(nil) }
        } catch {
            guard !Task.isCancelled else { return }
            // bleak waits for Connected to become false after "abort-by-local", so it is for time-outs only.
            let isTimeout = ContinuousClock.now - begin >= timeout - .seconds(1)
            fail(attempt, isTimeout ? .abortedLocally : .refused)
        }
    }

    private func fail(_ attempt: Attempt, _ failure: BlueZError.ConnectionFailure, ending: Task<Void, Never>? = nil) {
        state = .idle(ending: ending)
        device?.noteSeen()
        for waiter in attempt.waiters { waiter(failure) }
    }

    /// The waiters of an attempt are called after this, since its reply follows the signal.
    private func connected(over link: any RemoteLink) {
        let session = Session(link)
        state = .connected(session)
        device?.changed(["Connected"])
        session.watch = Task { [weak self] in
            // The values end with the link.
            await self?.follow(session)
            _ = await link.waitForEnd()
            self?.ended(link)
        }
        if let link = link as? any EncryptedLink {
            Task { [weak self] in
                for await result in link.encryption { self?.take(result, of: link) }
            }
        }
        Task { [weak self] in await self?.browse(link) }
    }

    /// Passes values that the device sends to the objects, until the end of the link.
    private func follow(_ session: Session) async {
        for await notification in session.link.notifications {
            defer { session.values.take() }
            if attributes.isServiceChanged(notification.handle) {
                Task { [weak self] in await self?.browse(session.link) }
            } else {
                attributes.receive(notification)
            }
        }
    }

    // MARK: - Services

    /// Finds the services, and exports them.
    private func browse(_ link: any RemoteLink) async {
        do throws(RemoteError) {
            if device?.hasBond ?? false { await encrypt(link) }
            let mtu = try await link.maximumTransmissionUnit()
            let table = try await RemoteTable.discover(over: link)
            guard let session = session(over: link) else { return }
            attributes.update(table, mtu: mtu)
            // After Service Changed, they were resolved before.
            let names = session.isBrowsed ? ["UUIDs"] : ["ServicesResolved", "UUIDs"]
            session.isBrowsed = true
            device?.changed(names)
            await attributes.subscribe(over: link)
            await readDetails(table, over: link)
            await followBattery(table, over: link)
        } catch {
            guard session(over: link) != nil else { return }
            context.options.warn("the services of \(address) were not found: \(error)")
        }
    }

    /// Encrypts the link to a paired device.
    private func encrypt(_ link: any RemoteLink) async {
        guard pairing == nil, let session = session(over: link), session.protection == nil,
            let link = link as? any PairingLink
        else { return }
        let pairing = Pairing(nil)
        self.pairing = pairing
        guard let failure = await start(pairing, over: link).value else { return }
        context.options.warn("the connection to \(address) was not encrypted: \(failure)")
    }

    /// Reads what Generic Access and Device Information have of the device (bluez 5.82 profiles/gap/gas.c,
    /// profiles/deviceinfo/deviceinfo.c).
    private func readDetails(_ table: RemoteTable, over link: any RemoteLink) async {
        if let value = await value(of: 0x2A00, in: 0x1800, table, over: link) {
            device?.setName(String(decoding: value.prefix { $0 != 0 }, as: UTF8.self))
        }
        if let value = await value(of: 0x2A01, in: 0x1800, table, over: link), value.count == 2 {
            device?.setAppearance(UInt16(value[0]) | UInt16(value[1]) << 8)
        }
        if let value = await value(of: 0x2A50, in: 0x180A, table, over: link), let product = ProductIdentifier(value) {
            device?.setModalias(product.modalias)
        }
    }

    /// The value of a characteristic, if the device has it and the link has not ended.
    private func value(
        of characteristic: UInt16, in service: UInt16, _ table: RemoteTable, over link: any RemoteLink
    ) async -> [UInt8]? {
        guard let handle = table.value(of: .bit16(characteristic), in: .bit16(service)),
            let value = try? await link.read(handle), session(over: link) != nil
        else { return nil }
        return value
    }

    private func followBattery(_ table: RemoteTable, over link: any RemoteLink) async {
        guard let characteristic = table.characteristic(of: .bit16(0x2A19), in: .bit16(0x180F)),
            let value = try? await link.read(characteristic.value), let level = value.first,
            let session = session(over: link), session.battery == nil
        else { return }
        let battery = BatteryObject(at: path, level: level, bus: context.bus)
        session.battery = battery
        await attributes.observe(characteristic.value) { battery.update($0) }
    }

    // MARK: - The end

    /// Ends the link, or the attempt to make one, and replies.
    func disconnect(_ reply: PendingReply) async {
        if let session {
            session.disconnectionWaiters.append { reply.succeed() }
            await disconnect()
        } else {
            await disconnect()
            reply.succeed()
        }
    }

    /// Ends the link, or the attempt to make one; returns when the end was signalled.
    func disconnect() async {
        cancelPairing(nil)
        switch state {
        case .idle: break
        case .connecting(let attempt):
            let task = attempt.task
            task?.cancel()
            fail(attempt, .cancelled, ending: task)
            Task { [weak self] in
                await task?.value
                self?.attemptEnded(task)
            }
        case .connected(let session):
            await session.link.disconnect()
            ended(session.link)
        }
    }

    private func attemptEnded(_ task: Task<Void, Never>?) {
        if case .idle(let ending) = state, ending == task { state = .idle(ending: nil) }
    }

    private func ended(_ link: any RemoteLink) {
        guard let session = session(over: link) else { return }
        state = .idle(ending: nil)
        device?.noteSeen()
        if session.isBrowsed { device?.changed(["ServicesResolved"]) }
        session.end()
        attributes.disconnected()
        let reason = DisconnectionReport((link as? any ReasonedLink)?.endCode)
        context.bus.emit(
            path, DeviceDeclaration.name, "Disconnected", [.string(reason.name), .string(reason.message)])
        session.replyToDisconnections()
        device?.changed(["Connected"])
        device?.disconnected()
    }

    /// Ends everything without signals, because the device is removed.
    func close() {
        pairing?.task?.cancel()
        let last = state
        state = .idle(ending: nil)
        switch last {
        case .idle: break
        case .connecting(let attempt):
            attempt.task?.cancel()
            for waiter in attempt.waiters { waiter(.cancelled) }
        case .connected(let session):
            session.end()
            Task { await session.link.disconnect() }
            session.replyToDisconnections()
        }
        attributes.close()
    }

    /// Forgets a caller that has left the bus: its notifications and its pairing end, the link stays.
    func ownerVanished(_ name: String) {
        attributes.ownerVanished(name)
        if pairing?.caller == name { cancelPairing(nil) }
    }

    // MARK: - Pairing

    /// Whether a program pairs.
    var isPairing: Bool { pairing?.caller != nil }

    /// Pairs for a program, with the questions to its agent; connects if necessary.
    func pair(for caller: String, _ reply: PendingReply) {
        guard pairing == nil else { return reply.fail(BlueZError.inProgress()) }
        let pairing = Pairing(caller)
        self.pairing = pairing
        switch state {
        case .connected(let session): begin(pairing, over: session.link, reply)
        case .connecting(let attempt): attempt.waiters.append { self.continuePairing(pairing, $0, reply) }
        case .idle: connect { self.continuePairing(pairing, $0, reply) }
        }
    }

    private func continuePairing(
        _ pairing: Pairing, _ failure: BlueZError.ConnectionFailure?, _ reply: PendingReply
    ) {
        guard failure == nil, let link, !pairing.isCancelled else {
            self.pairing = nil
            return reply.fail(pairing.isCancelled ? BlueZError.pairing(.cancelled) : BlueZError.notReached)
        }
        begin(pairing, over: link, reply)
    }

    private func begin(_ pairing: Pairing, over link: any RemoteLink, _ reply: PendingReply) {
        guard let link = link as? any PairingLink else {
            self.pairing = nil
            return reply.fail(BlueZError.notSupported)
        }
        let task = start(pairing, over: link)
        Task {
            if let failure = await task.value {
                reply.fail(BlueZError.pairing(failure.code))
            } else {
                reply.succeed()
            }
        }
    }

    /// Starts a pairing over the link; its value is the error. The agent of the caller answers the questions, or the default
    /// agent; without any, the pairing "just works".
    private func start(
        _ pairing: Pairing, over link: any PairingLink, requiresAuthentication: Bool = false
    ) -> Task<PairingError?, Never> {
        let agent = pairing.caller.flatMap { context.agents.agent(for: $0) }
        let settings = PairingSettings(
            inputOutput: agent?.capability ?? .none, requiresAuthentication: requiresAuthentication)
        let task = Task { await pair(pairing, over: link, settings, agent) }
        pairing.task = task
        return task
    }

    private func pair(
        _ pairing: Pairing, over link: any PairingLink, _ settings: PairingSettings, _ agent: Agent?
    ) async -> PairingError? {
        let path = path
        var failure: PairingError?
        var isBonded = true
        do throws(PairingError) {
            let protection = try await link.pair(settings) { await agent?.answer($0, for: path) ?? .cancel }
            session(over: link)?.protection = protection
            isBonded = protection.isBonded ?? true
        } catch {
            // Only `CancelPairing` cancels; the refusal of an agent is a failure (bluez 5.82 src/device.c, `passkey_cb`).
            let isRefused = error.code == .cancelled && !pairing.isCancelled
            failure = pairing.isCancelled ? PairingError(.cancelled) : isRefused ? PairingError(.unspecified) : error
        }
        if self.pairing === pairing { self.pairing = nil }
        guard let device else { return failure ?? PairingError(.cancelled) }
        if failure == nil { device.setPaired(isBonded: isBonded) } else { agent?.cancel() }
        return failure
    }

    /// How to pair with the device, which requests it: the agent of the program that pairs answers, or the default agent;
    /// without any, the pairing "just works" (Linux net/bluetooth/smp.c, `smp_cmd_security_req`).
    func answerSecurityRequest() -> PairingSettings {
        requestAgent = pairing?.caller.flatMap { context.agents.agent(for: $0) } ?? context.agents.defaultAgent
        return PairingSettings(inputOutput: requestAgent?.capability ?? .none)
    }

    /// Answers a question of the pairing that the device requested.
    func answer(_ question: PairingQuestion) async -> PairingAnswer {
        await requestAgent?.answer(question, for: path) ?? .cancel
    }

    /// Takes how the link is encrypted now, whichever side requested it.
    private func take(_ result: Result<LinkProtection, PairingError>, of link: any EncryptedLink) {
        switch result {
        case .success(let protection):
            guard let session = session(over: link) else { return }
            session.protection = protection
            device?.makePermanent()
            device?.setPaired(isBonded: protection.isBonded ?? true)
        case .failure: requestAgent?.cancel()
        }
        requestAgent = nil
    }

    /// Performs an operation of a program on an attribute. If the device refuses it because the link lacks security, pairs,
    /// and repeats the operation once (bluez 5.82 src/shared/att.c, `change_security`).
    /// - Parameter caller: the program, whose agent answers the questions.
    func perform<Value: Sendable>(
        for caller: String, over link: any RemoteLink, _ operation: () async -> Result<Value, RemoteError>
    ) async -> Result<Value, RemoteError> {
        var result = await operation()
        if case .failure(.refused(let code)) = result, await raiseSecurity(of: link, after: code, for: caller) {
            result = await operation()
        }
        if let link = link as? any CountingLink, let session = session(over: link) {
            await session.values.wait(for: link.notificationCount)
        }
        return result
    }

    /// Raises the security of the link by one level, if that can help against an error.
    /// - Returns: whether it was raised; `false` also after a pairing that failed.
    private func raiseSecurity(of link: any RemoteLink, after code: ATTError, for caller: String) async -> Bool {
        guard code == .insufficientEncryption || code == .insufficientAuthentication,
            let protection = session(over: link).map(\.protection), let link = link as? any PairingLink
        else { return false }
        // Several operations may wait for the same pairing.
        if let task = pairing?.task { return await task.value == nil }
        guard pairing == nil, protection == nil || code == .insufficientAuthentication,
            protection?.isAuthenticated != true
        else { return false }
        let pairing = Pairing(caller)
        self.pairing = pairing
        return await start(pairing, over: link, requiresAuthentication: protection != nil).value == nil
    }

    /// Cancels the pairing.
    /// - Parameter reply: the reply to `CancelPairing`.
    func cancelPairing(_ reply: PendingReply?) {
        guard let pairing, pairing.caller != nil else {
            reply?.fail(BlueZError.doesNotExist)
            return
        }
        pairing.isCancelled = true
        pairing.task?.cancel()
        reply?.succeed()
    }
}

/// The values of the signal `Disconnected` (bluez 5.84 src/device.c).
struct DisconnectionReport: Hashable {
    let name: String
    let message: String

    /// - Parameter code: the HCI status of the end; `nil` if it is not known.
    init(_ code: UInt8?) {
        let (reason, message) =
            switch code {
            case 0x08: ("Timeout", "Connection timeout")
            case 0x16: ("Local", "Connection terminated by local host")
            case 0x13, 0x14, 0x15: ("Remote", "Connection terminated by remote user")
            case 0x05, 0x06: ("Authentication", "Connection terminated due to an authentication failure")
            default: ("Unknown", "Unspecified")
            }
        name = "org.bluez.Reason.\(reason)"
        self.message = message
    }
}
