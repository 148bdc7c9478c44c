// Search over texts and keys, the table of everything that left view, and the chart as tables.

const SEARCHED = 500;
let find = () => {};

// The first request that held a message, for all messages at once.
function firstHeld() {
  const found = new Int32Array(M.role.length).fill(-1);
  for (let request = 0; request < N; request += 1) {
    const [, ranges] = D.requests[request];
    for (let at = 0; at < ranges.length; at += 2) {
      for (let message = ranges[at]; message < ranges[at] + ranges[at + 1]; message += 1) if (found[message] < 0) found[message] = request;
    }
  }
  return found;
}

function matching(query) {
  const key = /^m(\d+)(?:\.\d+)?(?:-m(\d+))?(?:~\d+)?$/.exec(query);
  const wanted = query.toLowerCase();
  const bodies = D.bodies.map((pieces) => pieces.some((piece) => piece.some((text) => typeof text === "string" && text.toLowerCase().includes(wanted))));
  const found = [];
  for (let message = 0; message < M.role.length && found.length < SEARCHED; message += 1) {
    const ordinal = M.ordinal[message];
    const byKey = key && ordinal >= 0 && ordinal >= Number(key[1]) && ordinal <= Number(key[2] ?? key[1]);
    if (key ? byKey : bodies[M.body[message]]) found.push(message);
  }
  return found;
}

function searchRoom(room) {
  const held = firstHeld();
  const field = el("input", { type: "search", id: "query", autocomplete: "off", spellcheck: "false" });
  const status = el("p", { role: "status", class: "quiet" });
  const list = el("ol", { class: "list" });
  let found = [];
  const pages = pager({ label: "finds", size: 25, list, empty: "", render: (at) => foundRow(found[at], held) });
  pages.show(0);
  const form = el("form", { role: "search", class: "controls" }, el("label", { for: "query" }, "Words or a key"), field, el("button", { type: "submit" }, "Search"));
  const run = () => {
    const query = field.value.trim();
    found = query ? matching(query) : [];
    const many = found.length >= SEARCHED ? `the first ${num(SEARCHED)} messages` : counted(found.length, "message");
    status.textContent = query ? `${many} found for “${query}”. What a long text has no room for here is not searched.` : "";
    pages.show(found.length);
  };
  form.addEventListener("submit", (event) => { event.preventDefault(); run(); });
  find = (key) => {
    field.value = key;
    run();
    document.getElementById("search").scrollIntoView();
    field.focus({ preventScroll: true });
  };
  room.append(form, status, list, pages.nothing, pages.bar);
}

function foundRow(message, held) {
  const item = messageRow(message, D.levels[M.level[message]], `l-${M.level[message]}`);
  const request = held[message];
  if (request < 0) item.append(el("span", { class: "quiet small" }, "never sent in this form"));
  else item.append(goTo(request, `first sent in request ${num(request + 1)}`));
  return item;
}

function goTo(request, words) {
  return el("button", { type: "button", class: "link", onclick: () => { select(request); document.getElementById("request").scrollIntoView(); focusRequest(); } }, words);
}

function focusRequest() {
  document.getElementById("request-number").focus({ preventScroll: true });
}

function lossesRoom(room) {
  const rungs = [...new Set(eventRequests.flatMap((request) => eventsAt(request).filter((event) => event[4].length).map((event) => event[0])))];
  if (!rungs.length) return;
  const choice = el("select", { id: "rung" }, el("option", { value: "" }, "all rungs"), ...rungs.map((rung) => el("option", { value: rung }, markOf(rung)[1])));
  let losses = [];
  const table = pagedTable({
    label: "what left view", caption: "Everything that some request no longer held as it was", size: 25, empty: "Nothing left view.",
    columns: [["Request", true], ["Rung", false], ["Key", false], ["Tokens of the original", true], ["How to read it back", false]],
    render: (at) => lossCells(losses[at]),
  });
  const show = () => {
    losses = eventRequests.flatMap((request) => eventsAt(request).filter((event) => !choice.value || event[0] === choice.value)
      .flatMap((event) => event[4].map((key, at) => [request, event[0], key, event[5][at]])));
    table.show(losses.length);
  };
  choice.addEventListener("change", show);
  room.append(el("div", { class: "controls" }, el("label", { for: "rung" }, "Show"), choice), ...table.nodes);
  show();
}

function lossCells([request, rung, key, size]) {
  const named = el("span", {}, markIcon(rung), ` ${markOf(rung)[1]}`);
  const link = el("button", { type: "button", class: "link key", "aria-label": `Find ${key}`, onclick: () => find(key) }, key);
  return [goTo(request, num(request + 1)), named, link, size === null ? "not counted" : num(size), el("code", {}, readBack(key))];
}

// The table of the rungs, and the chart in numbers for who does not see it.
function chartTables(room) {
  const done = eventRequests.flatMap((request) => eventsAt(request).map((event) => [request, event]));
  const rungs = pagedTable({
    label: "rungs", caption: "What was done: what it freed, and what its request had to pay again", size: 10, empty: "Nothing was rewritten.",
    columns: [["Request", true], ["Rung", false], ["Before", true], ["After", true], ["Freed", true], ["Billed again", true]],
    render: (at) => {
      const [request, event] = done[at];
      const named = el("span", {}, markIcon(event[0]), ` ${markOf(event[0])[1]}`);
      return [goTo(request, num(request + 1)), named, num(event[1]), num(event[2]), num(freed(event)), num(billedAgain(request))];
    },
  });
  rungs.show(done.length);
  const heads = ["Request", ...D.bandNames.map((name) => BANDS[name]), "All", "Doing nothing", "From cache", "First sent", "Billed again"];
  const numbers = pagedTable({
    label: "requests", caption: "Tokens of each request", size: 25, empty: "", columns: heads.map((name) => [name, true]),
    render: (at) => [goTo(at, num(at + 1)), ...[...D.bands, D.tokens, D.untouched, ...D.bills].map((values) => num(values[at] ?? 0))],
  });
  numbers.show(N);
  room.append(...rungs.nodes, el("details", {}, el("summary", {}, "The chart as a table"), ...numbers.nodes));
}
