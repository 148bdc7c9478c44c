// One request: what was done for it, what left since the one before, and what was sent.

const current = { request: 0, listeners: [] };
const selected = () => current.request;

function select(request) {
  const wanted = Math.max(0, Math.min(N - 1, Number.isFinite(request) ? Math.trunc(request) : 0));
  if (wanted === current.request && current.shown) return;
  current.request = wanted;
  current.shown = true;
  for (const listener of current.listeners) listener(wanted);
}

function sentence(request) {
  const window = windowAt(request);
  const share = window ? `, ${Math.round((100 * D.tokens[request]) / window)} % of the window` : "";
  return `Request ${num(request + 1)} of ${num(N)}: ${tokens(D.tokens[request])}${share}; ${told(request)}.`;
}

function requestControls() {
  const field = el("input", { type: "number", id: "request-number", min: 1, max: N, step: 1, value: 1, inputmode: "numeric" });
  field.addEventListener("change", () => { select(Number(field.value) - 1); field.value = selected() + 1; });
  const go = (name, words, to) => el("button", { type: "button", "aria-label": words, onclick: () => select(to()) }, name);
  const buttons = [
    go("First", "First request", () => 0),
    go("Back", "Request before", () => selected() - 1),
    go("Next", "Next request", () => selected() + 1),
    go("Last", "Last request", () => N - 1),
    go("Rung before", "Request before at which something was done", () => eventRequests[lower(selected()) - 1] ?? selected()),
    go("Next rung", "Next request at which something was done", () => eventRequests[lower(selected() + 1)] ?? selected()),
  ];
  current.listeners.push((request) => {
    field.value = request + 1;
    const stops = [request === 0, request === 0, request === N - 1, request === N - 1, lower(request) === 0, lower(request + 1) >= eventRequests.length];
    // aria-disabled and not disabled: the focus stays where it is when an end is reached
    buttons.forEach((button, at) => { button.setAttribute("aria-disabled", stops[at]); });
  });
  return el("div", { class: "controls" }, el("label", { for: "request-number" }, "Request"), field, el("span", {}, `of ${num(N)}`), ...buttons);
}

function requestRoom(room) {
  const status = el("p", { id: "selected", "aria-live": "polite", "aria-atomic": "true" });
  const done = el("div");
  const left = el("div");
  const said = el("div");
  const list = el("ol", { class: "list" });
  let shown = [];
  const pages = pager({ label: "messages", size: 100, list, empty: "Nothing was sent.", render: (at) => shown[at]() });
  const heading = el("h3");
  room.append(requestControls(), status, done, left, said, heading, el("p", { class: "quiet small" }, "In the order they were sent. Open a message to read it."), list, pages.nothing, pages.bar);
  current.listeners.push((request) => {
    status.textContent = sentence(request);
    done.replaceChildren(...doneAt(request));
    left.replaceChildren(...leftAt(request));
    said.replaceChildren(...noticesAt(request));
    shown = sentRows(request);
    heading.textContent = `What was sent: ${counted(sent(request).length, "message")}, ${tokens(D.tokens[request])} with the tools`;
    pages.show(shown.length, Math.max(0, shown.length - 1));
  });
}

function doneAt(request) {
  const events = eventsAt(request);
  if (!events.length) return [];
  const items = events.map(([rung, before, after, reason, keys, sizes]) => {
    const change = before === after ? tokens(after) : `${num(before)} to ${tokens(after)}, ${num(Math.max(0, before - after))} freed`;
    const item = el("li", {}, markIcon(rung), ` ${markOf(rung)[1]}: ${change}. Why: ${reason || "not said"}.`);
    if (keys.length) item.append(" Keys: ", ...keyLinks(keys, sizes));
    return item;
  });
  return [el("h3", {}, "What was done, and why"), el("ul", { class: "list" }, ...items), el("p", { class: "quiet small" }, `${tokens(billedAgain(request))} of this request were sent before and are billed again.`)];
}

const KEYS = 40;

function keyLinks(keys, sizes) {
  const found = keys.slice(0, KEYS).flatMap((key, at) => {
    const size = sizes[at] === null ? "" : ` (${tokens(sizes[at])})`;
    return [el("button", { type: "button", class: "link key", "aria-label": `Find ${key}`, onclick: () => find(key) }, key), `${size}, `];
  });
  const ending = keys.length > KEYS ? `and ${counted(keys.length - KEYS, "more key")}` : "";
  if (!ending) found[found.length - 1] = found[found.length - 1].slice(0, -2);
  return ending ? [...found, ending] : found;
}

// What the request before held and this one does not, and how each reads now.
function leftAt(request) {
  if (request === 0) return [];
  const now = sent(request);
  const here = new Set(now);
  const forms = new Map(now.filter((message) => M.ordinal[message] >= 0).map((message) => [M.ordinal[message], message]));
  const gone = sent(request - 1).filter((message) => !here.has(message) && !isNudge(message));
  if (!gone.length) return [el("p", { class: "quiet" }, "Nothing left since the request before.")];
  const total = gone.reduce((sum, message) => sum + M.tokens[message], 0);
  const list = el("ol", { class: "list" });
  const pages = pager({ label: "messages that left", size: 50, list, empty: "", render: (at) => leftRow(gone[at], forms) });
  pages.show(gone.length);
  const title = el("summary", {}, `Left or rewritten since the request before: ${counted(gone.length, "message")}, ${tokens(total)}`);
  return [el("details", { open: gone.length <= 20 }, title, list, pages.bar)];
}

function leftRow(message, forms) {
  const form = forms.get(M.ordinal[message]);
  const now = form === undefined ? (M.ordinal[message] < 0 ? "gone" : absence(M.ordinal[message])) : `now ${D.levels[M.level[form]]}, ${tokens(M.tokens[form])}`;
  return messageRow(message, now, "covered");
}

function noticesAt(request) {
  const notices = D.notices[request];
  if (!notices) return [];
  return [el("h3", {}, "Told to the person"), el("ul", {}, ...notices.map((notice) => el("li", {}, notice)))];
}

// The messages in order, and where originals are missing one line for all that are.
function sentRows(request) {
  const messages = sent(request);
  const all = arrived(request);
  const present = new Set(messages.map((message) => M.ordinal[message]).filter((ordinal) => ordinal >= 0));
  const rows = [];
  let next = 0;
  const flush = (upto) => {
    while (next < upto) {
      const from = next;
      while (next < upto && !present.has(next)) next += 1;
      const last = next - 1;
      if (last >= from) rows.push(() => missingRow(from, last, all));
      if (next < upto) next += 1;
    }
  };
  for (const message of messages) {
    const ordinal = M.ordinal[message];
    const role = M.roles[M.role[message]];
    if (ordinal >= 0) flush(ordinal);
    else if (role === "nudge") flush(all.length);
    else if (role === "checkpoint") flush(nextPresent(next, present, all.length)); // what it stands for is told before it
    next = Math.max(next, ordinal + 1);
    rows.push(() => messageRow(message, D.levels[M.level[message]], `l-${M.level[message]}`));
  }
  flush(all.length);
  return rows;
}

function nextPresent(from, present, end) {
  let at = from;
  while (at < end && !present.has(at)) at += 1;
  return at;
}

// Up to which message a checkpoint stands for the originals, at each request at which one was made.
function coveredUpTo(request) {
  const epoch = epochs.findLast((one) => one.first <= request);
  for (let at = lower(request + 1) - 1; at >= 0 && eventRequests[at] >= epoch.first; at -= 1) {
    const ends = eventsAt(eventRequests[at]).filter((event) => event[0] === "compact").flatMap((event) => event[4]).map((key) => Number(/(\d+)$/.exec(key)?.[1] ?? -1));
    if (ends.length) return Math.max(...ends);
  }
  return -1;
}

const absence = (ordinal, request = selected()) => (ordinal <= coveredUpTo(request) ? "covered" : "left out");

function missingRow(first, last, all) {
  const count = last - first + 1;
  const total = all.slice(first, last + 1).reduce((sum, message) => sum + M.tokens[message], 0);
  const key = first === last ? `m${first}` : `m${first}-m${last}`;
  const title = el("summary", {}, el("span", { class: "badge covered" }, absence(last)), ` ${counted(count, "original")}, ${tokens(total)}, key `, el("span", { class: "key" }, key));
  const details = el("details", {}, title);
  details.addEventListener("toggle", () => {
    if (!details.open || details.childElementCount > 1) return;
    const list = el("ol", { class: "list" });
    const pages = pager({ label: "originals", size: 50, list, empty: "", render: (at) => messageRow(all[first + at], absence(last), "covered") });
    pages.show(count);
    details.append(el("p", { class: "quiet small" }, "Read back with: ", el("code", {}, readBack(key))), list, pages.bar);
  });
  return el("li", {}, details);
}

function messageRow(message, level, style) {
  const role = M.roles[M.role[message]];
  const key = keyOf(message);
  const title = el(
    "summary", {}, el("span", { class: `who w-${role}` }, role), " ", key ? el("span", { class: "key" }, `${key} `) : "", `${tokens(M.tokens[message])} `,
    el("span", { class: `badge ${style}` }, level), " ", el("bdi", { class: "glimpse" }, firstWords(message)),
  );
  const details = el("details", {}, title);
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(...bodyOf(message));
  });
  return el("li", {}, details);
}

function bodyOf(message) {
  const key = keyOf(message);
  const whole = key ? `; read it all with: ${readBack(key)}` : "";
  return D.bodies[M.body[message]].flatMap(([kind, name, head, missing, tail]) => {
    const title = kind === "text" ? [] : [el("p", { class: "quiet small" }, name ? `${kind}: ${name}` : kind)];
    const block = (text) => el("pre", { tabindex: "0", dir: "auto" }, text);
    if (missing === undefined) return [...title, block(head)];
    return [...title, block(head), el("p", { class: "gap small" }, `${counted(missing, "character")} are not in this file${whole}`), block(tail)];
  });
}
