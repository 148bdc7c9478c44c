// The chart: bands of tokens over requests, lines, marks of the rungs, and below it what was billed. Drawn anew when the width changes.

const chart = { svg: null, x: null, columns: [], chosen: null, hover: null, high: 0, whole: false };
const LINES = [["clear", "clear"], ["warn", "warn"], ["compact", "summarise"], ["critical", "tight"], ["trim", "trim"]];
const LEFT = 46;
const MARK = 16;

// For each column the requests it stands for, and the largest of them.
function columnsFor(room) {
  const count = Math.min(N, Math.max(1, Math.floor(room)));
  const found = [];
  for (let column = 0; column < count; column += 1) {
    const first = Math.floor((column * N) / count);
    const last = Math.max(first + 1, Math.floor(((column + 1) * N) / count));
    let largest = first;
    for (let at = first + 1; at < last; at += 1) if (D.tokens[at] > D.tokens[largest]) largest = at;
    found.push({ first, last, largest });
  }
  return found;
}

const most = (values) => values.reduce((high, value) => (value > high ? value : high), 0);

function drawChart(room) {
  const width = Math.max(280, room.clientWidth);
  const high = width < 520 ? 200 : 280;
  const low = width < 520 ? 70 : 90;
  const plot = width - LEFT - 4;
  const columns = columnsFor(plot);
  const step = plot / columns.length;
  const x = (column) => LEFT + column * step;
  const base = high + 12;
  const billTop = base + 34;
  const bottom = billTop + low;
  const limit = Array.isArray(D.window) ? most(D.window) : D.window;
  const untouched = most(D.untouched);
  const largest = most(D.tokens);
  // a window far above all requests would press them flat
  const top = Math.max(1, largest, limit <= 4 * largest ? limit * 1.06 : largest * 1.1, chart.whole ? untouched * 1.03 : 0);
  const y = (value) => base - (Math.min(value, top) / top) * high;
  const svg = shape("svg", { viewBox: `0 0 ${width} ${bottom + 22}`, height: bottom + 22, role: "img", "aria-labelledby": "chart-title chart-desc" });
  svg.append(shape("title", { id: "chart-title" }, "Tokens of each request, by what they are, against the window"));
  svg.append(shape("desc", { id: "chart-desc" }, described(largest, untouched)));
  svg.append(...scale(y, top, width), ...bands(columns, x, y), ...limits(y, top, width, limit), untouchedLine(columns, x, y), ...beyond(untouched, top));
  svg.append(...marks(columns, x, step, base + 17), ...bills(columns, x, billTop, low, width));
  svg.append(shape("text", { x: LEFT, y: bottom + 16 }, "request 1"));
  if (N > 1) svg.append(shape("text", { x: width - 4, y: bottom + 16, "text-anchor": "end" }, `request ${num(N)}`));
  chart.hover = shape("rect", { class: "hover", y: 4, height: bottom - 4, width: 0 });
  chart.chosen = shape("rect", { class: "chosen", y: 4, height: bottom - 4 });
  svg.append(chart.hover, chart.chosen);
  Object.assign(chart, { svg, columns, x, step });
  svg.addEventListener("click", (event) => select(requestAt(event)));
  svg.addEventListener("pointermove", (event) => hint(requestAt(event)));
  svg.addEventListener("pointerleave", () => hint(-1));
  room.replaceChildren(svg);
  choose(selected());
}

function described(largest, untouched) {
  const fired = eventRequests.length;
  return `${counted(N, "request")}. The largest has ${tokens(largest)}; doing nothing, the largest would have ${tokens(untouched)}. `
    + `The window is ${tokens(windowAt(N - 1))}. ${counted(fired, "request")} had something done to them. The table below has every number.`;
}

function scale(y, top, width) {
  const found = [shape("path", { class: "axis", d: `M${LEFT - 0.5} ${y(top)}V${y(0)}H${width - 4}` })];
  const rough = top / 4;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const by = Math.max(1, [1, 2, 5, 10].map((factor) => factor * unit).find((value) => value >= rough));
  for (let value = 0; value <= top; value += by) {
    found.push(shape("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, short(value)));
    found.push(shape("path", { class: "axis", d: `M${LEFT - 4} ${y(value)}h4` }));
  }
  return found;
}

// One stepped area for each band, the next on top of it.
function bands(columns, x, y) {
  const under = columns.map(() => 0);
  return D.bandNames.map((name, band) => {
    const over = columns.map((column, at) => under[at] + D.bands[band][column.largest]);
    const path = stepped(columns, x, y, over, under);
    over.forEach((value, at) => { under[at] = value; });
    return shape("path", { class: `b-${name}`, d: path });
  });
}

function stepped(columns, x, y, over, under) {
  const pen = (value) => value.toFixed(1);
  let path = `M${pen(x(0))} ${pen(y(over[0]))}`;
  for (let at = 0; at < columns.length; at += 1) path += `V${pen(y(over[at]))}H${pen(x(at + 1))}`;
  for (let at = columns.length - 1; at >= 0; at -= 1) path += `V${pen(y(under[at]))}H${pen(x(at))}`;
  return `${path}Z`;
}

function limits(y, top, width, limit) {
  const named = [...LINES.map(([line, words]) => [D.lines[line], words]), [limit, "window"]].filter(([value]) => value <= top);
  named.sort((one, other) => other[0] - one[0]);
  const found = [];
  let inner = false;
  for (const [value, words] of named) {
    const isWindow = words === "window";
    found.push(shape("path", { class: isWindow ? "window" : "threshold", d: `M${LEFT} ${y(value)}H${width - 4}` }));
    // in two columns, so that lines that lie close do not write over each other
    found.push(shape("text", { class: "halo", x: width - 8 - (inner ? 104 : 0), y: y(value) + 4, "text-anchor": "end" }, `${words} ${short(value)}`));
    inner = !inner;
  }
  return found;
}

function untouchedLine(columns, x, y) {
  let path = `M${x(0).toFixed(1)} ${y(D.untouched[columns[0].largest] || 0).toFixed(1)}`;
  columns.forEach((column, at) => { path += `V${y(D.untouched[column.largest] || 0).toFixed(1)}H${x(at + 1).toFixed(1)}`; });
  return shape("path", { class: "untouched", d: path });
}

// Where the line of doing nothing leaves the chart, how far it goes.
function beyond(untouched, top) {
  if (untouched <= top) return [];
  return [shape("text", { class: "halo", x: LEFT + 6, y: 9 }, `doing nothing: up to ${short(untouched)}`)];
}

const OUTLINES = {
  circle: "M0-8A8 8 0 1 1 0 8A8 8 0 1 1 0-8Z", square: "M-8-8H8V8H-8Z", diamond: "M0-9.5L9.5 0L0 9.5L-9.5 0Z",
  down: "M-9-8H9L0 10Z", up: "M-9 8H9L0-10Z", cross: "M-4-8H4V-4H8V4H4V8H-4V4H-8V-4H-4Z",
};
const SINKS = { down: 2, up: 7 };

function outline(rung) {
  const [letter, , form, colour] = markOf(rung);
  const group = shape("g");
  group.append(shape("path", { class: `m-${colour}`, d: OUTLINES[form] }));
  group.append(shape("text", { class: "letter", x: 0, y: SINKS[form] || 4 }, letter));
  return group;
}

function markIcon(rung) {
  const icon = shape("svg", { class: "mark", viewBox: "-11 -11 22 22", "aria-hidden": "true" });
  icon.append(outline(rung));
  return icon;
}

// The most drastic rung of each place that is wide enough for a mark.
function marks(columns, x, step, y) {
  const slots = new Map();
  const place = (column) => Math.floor((x(column) - LEFT) / Math.max(MARK, step));
  const found = new Map();
  columns.forEach((column, at) => {
    for (let index = lower(column.first); index < eventRequests.length && eventRequests[index] < column.last; index += 1) {
      const request = eventRequests[index];
      for (const event of eventsAt(request)) {
        const slot = place(at);
        const rank = D.order.indexOf(event[0]);
        if (!slots.has(slot) || rank > slots.get(slot)) {
          slots.set(slot, rank);
          found.set(slot, { request, rung: event[0], at });
        }
      }
    }
  });
  return [...found.values()].map(({ request, rung, at }) => {
    const group = outline(rung);
    group.setAttribute("transform", `translate(${(x(at) + step / 2).toFixed(1)} ${y})`);
    group.addEventListener("click", (event) => { event.stopPropagation(); select(request); });
    group.append(shape("title", {}, `request ${num(request + 1)}: ${told(request)}; ${tokens(eventsAt(request).reduce((sum, one) => sum + freed(one), 0))} freed, ${tokens(billedAgain(request))} billed again`));
    return group;
  });
}

function lower(request) {
  let low = 0;
  let high = eventRequests.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (eventRequests[middle] < request) low = middle + 1;
    else high = middle;
  }
  return low;
}

function bills(columns, x, top, high, width) {
  const [cached, appended, rebilled] = D.bills;
  if (!cached.length) return [];
  const total = (column) => cached[column.largest] + appended[column.largest] + rebilled[column.largest];
  const limit = Math.max(1, most(columns.map(total)));
  const y = (value) => top + high - (value / limit) * high;
  const under = columns.map(() => 0);
  const found = [["cached", cached], ["appended", appended], ["rebilled", rebilled]].map(([name, values]) => {
    const over = columns.map((column, at) => under[at] + values[column.largest]);
    const path = stepped(columns, x, y, over, under);
    over.forEach((value, at) => { under[at] = value; });
    return shape("path", { class: `b-${name}`, d: path });
  });
  found.push(shape("path", { class: "axis", d: `M${LEFT - 0.5} ${top}V${top + high}H${width - 4}` }));
  found.push(shape("text", { x: LEFT - 6, y: top + 9, "text-anchor": "end" }, short(limit)), shape("text", { x: LEFT - 6, y: top + high, "text-anchor": "end" }, "0"));
  return found;
}

function requestAt(event) {
  const box = chart.svg.getBoundingClientRect();
  const inside = ((event.clientX - box.left) / box.width) * chart.svg.viewBox.baseVal.width - LEFT;
  const column = Math.max(0, Math.min(chart.columns.length - 1, Math.floor(inside / chart.step)));
  return chart.columns[column].largest;
}

function columnOf(request) {
  return Math.min(chart.columns.length - 1, Math.floor((request * chart.columns.length) / N) + (onTheEdge(request) ? 1 : 0));
}

function onTheEdge(request) {
  const column = chart.columns[Math.floor((request * chart.columns.length) / N)];
  return column !== undefined && request >= column.last;
}

function framed(rect, request) {
  const wide = Math.max(4, chart.step);
  rect.setAttribute("x", (chart.x(columnOf(request)) + (chart.step - wide) / 2).toFixed(1));
  rect.setAttribute("width", wide.toFixed(1));
}

function choose(request) {
  if (chart.svg) framed(chart.chosen, request);
}

function hint(request) {
  if (request < 0) chart.hover.setAttribute("width", 0);
  else framed(chart.hover, request);
  document.getElementById("hint").textContent = request < 0 ? "" : `request ${num(request + 1)}: ${tokens(D.tokens[request])}; ${told(request)}`;
}
