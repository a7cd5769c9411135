// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CLibYAML
import Devices

/// Why a text has no nodes.
enum YAMLFailure: Error {
    /// The construct that the parser was reading, and where it began.
    struct Context {
        let text: String
        let place: TextPlace
    }

    /// The text is nested deeper than `YAMLComposer.maximumDepth` here.
    case nesting(TextPlace)
    /// Aliases expand to too many values, or nest too deeply, here.
    case aliases(TextPlace)
    /// Keys of a mapping that are there more than once, and the place of the first.
    case duplicateKeys([String], TextPlace)
    /// The text is not YAML: the parser's message, and where it noticed the error.
    case syntax(String, Context?, TextPlace)
    /// The text has a character that YAML does not permit, at this offset in bytes.
    case character(String, offset: Int)
    /// There is no memory.
    case memory
}

/// Composes the nodes of a YAML text from the events of libyaml.
///
/// An alias shares the value of its anchor. A few nested anchors can expand to more values than memory holds, or nest deeper
/// than a stack allows, so the extent of each node is measured with its aliases expanded.
struct YAMLComposer: ~Copyable {
    /// More than any profile needs.
    static let maximumDepth = 64
    private static let maximumCount = 1 << 20

    /// The depth and the number of values of a node, with aliases expanded.
    private struct Extent {
        var depth = 1
        var count = 1
    }

    private struct Measured {
        let node: ProfileNode
        let extent: Extent
    }

    /// A sequence, or a mapping whose parts are keys and values in turn, that has not ended yet.
    private struct OpenCollection {
        let isMapping: Bool
        let start: TextPlace
        let anchor: String?
        var parts: [ProfileNode] = []
        var extent = Extent()
    }

    /// On the heap, because libyaml keeps pointers into it.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let file: IncludedFile?
    private var anchors: [String: Measured] = [:]
    /// From the outermost to the innermost: not the stack of the thread, which may be small.
    private var open: [OpenCollection] = []
    private var root: ProfileNode?
    private var comments: CommentFinder

    private init(_ text: UnsafeBufferPointer<UInt8>, file: IncludedFile?) throws(YAMLFailure) {
        parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        self.file = file
        comments = CommentFinder(text)
        guard yaml_parser_initialize(parser) == 1 else { throw .memory }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
    }

    /// A document.
    struct Document {
        /// `nil` for a text without values.
        let root: ProfileNode?
        /// Comments that may be the rests of texts without quotes, by the places of these texts.
        let comments: [TextPlace: String]
    }

    /// Composes a text with one document.
    static func document(of text: String, file: IncludedFile?) throws(YAMLFailure) -> Document {
        var text = text
        let result = text.withUTF8 { bytes -> Result<Document, YAMLFailure> in
            // An empty text has no address.
            var none: UInt8 = 0
            return withUnsafePointer(to: &none) { empty in
                do throws(YAMLFailure) {
                    var composer = try YAMLComposer(bytes, file: file)
                    yaml_parser_set_input_string(composer.parser, bytes.baseAddress ?? empty, bytes.count)
                    let root = try composer.document()
                    return .success(Document(root: root, comments: composer.comments.found))
                } catch {
                    return .failure(error)
                }
            }
        }
        return try result.get()
    }

    // MARK: - Events

    /// Reads the events of a document, to the end of the stream.
    private mutating func document() throws(YAMLFailure) -> ProfileNode? {
        while true {
            var event = yaml_event_t()
            guard yaml_parser_parse(parser, &event) == 1 else { throw failure }
            defer { yaml_event_delete(&event) }
            if event.type == YAML_STREAM_END_EVENT { return root }
            try take(event)
        }
    }

    private mutating func take(_ event: yaml_event_t) throws(YAMLFailure) {
        let start = place(event.start_mark)
        switch event.type {
        case YAML_DOCUMENT_START_EVENT:
            guard root == nil else { throw .syntax("but found another document", nil, start) }
        case YAML_ALIAS_EVENT:
            guard let measured = anchors[Self.text(event.data.alias.anchor) ?? ""] else {
                throw .syntax("found undefined alias", nil, start)
            }
            try add(measured, at: start)
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            if scalar.style == YAML_PLAIN_SCALAR_STYLE { comments.look(behind: event.end_mark.index, for: start) }
            let measured = Measured(node: ProfileNode(.scalar(text), at: start), extent: Extent())
            try complete(measured, Self.text(scalar.anchor), at: start)
        case YAML_SEQUENCE_START_EVENT:
            try begin(isMapping: false, Self.text(event.data.sequence_start.anchor), at: start)
        case YAML_MAPPING_START_EVENT: try begin(isMapping: true, Self.text(event.data.mapping_start.anchor), at: start)
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
            guard let collection = open.popLast() else { return }
            let node = ProfileNode(try Self.content(of: collection), at: collection.start)
            try complete(Measured(node: node, extent: collection.extent), collection.anchor, at: collection.start)
        default: break
        }
    }

    private func place(_ mark: yaml_mark_t) -> TextPlace {
        TextPlace(line: Int(mark.line) + 1, column: Int(mark.column) + 1, file: file)
    }

    private static func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        pointer.map { String(cString: $0) }
    }

    private var failure: YAMLFailure {
        let problem = parser.pointee.problem.map { String(cString: $0) } ?? ""
        switch parser.pointee.error {
        case YAML_MEMORY_ERROR: return .memory
        case YAML_READER_ERROR: return .character(problem, offset: Int(parser.pointee.problem_offset))
        default:
            // The parser reads ahead of its events, and fails at 1,000 levels.
            if problem.contains("nesting level") { return .nesting(place(parser.pointee.mark)) }
            let context = parser.pointee.context.map {
                YAMLFailure.Context(text: String(cString: $0), place: place(parser.pointee.context_mark))
            }
            return .syntax(problem, context, place(parser.pointee.problem_mark))
        }
    }

    // MARK: - Nodes

    private mutating func begin(isMapping: Bool, _ anchor: String?, at start: TextPlace) throws(YAMLFailure) {
        guard open.count < Self.maximumDepth else { throw .nesting(start) }
        open.append(OpenCollection(isMapping: isMapping, start: start, anchor: anchor))
    }

    private mutating func complete(
        _ measured: Measured, _ anchor: String?, at start: TextPlace
    ) throws(YAMLFailure) {
        if let anchor { anchors[anchor] = measured }
        try add(measured, at: start)
    }

    /// Adds a node to the innermost collection, or makes it the root.
    private mutating func add(_ measured: Measured, at start: TextPlace) throws(YAMLFailure) {
        guard !open.isEmpty else {
            root = measured.node
            return
        }
        let last = open.count - 1
        open[last].parts.append(measured.node)
        open[last].extent.depth = max(open[last].extent.depth, measured.extent.depth + 1)
        open[last].extent.count += measured.extent.count
        guard open[last].extent.depth <= Self.maximumDepth, open[last].extent.count <= Self.maximumCount else {
            throw .aliases(start)
        }
    }

    private static func content(of collection: OpenCollection) throws(YAMLFailure) -> ProfileNode.Content {
        let parts = collection.parts
        guard collection.isMapping else { return .sequence(parts) }
        var pairs: [(key: ProfileNode, value: ProfileNode)] = []
        pairs.reserveCapacity(parts.count / 2)
        var first: [String: TextPlace] = [:]
        var repeated: Set<String> = []
        for index in stride(from: 0, to: parts.count - 1, by: 2) {
            pairs.append((parts[index], parts[index + 1]))
            guard let text = parts[index].text else { continue }
            if first[text] == nil { first[text] = parts[index].place } else { repeated.insert(text) }
        }
        let names = repeated.sorted()
        if let name = names.first, let place = first[name] { throw .duplicateKeys(names, place) }
        return .mapping(ProfileNode.Mapping(pairs))
    }
}

/// Finds comments that may be the rests of the texts before them: behind one blank, and followed by a character that is no blank, or by
/// a number alone.
private struct CommentFinder {
    /// The comments, by the places of the texts.
    private(set) var found: [TextPlace: String] = [:]

    private let text: UnsafeBufferPointer<UInt8>
    /// Most texts have none.
    private let isNeeded: Bool
    /// The number of characters and of bytes up to the last place.
    private var characters = 0
    private var bytes = 0

    /// - Parameter text: UTF-8, which must exist as long as this value.
    init(_ text: UnsafeBufferPointer<UInt8>) {
        self.text = text
        isNeeded = zip(text, text.dropFirst()).contains { $0 == 0x20 && $1 == 0x23 }
    }

    /// Looks at what is behind a text that ends at this number of characters; the next text ends behind it.
    mutating func look(behind end: Int, for place: TextPlace) {
        guard isNeeded else { return }
        while characters < end, bytes < text.count {
            bytes += 1
            while bytes < text.count, text[bytes] & 0xC0 == 0x80 { bytes += 1 }
            characters += 1
        }
        guard bytes + 2 < text.count, text[bytes] == 0x20, text[bytes + 1] == 0x23 else { return }
        var comment = text[(bytes + 1)...].prefix { $0 != 0x0A && $0 != 0x0D }
        while comment.last == 0x20 || comment.last == 0x09 { comment.removeLast() }
        let rest = comment.dropFirst()
        guard let first = rest.first else { return }
        let isNumber = first == 0x20 && rest.count > 1 && rest.dropFirst().allSatisfy { 0x30...0x39 ~= $0 }
        guard isNumber || first != 0x20 && first != 0x09 && first != 0x23 else { return }
        found[place] = String(decoding: comment, as: UTF8.self)
    }
}
