// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices

/// The value of an environment variable; `nil` if it is not set.
package typealias ProfileEnvironment = @Sendable (String) -> String?

/// What a profile may refer to outside of its text.
package struct ProfileSources: Sendable {
    /// Reads files, by paths relative to the profile's folder.
    package let files: ProfileFileReader
    /// Reads pictures, by paths relative to the profile's folder.
    package let pictures: PictureReader
    /// Reads environment variables; `nil` where a profile may not read them.
    package let environment: ProfileEnvironment?

    /// Sources with these files and variables; by default none.
    package init(
        files: @escaping ProfileFileReader = noProfileFiles, environment: ProfileEnvironment? = nil,
        pictures: @escaping PictureReader = noPictures
    ) {
        self.files = files
        self.pictures = pictures
        self.environment = environment
    }
}

/// Writes out the short forms of a profile: environment variables, merge keys, `include`, `defaults` and `count`.
///
///     file --(variables, merge keys)--> with the included files --(defaults)--> complete entries --(count)--> each entry
struct ProfileExpansion {
    /// The lists that included files add to.
    private static let lists = ["beacons", "receivers", "walls", "floors", "rooms"]
    /// The limit of the number of included files, and of the depth of inclusion.
    private static let maximumFiles = 100

    /// The faults so far.
    private(set) var faults: [ProfileFault] = []
    private let file: String
    private let sources: ProfileSources
    private let contents: ReadContents?
    private var includedFiles = 0

    /// An expansion of a file with this path.
    private init(of file: String, _ sources: ProfileSources, _ contents: ReadContents?) {
        self.file = file
        self.sources = sources
        self.contents = contents
    }

    /// The root of a text, written out.
    /// - Parameter contents: takes the comments that may be the rests of texts.
    /// - Throws: `ProfileFaults`, if a short form is wrong, the text is not YAML, or it is a file of another kind.
    static func root(
        of text: YAMLText, in file: String, _ sources: ProfileSources, kind: FileKind, example: String,
        noting contents: ReadContents? = nil
    ) throws(ProfileFaults) -> ProfileNode {
        let root = try text.root(of: kind.name, example: example, noting: contents)
        guard root.mapping != nil else { return root }
        try kind.check(root, file: file)
        var expansion = ProfileExpansion(of: file, sources, contents)
        let complete = expansion.withIncludedFiles(expansion.rewritten(root, of: text), in: "", within: [])
        let expanded = expansion.withEntries(complete)
        guard expansion.faults.isEmpty else { throw ProfileFaults(expansion.faults) }
        return expanded
    }

    private mutating func add(_ message: String, field: String, at place: TextPlace) {
        faults.append(
            ProfileFault(
                file: place.file?.path ?? file, line: place.line, column: place.column, field: field, message: message))
    }

    // MARK: - One file

    /// Replaces variables and merge keys. Root keys that begin with `x-`, places for anchors, are removed.
    private mutating func rewritten(_ root: ProfileNode, of text: YAMLText) -> ProfileNode {
        guard text.mayHaveShortForms else { return root }
        var rewriter = NodeRewriter(file: file, environment: sources.environment)
        let node = rewriter.rewritten(root)
        faults += rewriter.faults
        guard let mapping = node.mapping else { return node }
        return ProfileNode(
            .mapping(ProfileNode.Mapping(mapping.pairs.filter { !($0.key.text?.hasPrefix("x-") ?? false) })),
            at: node.place)
    }

    // MARK: - Included files

    /// Adds the contents of the files that `include` names.
    /// - Parameters:
    ///   - folder: the folder of the file, relative to the folder of the profile.
    ///   - paths: the files that are being included, relative to the folder of the profile.
    private mutating func withIncludedFiles(_ root: ProfileNode, in folder: String, within paths: [String])
        -> ProfileNode
    {
        guard let mapping = root.mapping, let include = mapping["include"] else { return root }
        var pairs: [(key: ProfileNode, value: ProfileNode)] = []
        for name in include.sequence ?? [include] {
            guard let text = name.text, !text.isEmpty else {
                add("the path of a file, or a list of paths, is expected here", field: "include", at: name.place)
                continue
            }
            guard let included = included(text, at: name.place, in: folder, within: paths) else { continue }
            pairs = Self.merged(included.pairs.filter { $0.key.text != "profile" }, over: pairs)
        }
        let own = mapping.pairs.filter { $0.key.text != "include" }
        return ProfileNode(.mapping(ProfileNode.Mapping(Self.merged(own, over: pairs))), at: root.place)
    }

    private mutating func included(_ name: String, at place: TextPlace, in folder: String, within paths: [String])
        -> ProfileNode.Mapping?
    {
        let path = name.hasPrefix("/") ? name : folder + name
        guard !paths.contains(path) else {
            add("\"\(name)\" includes itself", field: "include", at: place)
            return nil
        }
        includedFiles += 1
        guard includedFiles <= Self.maximumFiles else {
            add("at most \(Self.maximumFiles) files are included", field: "include", at: place)
            return nil
        }
        do throws(ValueFault) {
            let content = try sources.files(path)
            let own = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
            let base = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
            let shown = path.hasPrefix("/") ? path : base + path
            let text = YAMLText(content, file: shown, included: IncludedFile(path: shown, folder: own))
            do throws(ProfileFaults) {
                let root = try text.root(of: "a profile", example: "profiles/", noting: contents)
                let complete = withIncludedFiles(rewritten(root, of: text), in: own, within: paths + [path])
                if complete.mapping == nil {
                    add("a mapping of keys and values is expected here", field: "", at: complete.place)
                }
                return complete.mapping
            } catch {
                faults += error.faults
            }
        } catch {
            add(error.message, field: "include", at: place)
        }
        return nil
    }

    /// Keys over others: lists of beacons, receivers, walls, floors and rooms are joined, defaults are merged, other values replace.
    private static func merged(
        _ own: [(key: ProfileNode, value: ProfileNode)], over others: [(key: ProfileNode, value: ProfileNode)]
    ) -> [(key: ProfileNode, value: ProfileNode)] {
        var pairs = others
        for pair in own {
            guard let key = pair.key.text, let index = pairs.firstIndex(where: { $0.key.text == key }) else {
                pairs.append(pair)
                continue
            }
            if lists.contains(key), let first = pairs[index].value.sequence, let second = pair.value.sequence {
                pairs[index].value = ProfileNode(.sequence(first + second), at: pair.value.place)
            } else if key == "defaults", pair.value.mapping != nil {
                pairs[index].value = BeaconDefaults.merged(pair.value, over: pairs[index].value)
            } else {
                pairs[index] = pair
            }
        }
        return pairs
    }

    // MARK: - Entries

    /// Adds the defaults to the beacons, and repeats entries with a count.
    private mutating func withEntries(_ root: ProfileNode) -> ProfileNode {
        guard let mapping = root.mapping else { return root }
        var defaults = mapping["defaults"]
        if let node = defaults, node.mapping == nil {
            add("a mapping of keys and values is expected here", field: "defaults", at: node.place)
            defaults = nil
        }
        var pairs: [(key: ProfileNode, value: ProfileNode)] = []
        for (key, value) in mapping.pairs where key.text != "defaults" {
            guard let name = key.text, ["beacons", "receivers"].contains(name), let list = value.sequence else {
                pairs.append((key, value))
                continue
            }
            pairs.append((key, ProfileNode(.sequence(entries(of: name, list, defaults)), at: value.place)))
        }
        return ProfileNode(.mapping(ProfileNode.Mapping(pairs)), at: root.place)
    }

    /// The entries of a list, written out, up to the limits.
    private mutating func entries(of name: String, _ list: [ProfileNode], _ defaults: ProfileNode?) -> [ProfileNode] {
        var entries: [ProfileNode] = []
        let limits = name == "beacons" ? EntryRepetition.Limits.beacons : .receivers
        var (values, size) = (0, 0)
        // Reading the entries ends with a fault then.
        for (index, entry) in list.enumerated() where !Task.isCancelled {
            let complete = name == "beacons" ? BeaconDefaults.merged(entry, over: defaults) : entry
            var repetition = EntryRepetition(of: complete, field: "\(name)[\(index)]", limits)
            if let count = repetition.readCount() {
                let extent = EntryExtent(of: complete)
                values += count * extent.values
                size += count * extent.size
                guard values <= EntryRepetition.maximumValues else {
                    add(Self.excess(values, count, extent), field: "\(name)[\(index)]", at: entry.place)
                    break
                }
                guard size <= EntryRepetition.maximumSize else {
                    add(
                        "\(ValueText.grouped(size)) bytes of text in all; a profile has at most "
                            + "\(ValueText.grouped(EntryRepetition.maximumSize)); write a smaller count, or shorter texts",
                        field: "\(name)[\(index)]", at: entry.place)
                    break
                }
                guard entries.count + count <= limits.total else {
                    add("a profile has at most \(limits.total) \(name)", field: "\(name)[\(index)]", at: entry.place)
                    break
                }
                entries += repetition.entries()
            }
            for fault in repetition.faults { add(fault.message, field: fault.field, at: fault.place) }
        }
        return entries
    }

    /// The fault of an entry with which a list has too many values.
    private static func excess(_ values: Int, _ count: Int, _ extent: EntryExtent) -> String {
        let (key, length) = extent.longest
        let part = length > 0 ? ", \(ValueText.grouped(length * count)) of them in \(key)" : ""
        return "\(ValueText.grouped(values)) values in all\(part); a profile has at most "
            + "\(ValueText.grouped(EntryRepetition.maximumValues)); write a smaller count, or less in each copy"
    }
}
