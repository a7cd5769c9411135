// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Dispatch
import Radio

/// Executes commands, one a line, in order; `cancel` cancels the current one.
///
/// `open`, `scan SECONDS [passive]`, `stop`, `connect ADDRESS public|random SECONDS`, `services [UUID]`, `read UUID`,
/// `write UUID HEX`, `command UUID HEX`, `read-descriptor UUID UUID`, `notify UUID`, `unnotify UUID`, `mtu`, `rssi`,
/// `pair IO [passkey=DIGITS] [mitm] [legacy] [required] [comparison=ANSWER]`, `forget ADDRESS public|random`,
/// `disconnect`, `close`; `reply accept|reject|cancel|DIGITS` answers a `question` line meanwhile. Each ends with an
/// `answer` or `failed` line; lines of states, notifications and the end of the connection come in between.
actor Session {
    struct Unknown: Error {}

    private let radio: HarnessRadio
    private var link: (any RemoteLink)?
    /// The unanswered questions of pairings.
    private var questions: [CheckedContinuation<PairingAnswer, Never>] = []
    private var found: [BluetoothUUID: RemoteCharacteristic] = [:]
    private var descriptors: [RemoteCharacteristic: [RemoteDescriptor]] = [:]

    init(_ radio: HarnessRadio) {
        self.radio = radio
    }

    /// Runs until the end of the input.
    func run() async {
        var current: Task<Void, Never>?
        for await line in Self.input() {
            let words = line.split(separator: " ").map(String.init)
            guard let command = words.first else { continue }
            if command == "cancel" {
                current?.cancel()
                continue
            }
            if command == "reply" {
                reply(words.dropFirst().first ?? "")
                continue
            }
            let previous = current
            current = Task {
                await previous?.value
                await self.perform(command, Array(words.dropFirst()))
            }
        }
        await current?.value
        await radio.close()
    }

    private static func input() -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        DispatchQueue(label: "input").async {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
        return stream
    }

    private func perform(_ command: String, _ arguments: [String]) async {
        let start = ContinuousClock.now
        var line: Line
        do {
            line = try await answer(command, arguments)
            line.command = command
        } catch {
            line = Line(command, error)
        }
        line.seconds = start.duration(to: .now) / .seconds(1)
        line.print()
    }

    private func answer(_ command: String, _ words: [String]) async throws -> Line {
        switch (command, words.count) {
        case ("open", _): return try await open()
        case ("scan", 1...): return try await scan(seconds: words[0], isActive: !words.contains("passive"))
        case ("stop", _): await radio.stopScanning()
        case ("connect", 3): try await connect(words)
        case ("services", _): try await walk(words.first.flatMap { BluetoothUUID($0) })
        case ("forget", 2): try await forget(words)
        case ("disconnect", _): await link?.disconnect()
        case ("close", _): await radio.close()
        default: return try await answerOnLink(command, words)
        }
        return Line(event: "answer")
    }

    private func answerOnLink(_ command: String, _ words: [String]) async throws -> Line {
        guard let link else { throw RemoteError.disconnected("nothing is connected") }
        var line = Line(event: "answer")
        switch (command, words.count) {
        case ("mtu", _): line.count = try await link.maximumTransmissionUnit()
        case ("rssi", _): line.rssi = try await link.readRSSI().decibelMilliwatts
        case ("read", 1): line.value = Hexadecimal.string(try await link.read(try characteristic(words[0]).value))
        case ("write", 2): try await link.write(try Hexadecimal.bytes(words[1]), to: try characteristic(words[0]).value)
        case ("command", 2):
            try await link.writeWithoutResponse(
                try Hexadecimal.bytes(words[1]), to: try characteristic(words[0]).value)
        case ("notify", 1): try await link.setNotifying(true, for: try characteristic(words[0]))
        case ("unnotify", 1): try await link.setNotifying(false, for: try characteristic(words[0]))
        case ("pair", 1...): try await pair(words, on: link, &line)
        case ("read-descriptor", 2):
            let known = descriptors[try characteristic(words[0])] ?? []
            guard let uuid = BluetoothUUID(words[1]), let descriptor = known.first(where: { $0.uuid == uuid }) else {
                throw Unknown()
            }
            line.value = Hexadecimal.string(try await link.read(descriptor.handle))
        default: throw Unknown()
        }
        return line
    }

    private func open() async throws -> Line {
        let capabilities = try await radio.openCentral(waits: false)
        Task { [states = await radio.states()] in
            for await state in states { Self.print(state) }
        }
        var line = Line(event: "answer")
        line.device = capabilities.address?.description
        line.way = capabilities.way
        line.limits = capabilities.limits.map(\.subject.rawValue)
        return line
    }

    private static func print(_ state: CentralRadioState) {
        var line = Line(event: "state")
        switch state {
        case .ready: line.state = "ready"
        case .unavailable(let error):
            line.state = "unavailable"
            line.kind = error.code.rawValue
            line.error = "\(error)"
        }
        line.print()
    }

    /// Returns when scanning has begun; prints sightings until the time limit or the end of the scan.
    private func scan(seconds: String, isActive: Bool) async throws -> Line {
        guard let seconds = Double(seconds) else { throw Unknown() }
        let sightings = try await radio.scan(ScanParameters(isActive: isActive))
        let stopping = Task { [radio] in
            try await Task.sleep(for: .seconds(seconds))
            await radio.stopScanning()
        }
        Task {
            var count = 0
            for await sighting in sightings {
                Line(sighting).print()
                count += 1
            }
            stopping.cancel()
            Line(event: "scan-ended", count: count).print()
        }
        return Line(event: "answer")
    }

    private func connect(_ words: [String]) async throws {
        guard let address = BluetoothAddress(words[0]), let seconds = Double(words[2]) else { throw Unknown() }
        let device = RemoteAddress(address, isRandom: words[1] == "random")
        let link = try await radio.connect(to: device, timeout: .seconds(seconds))
        self.link = link
        Task {
            for await notification in link.notifications {
                var line = Line(event: "notified", value: Hexadecimal.string(notification.value))
                line.handle = notification.handle.rawValue
                line.characteristic = found.values.first { $0.value == notification.handle }.map { "\($0.uuid)" }
                line.print()
            }
            Line(event: "notifications-ended").print()
        }
        Task { Line(event: "ended", error: await link.waitForEnd()).print() }
    }

    private func walk(_ type: BluetoothUUID?) async throws {
        guard let link else { throw RemoteError.disconnected("nothing is connected") }
        found = [:]
        for service in try await link.discoverServices(type.map { [$0] }) {
            for characteristic in try await link.discoverCharacteristics(of: service) {
                found[characteristic.uuid] = characteristic
                let own = try await link.discoverDescriptors(of: characteristic)
                descriptors[characteristic] = own
                var line = Line(characteristic, of: service)
                line.descriptor = own.map { "\($0.uuid)" }.joined(separator: " ")
                line.print()
            }
        }
    }

    private func characteristic(_ text: String) throws -> RemoteCharacteristic {
        guard let uuid = BluetoothUUID(text), let characteristic = found[uuid] else { throw Unknown() }
        return characteristic
    }
}

// MARK: - Pairing

extension Session {
    /// `IO [passkey=DIGITS] [mitm] [legacy] [required] [comparison=ANSWER]`
    func pair(_ words: [String], on link: any RemoteLink, _ line: inout Line) async throws {
        guard let inputOutput = PairingSettings.InputOutput(rawValue: words[0]) else { throw Unknown() }
        var settings = PairingSettings(inputOutput: inputOutput)
        for word in words.dropFirst() {
            let parts = word.split(separator: "=").map(String.init)
            switch parts[0] {
            case "passkey": settings.passkey = UInt32(parts[parts.count - 1])
            case "comparison":
                settings.comparison = PairingSettings.Comparison(rawValue: parts[parts.count - 1]) ?? .ask
            case "mitm": settings.requiresAuthentication = true
            case "legacy": settings.secureConnections = .off
            case "required": settings.secureConnections = .required
            default: throw Unknown()
            }
        }
        guard let link = link as? any PairingLink else { throw Unknown() }
        let protection = try await link.pair(settings) { question in await self.ask(question) }
        line.authenticated = protection.isAuthenticated
        line.count = protection.keySize.map(Int.init)
    }

    func forget(_ words: [String]) async throws {
        guard let address = BluetoothAddress(words[0]) else { throw Unknown() }
        let device = RemoteAddress(address, isRandom: words[1] == "random")
        await (radio as? any BondingCentralRadio)?.forgetBond(with: device)
    }

    /// Prints a question, and waits for an answer if the question requires one.
    private func ask(_ question: PairingQuestion) async -> PairingAnswer {
        var line = Line(event: "question")
        switch question {
        case .showPasskey(let passkey):
            line.kind = "show"
            line.count = Int(passkey)
            line.print()
            return .comparison(true)
        case .passkey: line.kind = "passkey"
        case .comparison(let number):
            line.kind = "comparison"
            line.count = Int(number)
        case .confirmation: line.kind = "confirmation"
        }
        return await withCheckedContinuation { continuation in
            questions.append(continuation)
            line.print()
        }
    }

    /// Answers the first question.
    func reply(_ word: String) {
        guard !questions.isEmpty else { return Line.failed("there is no question").print() }
        let answer: PairingAnswer =
            switch word {
            case "accept": .comparison(true)
            case "reject": .comparison(false)
            default: UInt32(word).map { .passkey($0) } ?? .cancel
            }
        questions.removeFirst().resume(returning: answer)
    }
}
