"use strict";
// What the data says. Texts are data: they reach the page through textContent alone.

const D = JSON.parse(document.getElementById("data").textContent);
const N = D.tokens.length;
const M = D.messages;

const number = new Intl.NumberFormat("en");
const num = (value) => number.format(value);
const tokens = (value) => `${num(value)} token${value === 1 ? "" : "s"}`;
const counted = (value, noun) => `${num(value)} ${noun}${value === 1 ? "" : "s"}`;
const short = (value) => (value >= 1e6 ? `${+(value / 1e6).toFixed(1)}M` : value >= 1e3 ? `${+(value / 1e3).toFixed(1)}k` : String(value));
const windowAt = (request) => (Array.isArray(D.window) ? D.window[request] : D.window);
const eventsAt = (request) => D.events[request] || [];
const markOf = (rung) => D.marks[rung];
const eventRequests = Object.keys(D.events).map(Number).sort((a, b) => a - b);

function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== undefined && child !== ""));
  return node;
}

function shape(tag, attributes, text) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

function expanded(ranges, into) {
  const found = into || [];
  for (let at = 0; at < ranges.length; at += 2) for (let step = 0; step < ranges[at + 1]; step += 1) found.push(ranges[at] + step);
  return found;
}

const isNudge = (message) => M.roles[M.role[message]] === "nudge";

// The messages of a request: its own behind the shared beginning, which the requests before it hold.
function sent(request) {
  const tails = [];
  let need = Infinity;
  for (let at = request; at >= 0 && need > 0; at -= 1) {
    const [shared, ranges] = D.requests[at];
    const own = expanded(ranges);
    if (need > shared) tails.push(own.slice(0, need - shared));
    need = Math.min(need, shared);
  }
  return tails.reverse().flat();
}

const epochs = D.epochs.map(([first, ranges]) => ({ first, messages: expanded(ranges) }));

// Everything that had arrived by then, as it came; the position in the list is the number in the key.
function arrived(request) {
  const epoch = epochs.findLast((one) => one.first <= request);
  return epoch.messages.slice(0, D.known[request]);
}

function keyOf(message) {
  return M.ordinal[message] < 0 ? "" : `m${M.ordinal[message]}`;
}

function firstWords(message) {
  for (const [kind, name, text] of D.bodies[M.body[message]]) {
    const said = (name ? `${name} ` : "") + text.slice(0, 200).replace(/\s+/g, " ").trim();
    if (said) return (kind === "call" ? "calls " : "") + (said.length > 110 ? `${said.slice(0, 110)}…` : said);
  }
  return "(empty)";
}

function readBack(key) {
  return `sostenuto recall ${D.recalled || `--keep ${D.keep}`} ${key}`;
}

// What an event freed, and what its request had to pay again for it.
const freed = (event) => Math.max(0, event[1] - event[2]);
const billedAgain = (request) => D.bills[2][request];

function told(request) {
  const names = [...new Set(eventsAt(request).map((event) => markOf(event[0])[1]))];
  return names.length ? names.join(", ") : "nothing was changed";
}
