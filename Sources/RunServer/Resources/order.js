// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// The order of a list that changes by itself: it stays while one looks at the list, so that nothing moves under the pointer.

/**
 * An order that is held while the pointer is over an element, or the keyboard focus in it. Then the entries keep their places: new ones
 * come last, and those that are gone stay.
 */
export class HeldOrder {
    #element;
    #isOver = false;
    #names = [];

    /** @param release called when the order is not held any more */
    constructor(element, release) {
        this.#element = element;
        element.addEventListener("pointerenter", (event) => {
            this.#isOver = event.pointerType === "mouse";
        });
        element.addEventListener("pointerleave", () => {
            this.#isOver = false;
            if (!this.isHeld) release();
        });
        element.addEventListener("focusout", () => setTimeout(() => this.isHeld || release()));
    }

    get isHeld() {
        return this.#isOver || Boolean(this.#element.querySelector(":focus-visible"));
    }

    /** Forgets the order: the user has asked for another one. */
    reset() { this.#names = []; }

    /** The names in the order in which they are shown. */
    arrange(names) {
        if (this.isHeld && this.#names.length) {
            const known = new Set(this.#names);
            this.#names = [...this.#names, ...names.filter((name) => !known.has(name))];
        } else this.#names = [...names];
        return this.#names;
    }
}
