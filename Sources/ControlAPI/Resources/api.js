// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// The HTTP API: requests, problems, and the stream of events.

/** A request that failed: the sentence, hint and code of the server's problem+json. */
export class Problem extends Error {
    constructor(status, problem = {}) {
        super(problem.detail ?? problem.title ?? `The server answered ${status}.`);
        this.status = status;
        this.hint = problem.hint;
        this.code = problem.code;
        this.faults = problem.faults;
    }
}

/** The token of a server that requires one: given once in the fragment of the URL, kept for this tab. */
function takeToken() {
    const match = /^#token=(.+)$/.exec(location.hash);
    if (match) {
        sessionStorage.setItem("token", decodeURIComponent(match[1]));
        history.replaceState(null, "", location.pathname);
    }
    return sessionStorage.getItem("token");
}

const token = takeToken();

function headers(more = {}) {
    return token ? { authorization: `Bearer ${token}`, ...more } : more;
}

async function request(method, path, body, type) {
    const response = await fetch(path, {
        method,
        headers: headers(body === undefined ? {} : { "content-type": type ?? "application/json" }),
        body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
        cache: "no-store",
    });
    const answer = await response.json().catch(() => undefined);
    if (!response.ok) throw new Problem(response.status, answer);
    return answer;
}

export const get = (path) => request("GET", path);
export const post = (path, body = {}) => request("POST", path, body);
/** A body of text has the given type; any other one is JSON. */
export const put = (path, body, type) => request("PUT", path, body, type);
export const remove = (path) => request("DELETE", path);
export const patch = (path, body) => request("PATCH", path, body, "application/merge-patch+json");
export const path = (...parts) => `v1/${parts.map(encodeURIComponent).join("/")}`;

/** A run that sends nothing for this long does not answer any more: its pulse is every 10 s. In milliseconds. */
const PATIENCE = 25000;

/**
 * Reads a stream of server-sent events until it ends. EventSource cannot send the token, so this reads the stream itself
 * (HTML standard, 9.2 "Server-sent events").
 * @param {string} path the resource
 * @param {object} options `last`: the identifier of the last event; `end`: an AbortSignal that ends the reading;
 *     `opened`: called when the stream begins
 * @param {(event: object, id: string | undefined) => void} receive called for each event, with its JSON
 */
async function read(path, { last, end, opened }, receive) {
    const silence = new AbortController();
    const stop = () => silence.abort(new Error("it was ended"));
    let timer;
    const wait = () => {
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(new Error("the run does not answer")), PATIENCE);
    };
    end?.addEventListener("abort", stop);
    try {
        wait();
        const response = await fetch(
            path,
            {
                headers: headers({ accept: "text/event-stream", ...(last && { "last-event-id": last }) }),
                signal: silence.signal,
            },
        );
        if (!response.ok) throw new Problem(response.status);
        opened?.();
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        let pending = "";
        for (;;) {
            const { value, done } = await reader.read();
            if (done) break;
            wait();
            const blocks = (pending + value).split(/\r?\n\r?\n/);
            pending = blocks.pop();
            for (const block of blocks) {
                const lines = block.split(/\r?\n/);
                const field = (name) => lines.filter((line) => line.startsWith(`${name}:`)).map(
                    (line) => line.slice(name.length + 1).replace(/^ /, ""),
                );
                const data = field("data");
                if (data.length) receive(JSON.parse(data.join("\n")), field("id").at(-1));
            }
        }
    } finally {
        // Frees the connection, also after an error in what receives the events.
        clearTimeout(timer);
        end?.removeEventListener("abort", stop);
        silence.abort();
    }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 1000));

/**
 * Follows the events of the run until the page is left, and connects again after a loss, from the last event on.
 * @param {(event: object) => void} receive called for each event, with its JSON, and its sentence as `text`
 * @param {(state: "live" | "lost" | "refused") => void} report called when the connection changes
 */
export async function follow(receive, report) {
    let last = "0";
    for (;;) {
        try {
            await read("v1/events?text=true", { last, opened: () => report("live") }, (event, id) => {
                last = id ?? last;
                receive(event);
            });
        } catch (error) {
            if (error.status === 401) return report("refused");
            console.info("events:", error.message);
        }
        report("lost");
        await pause();
    }
}

/**
 * Follows the records of a resource until a signal, and connects again after a loss.
 * @param {string} path the resource
 * @param {AbortSignal} end ends it
 * @param {(record: object) => void} receive called for each record
 */
export async function followRecords(path, end, receive) {
    while (!end.aborted) {
        try {
            await read(path, { end }, receive);
        } catch (error) {
            if (!end.aborted) console.info(`${path}:`, error.message);
        }
        if (!end.aborted) await pause();
    }
}
