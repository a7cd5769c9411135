// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The exports of a connection by path: objects, and handlers that serve a whole path.
///
/// A tree: adding, removing and finding the managers above a path cost as much as the path is deep.
struct ExportTable: Sendable {
    /// What is at a path.
    struct Export: Sendable {
        /// Unique on the connection.
        let identifier: UInt64
        /// What answers calls.
        var server: Server
        /// The queue for asynchronous handlers.
        let mailbox: Mailbox?

        /// The object, if it is one.
        var object: ExportedObject? {
            if case .object(let object) = server { object } else { nil }
        }
    }

    /// What answers calls of an export.
    enum Server: Sendable {
        case object(ExportedObject)
        case handler(MethodHandler)
    }

    private struct Node: Sendable {
        var export: Export?
        var children: Set<String> = []

        var isEmpty: Bool { export == nil && children.isEmpty }
    }

    /// The exports, and the paths on the way to them.
    private var nodes: [ObjectPath: Node] = [:]

    /// Adds an export, and ends the queue of the one before at its path.
    mutating func add(_ export: Export, at path: ObjectPath) {
        nodes[path]?.export?.mailbox?.finish()
        nodes[path, default: Node()].export = export
        var child = path
        while let parent = child.parent,
            nodes[parent, default: Node()].children.insert(child.lastComponent).inserted
        {
            child = parent
        }
    }

    /// Removes the export at a path, and ends its queue.
    /// - Returns: what was removed; `nil` if there was none.
    mutating func remove(at path: ObjectPath) -> Export? {
        guard let export = nodes[path]?.export else { return nil }
        nodes[path]?.export = nil
        export.mailbox?.finish()
        var child = path
        while nodes[child]?.isEmpty == true {
            nodes[child] = nil
            guard let parent = child.parent else { break }
            nodes[parent]?.children.remove(child.lastComponent)
            child = parent
        }
        return export
    }

    /// Removes all exports, and cancels their handlers.
    mutating func removeAll() {
        for node in nodes.values { node.export?.mailbox?.close() }
        nodes = [:]
    }

    /// Changes the object at a path. Without effect on a path without one.
    mutating func changeObject(at path: ObjectPath, _ change: (inout ExportedObject) -> Void) {
        guard var object = nodes[path]?.export?.object else { return }
        change(&object)
        nodes[path]?.export?.server = .object(object)
    }

    /// The export at a path.
    func export(at path: ObjectPath) -> Export? { nodes[path]?.export }

    /// The objects below a path: parents before their children, siblings in the order of their names.
    func objects(below path: ObjectPath) -> [ExportedObject] {
        var objects: [ExportedObject] = []
        visit(below: path) { if let object = $1.object { objects.append(object) } }
        return objects
    }

    /// The paths of the exports below a path: parents before their children, siblings in the order of their names.
    func paths(below path: ObjectPath) -> [ObjectPath] {
        var paths: [ObjectPath] = []
        visit(below: path) { path, _ in paths.append(path) }
        return paths
    }

    private func visit(below path: ObjectPath, _ body: (ObjectPath, Export) -> Void) {
        for name in children(of: path) {
            let child = path.child(name)
            if let export = nodes[child]?.export { body(child, export) }
            visit(below: child, body)
        }
    }

    /// The paths of the object managers above a path, the nearest first.
    func managers(above path: ObjectPath) -> [ObjectPath] {
        var managers: [ObjectPath] = []
        var ancestor = path.parent
        while let path = ancestor {
            if nodes[path]?.export?.object?.isObjectManager == true { managers.append(path) }
            ancestor = path.parent
        }
        return managers
    }

    /// The sorted names of the children of a path: the components below it on the way to an export.
    func children(of path: ObjectPath) -> [String] { nodes[path]?.children.sorted() ?? [] }
}
