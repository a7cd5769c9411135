// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// What the page reports of the user's actions: problems, faults of the profile, a move that can be undone; and the question
// before something is deleted or stopped.

import { arrange, byId, html, text } from "./dom.js";
import * as format from "./format.js";

const SHOWN = 20_000;

/** The lines of a problem: a fault each, with its place, or its sentences. */
function lines(problem) {
    if (problem.faults?.length) return problem.faults.map(({ file, line, column, message }) => (
        `${[file, line, column].filter((each) => each !== undefined).join(":")}${file ? ": " : ""}${message}`
    ));
    return problem.message.split("\n").filter(Boolean);
}

/** A notice with one or several lines, a hint, and a button that closes it; above the page, so that it covers nothing there. */
class Notice {
    #element;
    #timer;

    constructor(element) { this.#element = element; }

    show(problem, title) {
        const all = lines(problem);
        const body = title || all.length > 1
            ? [title ? html("p", {}, title) : null, html("ul", {}, all.map((line) => html("li", {}, line)))]
            : [html("p", {}, format.sentence(all[0] ?? ""))];
        arrange(this.#element, [
            html("div", {}, ...body, problem.hint ? html("p", { class: "hint" }, format.sentence(problem.hint)) : null),
            html("button", { type: "button", click: () => this.hide() }, "Close"),
        ]);
        this.#element.hidden = false;
        clearTimeout(this.#timer);
    }

    /** Hides it after a time. */
    fade() { this.#timer = setTimeout(() => this.hide(), SHOWN); }

    hide() {
        clearTimeout(this.#timer);
        this.#element.hidden = true;
        arrange(this.#element, []);
    }
}

export class Notices {
    #problem = new Notice(byId("notice"));
    #fault = new Notice(byId("fault"));
    #shown = undefined;
    #moved = byId("moved");
    #first = undefined;

    /** A request that failed. */
    showProblem(problem) {
        this.#problem.show(problem);
        this.#problem.fade();
    }

    /** A request succeeded: the last problem is over. */
    clear() { this.#problem.hide(); }

    /** The faults of the profile that could not be read again, as long as they are there; `undefined` for none. */
    showFault(event) {
        if (event === this.#shown) return;
        this.#shown = event;
        if (event) this.#fault.show(event, "The profile was not read again:");
        else this.#fault.hide();
    }

    /**
     * A move, with a button that undoes it. Moves of one thing one after the other, as with the keyboard, are undone together.
     * @param {number[] | undefined} from where it was; `undefined` for no position
     */
    showMove(kind, name, from, to, undo) {
        const isSame = this.#first?.kind === kind && this.#first.name === name;
        if (!isSame) this.#first = { kind, name, from };
        const start = this.#first.from;
        const button = start && html("button", { type: "button", class: "small", click: () => {
            this.#first = undefined;
            text(this.#moved, `${name} is back at ${format.position(start)}.`);
            undo(start);
        } }, "Undo");
        arrange(this.#moved, [
            html("span", {}, start
                ? `Moved ${name} from ${format.position(start)} to ${format.position(to)}.`
                : `${name} is at ${format.position(to)}; it had no position.`),
            ...(button ? [button] : []),
        ]);
    }

    /** Forgets where the last move began: the next one is undone alone. */
    endMoves() { this.#first = undefined; }
}

/**
 * Asks before something is deleted or stopped; Escape and Cancel refuse.
 * @returns {Promise<boolean>} whether it was confirmed
 */
export function confirm({ title, sentences, action }) {
    const cancel = html("button", { type: "button", autofocus: true, click: () => dialog.close("") }, "Cancel");
    const dialog = html(
        "dialog",
        {
            role: "alertdialog", "aria-labelledby": "dialog-title", "aria-describedby": "dialog-text",
            close: () => dialog.remove(),
        },
        html("h2", { id: "dialog-title" }, title),
        html("div", { id: "dialog-text" }, sentences.filter(Boolean).map((each) => html("p", {}, each))),
        html("div", { class: "actions" }, cancel,
            html("button", { type: "button", class: "danger", click: () => dialog.close("yes") }, action)),
    );
    document.body.append(dialog);
    return new Promise((resolve) => {
        dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"));
        dialog.showModal();
    });
}
