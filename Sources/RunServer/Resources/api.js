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

/** A picture or another file. */
export async function getBlob(path) {
    const response = await fetch(path, { headers: headers(), cache: "no-store" });
    if (!response.ok) throw new Problem(response.status, await response.json().catch(() => undefined));
    return response.blob();
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
 * Follows the server-sent events until the page is left, and connects again after a loss, from the last event on.
 * EventSource cannot send the token, so this reads the stream itself (HTML standard, 9.2 "Server-sent events").
 * @param {(event: object) => void} receive called for each event, with its JSON, and its sentence as `text`
 * @param {(state: "live" | "lost" | "refused") => void} report called when the connection changes
 */
export async function follow(receive, report) {
    let last = "0";
    for (;;) {
        const silence = new AbortController();
        let timer;
        const wait = () => {
            clearTimeout(timer);
            timer = setTimeout(() => silence.abort(new Error("the run does not answer")), PATIENCE);
        };
        try {
            wait();
            const response = await fetch(
                "v1/events?text=true",
                { headers: headers({ accept: "text/event-stream", "last-event-id": last }), signal: silence.signal },
            );
            if (response.status === 401) return report("refused");
            if (!response.ok) throw new Problem(response.status);
            report("live");
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
                    last = field("id").at(-1) ?? last;
                    const data = field("data");
                    if (data.length) receive(JSON.parse(data.join("\n")));
                }
            }
        } catch (error) {
            console.info("events:", error.message);
        } finally {
            // Frees the connection, also after an error in what receives the events.
            clearTimeout(timer);
            silence.abort();
        }
        report("lost");
        await new Promise((resolve) => setTimeout(resolve, 1000));
    }
}
