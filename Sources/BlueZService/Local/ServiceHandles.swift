// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HostStack

/// The handles of a service of an adapter, with those of its characteristics.
struct ServiceHandles: Hashable {
    /// The handles of a characteristic.
    struct Characteristic: Hashable {
        let value: AttributeHandle
        /// The handles of the descriptors that the program serves.
        let served: [AttributeHandle]
    }

    let declaration: AttributeHandle
    let characteristics: [Characteristic]

    /// The handles of these services, in their order, behind Generic Access and Generic Attribute.
    static func table(of services: [GATTService]) -> [ServiceHandles] {
        guard let database = try? AttributeDatabase(services: services, genericAccess: GenericAccess(name: "")) else {
            return []
        }
        return database.serviceRanges.suffix(services.count).map { range in
            let values = database.valueHandles.filter { range.contains($0.handle) }
            let served = database.servedDescriptors.filter { range.contains($0.handle) }
            return ServiceHandles(
                declaration: range.lowerBound,
                characteristics: values.map { value in
                    Characteristic(
                        value: value.handle,
                        served: served.filter { $0.characteristic == value.characteristic }.map(\.handle))
                })
        }
    }
}
