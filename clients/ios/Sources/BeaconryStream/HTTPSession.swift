// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Foundation

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// What happens to a request, in this order; `end` comes exactly once.
package enum HTTPEvent: Sendable {
    /// The status and the media type of the answer.
    case response(status: Int, mediaType: String?)
    /// A piece of the body.
    case data(Data)
    /// The end of the request, and of the body.
    case end((any Error)?)
}

/// The answer to a request.
package struct HTTPReply: Sendable {
    /// The HTTP status.
    package var status: Int
    /// The body, as far as the limit permits.
    package var body: Data
}

/// Requests whose answers are delivered piece by piece, one event at a time.
///
/// Redirects are not followed: a token is for one server only. (On Linux they are: FoundationNetworking 6.3 may trap when one is
/// declined. Beaconry sends none.)
package final class HTTPSession: Sendable {
    private let delegate = Delegate()
    private let session: URLSession
    private let isClosed = Locked(false)

    /// A session whose requests fail when nothing is received for this time in seconds.
    package init(readTimeout: Double) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = readTimeout
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
    }

    deinit { close() }

    /// Begins a request whose answer may be without an end.
    /// - Returns: `false` if the session is closed; then there are no events.
    @discardableResult
    package func start(_ request: URLRequest, events: @escaping @Sendable (HTTPEvent) -> Void) -> Bool {
        start(request, isEndless: true, events: events)
    }

    private func start(_ request: URLRequest, isEndless: Bool, events: @escaping @Sendable (HTTPEvent) -> Void) -> Bool
    {
        isClosed.withLock { isClosed in
            guard !isClosed else { return false }
            let task = session.dataTask(with: request)
            delegate.requests.withLock {
                $0[task.taskIdentifier] = Request(task: task, isEndless: isEndless, events: events)
            }
            task.resume()
            return true
        }
    }

    /// Performs a request.
    /// - Parameter limit: the number of bytes of the body after which the rest is dropped.
    /// - Throws: `RequestFailure` if there is no answer.
    package func send(_ request: URLRequest, limit: Int = 1 << 20) async throws -> HTTPReply {
        try await withCheckedThrowingContinuation { continuation in
            let reply = Locked(HTTPReply(status: 0, body: Data()))
            let started = start(request, isEndless: false) { event in
                switch event {
                case .response(let status, _):
                    reply.withLock { $0.status = status }
                case .data(let data):
                    reply.withLock { $0.body.append(data.prefix(limit - $0.body.count)) }
                case .end(let error?):
                    continuation.resume(throwing: RequestFailure(error))
                case .end(nil):
                    continuation.resume(returning: reply.withLock { $0 })
                }
            }
            if !started { continuation.resume(throwing: RequestFailure(CancellationError())) }
        }
    }

    /// Cancels all requests. Their events end with an error before this returns.
    package func close() {
        let first = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        guard first else { return }
        let requests = delegate.requests.withLock { requests in
            defer { requests = [:] }
            return requests.values
        }
        #if canImport(FoundationNetworking)
            // FoundationNetworking 6.3 may trap when a task is canceled while it ends: most end by themselves.
            session.finishTasksAndInvalidate()
            for request in requests where request.isEndless { request.task.cancel() }
        #else
            session.invalidateAndCancel()
        #endif
        for request in requests { request.events(.end(CancellationError())) }
    }

    private struct Request: Sendable {
        var task: URLSessionTask
        /// Whether its answer may be without an end.
        var isEndless: Bool
        var events: @Sendable (HTTPEvent) -> Void
    }

    private final class Delegate: NSObject, URLSessionDataDelegate, Sendable {
        /// The requests that have not ended, by the identifiers of their tasks.
        let requests = Locked<[Int: Request]>([:])

        #if !canImport(FoundationNetworking)
            func urlSession(
                _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
                newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
            ) {
                completionHandler(nil)
            }
        #endif

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            events(of: dataTask)?(.response(status: status, mediaType: response.mimeType))
            completionHandler(.allow)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            events(of: dataTask)?(.data(data))
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            let request = requests.withLock { $0.removeValue(forKey: task.taskIdentifier) }
            request?.events(.end(error))
        }

        private func events(of task: URLSessionTask) -> (@Sendable (HTTPEvent) -> Void)? {
            requests.withLock { $0[task.taskIdentifier]?.events }
        }
    }
}
