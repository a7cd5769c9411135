// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// Elements of HTML and SVG. Text always becomes text nodes, so names from a profile or from the air cannot add markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element with attributes and children. A function is a listener; `false`, `null` and `undefined` leave an attribute
 * out.
 */
export function html(name, attributes = {}, ...children) {
    return fill(document.createElement(name), attributes, children);
}

/** An SVG element, as `html`. */
export function svg(name, attributes = {}, ...children) {
    return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(element, attributes, children) {
    for (const [key, value] of Object.entries(attributes)) {
        if (typeof value === "function") element.addEventListener(key, value);
        else set(element, key, value);
    }
    element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
    return element;
}

/**
 * Sets an attribute if it changed; `false`, `null` and `undefined` remove it. `true` is an empty value, except of
 * ARIA's.
 */
export function set(element, key, value) {
    if (value === false || value === null || value === undefined) element.removeAttribute(key);
    else {
        const text = value === true && !key.startsWith("aria-") ? "" : String(value);
        if (element.getAttribute(key) !== text) element.setAttribute(key, text);
    }
}

/** Sets the text if it changed, so that nothing is laid out again without need. */
export function text(element, value) {
    if (element.textContent !== value) element.textContent = value;
}

/** Text that may be broken after `_`, and in the middle of an address. */
export function breakable(value) {
    return value.split(/(?<=_)|(?<=^(?:[0-9A-F]{2}:){3})/).flatMap(
        (part, index) => (index ? [document.createElement("wbr"), part] : [part]),
    );
}

/** Gives a parent exactly these children, in this order, and moves only those that are in another place. */
export function arrange(parent, children) {
    let next = parent.firstChild;
    for (const child of children) {
        if (child === next) next = next.nextSibling;
        else parent.insertBefore(child, next);
    }
    while (next) {
        const after = next.nextSibling;
        next.remove();
        next = after;
    }
}

/** `#id` of the document. */
export const byId = (id) => document.getElementById(id);
