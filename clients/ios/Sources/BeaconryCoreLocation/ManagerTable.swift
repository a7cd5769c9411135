// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(CoreLocation) && os(iOS) && targetEnvironment(simulator)
    import BeaconryLogic
    import CoreLocation
    import ObjectiveC

    /// What the shim keeps for a location manager.
    ///
    /// It is an associated object of the manager and ends with it. Numbers, not addresses, identify managers, because a new manager
    /// may get the address of one that is gone.
    final class ManagerRecord: @unchecked Sendable {
        /// The number of the manager.
        let id: ManagerID
        private weak var manager: CLLocationManager?
        private let runLoop: CFRunLoop
        private let forget: @Sendable (ManagerID) -> Void

        fileprivate init(
            _ id: ManagerID, of manager: CLLocationManager, forget: @escaping @Sendable (ManagerID) -> Void
        ) {
            self.id = id
            self.manager = manager
            self.forget = forget
            // Core Location calls delegates on the thread that created the manager, which must have a run loop. The first use of a
            // manager nearly always comes from that thread; without a run loop that runs, it is a queue's, and calls go to main.
            let current = CFRunLoopGetCurrent()
            runLoop = current.flatMap { CFRunLoopCopyCurrentMode($0) == nil ? nil : $0 } ?? CFRunLoopGetMain()
        }

        deinit { forget(id) }

        /// Calls the delegate on the thread of the manager, after earlier calls, unless the manager or its delegate is gone by then.
        func call(_ body: @escaping (CLLocationManager, any CLLocationManagerDelegate) -> Void) {
            CFRunLoopPerformBlock(runLoop, CFRunLoopMode.commonModes.rawValue) { [self] in
                guard let manager, let delegate = manager.delegate else { return }
                body(manager, delegate)
            }
            CFRunLoopWakeUp(runLoop)
        }
    }

    /// The records of all managers that have been used, as long as these exist.
    final class ManagerTable: @unchecked Sendable {
        private struct WeakRecord { weak var record: ManagerRecord? }

        private let lock = NSLock()
        private var records: [ManagerID: WeakRecord] = [:]
        private var lastNumber: UInt64 = 0
        private let forget: @Sendable (ManagerID) -> Void

        /// An empty table.
        /// - Parameter forget: gets the number of each manager that is gone.
        init(forget: @escaping @Sendable (ManagerID) -> Void) { self.forget = forget }

        /// The record of a manager; a new one at its first use.
        func record(of manager: CLLocationManager) -> ManagerRecord {
            lock.lock()
            defer { lock.unlock() }
            if let record = objc_getAssociatedObject(manager, Self.key) as? ManagerRecord { return record }
            lastNumber += 1
            let record = ManagerRecord(ManagerID(lastNumber), of: manager) { [weak self] in self?.remove($0) }
            records[record.id] = WeakRecord(record: record)
            objc_setAssociatedObject(manager, Self.key, record, .OBJC_ASSOCIATION_RETAIN)
            return record
        }

        /// The record of one manager, or of all.
        func records(_ id: ManagerID?) -> [ManagerRecord] {
            lock.lock()
            defer { lock.unlock() }
            if let id { return [records[id]?.record].compactMap { $0 } }
            return records.values.compactMap(\.record)
        }

        private func remove(_ id: ManagerID) {
            lock.lock()
            records[id] = nil
            lock.unlock()
            forget(id)
        }

        // An address that nothing else has.
        private static let key = UnsafeRawPointer(UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))
    }
#endif
