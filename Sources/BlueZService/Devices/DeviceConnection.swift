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
        /// Whether a pairing requested it, after which the services are found.
        let isForPairing: Bool
        /// What waits for its end: the reply to `Connect`, or a pairing.
        var waiters: [@ServiceActor (BlueZError.ConnectionFailure?) -> Void]

        init(isForPairing: Bool, _ waiter: @escaping @ServiceActor (BlueZError.ConnectionFailure?) -> Void) {
            self.isForPairing = isForPairing
            waiters = [waiter]
        }
    }

    /// A link, and what lasts as long as it does.
    @ServiceActor
    private final class Session {
        let link: any RemoteLink
        let order: ArrivalOrder
        var battery: BatteryObject?
        /// Whether the services are being found, or known.
        var isUsed = false
        var isBrowsed = false
        /// Whether the device is the central.
        let isAccepted: Bool
        /// Whether this side ends it because the device has lost its key.
        var isRejected = false
        /// How the link is encrypted; `nil` if it is not.
        var protection: LinkProtection?
        /// Waits for the end of the link.
        var watch: Task<Void, Never>?
        /// What replies to `Disconnect` when the link has ended.
        var disconnectionWaiters: [@ServiceActor () -> Void] = []
        /// What waits until the services are known, or cannot be found; `nil` after that.
        private var browsingWaiters: [CheckedContinuation<Void, Never>]? = []

        init(_ link: any RemoteLink, isAccepted: Bool) {
            self.link = link
            self.isAccepted = isAccepted
            order = ArrivalOrder(of: link)
        }

        func end() {
            watch?.cancel()
            order.end()
            battery?.remove()
            finishBrowsing()
        }

        /// Waits until the services are known, or cannot be found.
        func waitForServices() async {
            guard browsingWaiters != nil else { return }
            await withCheckedContinuation { browsingWaiters?.append($0) }
        }

        func finishBrowsing() {
            for waiter in browsingWaiters.take() ?? [] { waiter.resume() }
        }

        func replyToDisconnections() {
            let waiters = disconnectionWaiters
            disconnectionWaiters = []
            for waiter in waiters { waiter() }
        }
    }

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
    /// The services of the device, if they are known, from this connection or a former one.
    var services: [BluetoothUUID]? { attributes.services.isEmpty ? nil : attributes.services }

    // MARK: - Connecting

    /// Connects for a program, if there is a reply to send.
    func connect(_ reply: PendingReply?) {
        switch state {
        case .connected(let session):
            use(session)
            reply?.succeed()
        case .connecting: reply?.fail(BlueZError.inProgress())
        case .idle:
            connect(isForPairing: false) { failure in
                if let failure { reply?.fail(BlueZError.connection(failure)) } else { reply?.succeed() }
            }
        }
    }

    /// Takes a link that the device made, as a central. Without effect beside another one.
    /// - Parameter isNew: whether the object of the device is not exported yet.
    func accept(_ link: any RemoteLink, isNew: Bool) {
        guard case .idle = state else { return }
        connected(over: link, isAccepted: true, isNew: isNew)
    }

    private func connect(
        isForPairing: Bool, then waiter: @escaping @ServiceActor (BlueZError.ConnectionFailure?) -> Void
    ) {
        guard case .idle(let former) = state else { return }
        let attempt = Attempt(isForPairing: isForPairing, waiter)
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
            guard !Task.isCancelled, let address = device?.address else { return }
            let link = try await context.radio.central.connect(to: address, timeout: timeout)
            guard !Task.isCancelled else { return await link.disconnect() }
            connected(over: link, isForPairing: attempt.isForPairing)
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
    private func connected(
        over link: any RemoteLink, isAccepted: Bool = false, isNew: Bool = false, isForPairing: Bool = false
    ) {
        let session = Session(link, isAccepted: isAccepted)
        state = .connected(session)
        if !isNew { device?.changed(["Connected"]) }
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
        if !isForPairing { use(session) }
    }

    /// Finds the services, unless that was done before.
    private func use(_ session: Session) {
        guard !session.isUsed else { return }
        session.isUsed = true
        Task { [weak self] in await self?.browse(session.link) }
    }

    /// Passes values that the device sends to the objects, until the end of the link.
    private func follow(_ session: Session) async {
        for await notification in session.link.notifications {
            await session.order.waitForTurnOfValue()
            defer { session.order.passedValue() }
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
            let former = device?.serviceTypes
            attributes.update(table, mtu: mtu)
            // After Service Changed, they were resolved before.
            let names =
                (session.isBrowsed ? [] : ["ServicesResolved"]) + (device?.serviceTypes == former ? [] : ["UUIDs"])
            session.isBrowsed = true
            device?.changed(names)
            session.finishBrowsing()
            await attributes.subscribe(over: link)
            await readDetails(table, over: link)
            await followBattery(table, over: link)
        } catch {
            guard let session = session(over: link) else { return }
            session.finishBrowsing()
            context.options.warn("the services of \(link.device) were not found: \(error)")
        }
    }

    /// Encrypts the link to a bonded device, or requests that of a device that is the central.
    private func encrypt(_ link: any RemoteLink) async {
        guard pairing == nil, let session = session(over: link), session.protection == nil else { return }
        guard !session.isAccepted else {
            Task { try? await (link as? any SecuringLink)?.secure() }
            return
        }
        guard let link = link as? any PairingLink else { return }
        let pairing = Pairing(nil)
        self.pairing = pairing
        guard let failure = await start(pairing, over: link).value else { return }
        context.options.warn("the connection to \(link.device) was not encrypted: \(failure)")
    }

    /// Reads what Generic Access and Device Information have of the device (bluez 5.82 profiles/gap/gas.c,
    /// profiles/deviceinfo/deviceinfo.c).
    private func readDetails(_ table: RemoteTable, over link: any RemoteLink) async {
        if let value = await value(of: 0x2A00, in: 0x1800, table, over: link) {
            device?.setName(String(decoding: value.prefix { $0 != 0 }, as: UTF8.self))
        }
        // An unknown appearance is none (bluez 5.82 src/device.c, `appearance_exists`).
        if let value = await value(of: 0x2A01, in: 0x1800, table, over: link), value.count == 2, value != [0, 0] {
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
        let reason = DisconnectionReport(
            session.isRejected ? DisconnectionReport.authenticationFailure : (link as? any ReasonedLink)?.endCode)
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
        case .idle: connect(isForPairing: true) { self.continuePairing(pairing, $0, reply) }
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
                // bluez 5.82 src/device.c, `device_bonding_complete`.
                if let session = session(over: link) {
                    use(session)
                    await session.waitForServices()
                }
                reply.succeed()
            }
        }
    }

    /// Starts a pairing over the link; its value is the error. The agent of the program that pairs answers the questions, else the
    /// default agent; without any, there is no input and output.
    private func start(
        _ pairing: Pairing, over link: any PairingLink, requiresAuthentication: Bool = false
    ) -> Task<PairingError?, Never> {
        let agent = pairing.caller.map { context.agents.agent(for: $0) } ?? context.agents.defaultAgent
        var settings = settings(of: agent)
        settings.requiresAuthentication = requiresAuthentication
        let task = Task { await pair(pairing, over: link, settings, agent) }
        pairing.task = task
        return task
    }

    private func pair(
        _ pairing: Pairing, over link: any PairingLink, _ settings: PairingSettings, _ agent: Agent?
    ) async -> PairingError? {
        var failure: PairingError?
        var isBonded = true
        do throws(PairingError) {
            let isRequested = pairing.caller != nil
            let protection = try await link.pair(settings) { [weak self] question in
                // A program that pairs has confirmed it; its agent is not asked (bluez 5.82 src/device.c,
                // `device_confirm_passkey`).
                if isRequested, question == .confirmation { return .comparison(agent != nil) }
                return await self?.answer(question, agent) ?? .cancel
            }
            session(over: link)?.protection = protection
            isBonded = protection.isBonded ?? true
        } catch {
            // Only `CancelPairing` cancels; the refusal of an agent is a failure (bluez 5.82 src/device.c, `passkey_cb`).
            let isRefused = error.code == .cancelled && !pairing.isCancelled
            failure = pairing.isCancelled ? PairingError(.cancelled) : isRefused ? PairingError(.unspecified) : error
            if error.code == .keyMissing { await endRejected(link) }
        }
        if self.pairing === pairing { self.pairing = nil }
        guard let device else { return failure ?? PairingError(.cancelled) }
        if failure == nil {
            device.setPaired(isBonded: isBonded, identity: (link as? any IdentifiedLink)?.identity)
        } else {
            agent?.cancel()
        }
        return failure
    }

    /// Ends a link whose device has lost the key of the bond (Linux net/bluetooth/hci_event.c, `hci_encrypt_change_evt`). The
    /// bond stays.
    private func endRejected(_ link: any RemoteLink) async {
        session(over: link)?.isRejected = true
        await (link as? any ReasonedLink)?.disconnect(code: DisconnectionReport.authenticationFailure)
    }

    /// How to pair with the input and output of an agent.
    private func settings(of agent: Agent?) -> PairingSettings {
        var settings = PairingSettings(
            inputOutput: agent?.capability ?? .none, isBonding: device?.makesBonds ?? false)
        settings.confirmsJustWorks = true
        return settings
    }

    /// The answer of an agent. Without one, a pairing is not confirmed, and neither is another one that just works with a paired
    /// device (`JustWorksRepairing` of bluetoothd's main.conf).
    private func answer(_ question: PairingQuestion, _ agent: Agent?) async -> PairingAnswer {
        guard question != .confirmation || device?.isPaired == false else { return .comparison(false) }
        return await agent?.answer(question, for: path) ?? (question == .confirmation ? .comparison(false) : .cancel)
    }

    /// How to pair with the device, which requests it: the agent of the program that pairs answers, or the default agent (Linux
    /// net/bluetooth/smp.c, `smp_cmd_security_req`).
    func answerSecurityRequest() -> PairingSettings {
        requestAgent = pairing?.caller.flatMap { context.agents.agent(for: $0) } ?? context.agents.defaultAgent
        return settings(of: requestAgent)
    }

    /// Answers a question of the pairing that the device requested.
    func answer(_ question: PairingQuestion) async -> PairingAnswer { await answer(question, requestAgent) }

    /// Takes how the link is encrypted now, whichever side requested it.
    private func take(_ result: Result<LinkProtection, PairingError>, of link: any EncryptedLink) {
        switch result {
        case .success(let protection):
            guard let session = session(over: link) else { return }
            session.protection = protection
            device?.makePermanent()
            device?.setPaired(
                isBonded: protection.isBonded ?? true, identity: (link as? any IdentifiedLink)?.identity)
        case .failure: requestAgent?.cancel()
        }
        requestAgent = nil
    }

    /// Performs an operation on an attribute, whose result is in order with the values that the device sends. If the device refuses it
    /// because the link lacks security, pairs, and repeats the operation once (bluez 5.82 src/shared/att.c, `change_security`). The
    /// default agent answers the questions.
    /// - Parameter pairs: whether it pairs.
    func perform<Value: Sendable>(
        over link: any RemoteLink, pairs: Bool = true, _ operation: () async -> Result<Value, RemoteError>
    ) async -> Result<Value, RemoteError> {
        guard let order = session(over: link)?.order else { return await operation() }
        let result = await order.perform(operation)
        guard pairs, case .failure(.refused(let code)) = result, await raiseSecurity(of: link, after: code) else {
            return result
        }
        return await order.perform(operation)
    }

    /// Raises the security of the link by one level, if that can help against an error.
    /// - Returns: whether it was raised; `false` also after a pairing that failed.
    private func raiseSecurity(of link: any RemoteLink, after code: ATTError) async -> Bool {
        guard code == .insufficientEncryption || code == .insufficientAuthentication,
            let protection = session(over: link).map(\.protection), let link = link as? any PairingLink
        else { return false }
        // Several operations may wait for the same pairing.
        if let task = pairing?.task { return await task.value == nil }
        guard pairing == nil, protection == nil || code == .insufficientAuthentication,
            protection?.isAuthenticated != true
        else { return false }
        let pairing = Pairing(nil)
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
    static let authenticationFailure: UInt8 = 0x05

    let name: String
    let message: String

    /// - Parameter code: the HCI status of the end; `nil` if it is not known.
    init(_ code: UInt8?) {
        let (reason, message) =
            switch code {
            case 0x08: ("Timeout", "Connection timeout")
            case 0x16: ("Local", "Connection terminated by local host")
            case 0x13, 0x14, 0x15: ("Remote", "Connection terminated by remote user")
            case Self.authenticationFailure, 0x06:
                ("Authentication", "Connection terminated due to an authentication failure")
            default: ("Unknown", "Unspecified")
            }
        name = "org.bluez.Reason.\(reason)"
        self.message = message
    }
}
