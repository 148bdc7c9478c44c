// The page put together.

const BANDS = {
  tools: "tools and hidden parts", system: "system", user: "user", assistant: "assistant", results: "tool results", written: "checkpoint and nudges",
};
const BILLS = { cached: "read from cache", appended: "sent for the first time", rebilled: "billed again" };
const SMALL_STEP = { ArrowLeft: -1, ArrowRight: 1 };
const LARGE_STEP = { PageUp: -10, PageDown: 10 };

function swatches() {
  const values = D.bandNames.map(() => el("span", { class: "quiet" }));
  const billed = Object.keys(BILLS).map(() => el("span", { class: "quiet" }));
  const items = D.bandNames.map((name, at) => el("li", {}, el("span", { class: `swatch b-${name}` }), BANDS[name], values[at]));
  const bills = Object.keys(BILLS).map((name, at) => el("li", {}, el("span", { class: `swatch b-${name}` }), BILLS[name], billed[at]));
  const strokes = [["stroke", "window"], ["stroke dashed", "thresholds"], ["stroke dotted", "doing nothing"]];
  const lines = strokes.map(([style, words]) => el("li", {}, el("span", { class: style }), words));
  const rungs = D.order.filter((rung) => D.marks[rung]).map((rung) => el("li", {}, markIcon(rung), markOf(rung)[1]));
  const others = Object.keys(D.marks).filter((rung) => !D.order.includes(rung)).map((rung) => el("li", {}, markIcon(rung), rung));
  current.listeners.push((request) => {
    values.forEach((value, at) => { value.textContent = num(D.bands[at][request]); });
    billed.forEach((value, at) => { value.textContent = num(D.bills[at][request] ?? 0); });
  });
  return [
    el("ul", { class: "legend", "aria-label": "Bands of the chart, with the tokens of the chosen request" }, ...items),
    el("ul", { class: "legend", "aria-label": "Bars below, with the tokens of the chosen request" }, ...bills),
    el("ul", { class: "legend", "aria-label": "Lines and marks" }, ...lines, ...rungs, ...others),
  ];
}

function chartRoom(room) {
  const drawing = el("div", { id: "drawing" });
  const slider = el("input", { type: "range", id: "slider", min: 1, max: N, step: 1, value: 1, "aria-label": "Request", disabled: N === 1 });
  slider.addEventListener("input", () => select(Number(slider.value) - 1));
  const whole = el("input", { type: "checkbox", id: "whole" });
  whole.addEventListener("change", () => { chart.whole = whole.checked; drawChart(drawing); });
  const choice = el("div", { class: "controls" }, el("label", {}, whole, " Show doing nothing at its full height"));
  choice.hidden = most(D.untouched) <= Math.max(windowAt(N - 1) * 1.06, most(D.tokens));
  room.append(
    el("p", { class: "quiet small" }, "Above: the tokens of each request by what they are. Below: how they were billed. Tools and hidden parts are tool schemas, and what usage reports count beyond what the recording shows. Click a request, or use the left and right arrow keys."),
    drawing, el("p", { id: "hint", class: "quiet small", "aria-hidden": "true" }), slider, choice, ...swatches(),
  );
  chartTables(room);
  current.listeners.push((request) => {
    slider.value = request + 1;
    slider.setAttribute("aria-valuetext", sentence(request));
    choose(request);
  });
  document.getElementById("hint").style.minHeight = "1.5em";
  let width = 0;
  new ResizeObserver(() => {
    if (drawing.clientWidth === width) return;
    width = drawing.clientWidth;
    drawChart(drawing);
  }).observe(drawing);
}

function themeButton() {
  const button = document.getElementById("theme");
  const root = document.documentElement;
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  const name = () => { button.textContent = isDark() ? "Light colours" : "Dark colours"; };
  button.hidden = false;
  button.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; name(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name);
  name();
}

// Arrows move between requests wherever they have no other meaning.
function arrowKeys() {
  document.addEventListener("keydown", (event) => {
    const step = SMALL_STEP[event.key] ?? (event.shiftKey ? LARGE_STEP[event.key] : undefined);
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    if (event.target.closest("input, select, textarea, pre, .wide")) return;
    event.preventDefault();
    select(selected() + step);
  });
}

themeButton();
chartRoom(document.getElementById("chart-room"));
requestRoom(document.getElementById("request-room"));
searchRoom(document.getElementById("search-room"));
lossesRoom(document.getElementById("losses-room"));
arrowKeys();
select(eventRequests[0] ?? 0);
