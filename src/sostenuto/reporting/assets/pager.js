// A long list in pages: whatever its length, the document holds one page of it.

function pager({ label, size, list, render, empty }) {
  let total = 0;
  let first = 0;
  const range = el("span", { class: "quiet", role: "status" });
  const buttons = [
    ["First", () => 0], ["Back", () => first - size], ["Next", () => first + size], ["Last", () => Math.floor((total - 1) / size) * size],
  ].map(([name, to]) => el("button", { type: "button", "aria-label": `${name}: ${label}`, onclick: () => turn(to()) }, name));
  const bar = el("div", { class: "controls" }, ...buttons, range);
  const nothing = el("p", { class: "quiet" }, empty);

  function turn(to) {
    first = Math.max(0, Math.min(to, Math.max(0, total - 1)));
    first -= first % size;
    const last = Math.min(total, first + size);
    const rows = [];
    for (let at = first; at < last; at += 1) rows.push(render(at));
    list.replaceChildren(...rows);
    range.textContent = total > size ? `${num(first + 1)} to ${num(last)} of ${num(total)}` : "";
    const hadFocus = bar.contains(document.activeElement);
    buttons[0].disabled = buttons[1].disabled = first === 0;
    buttons[2].disabled = buttons[3].disabled = last >= total;
    if (hadFocus && document.activeElement === document.body) buttons.find((button) => !button.disabled)?.focus();
  }

  return {
    bar,
    nothing,
    show(count, at = 0) {
      total = count;
      bar.hidden = count <= size;
      nothing.hidden = count > 0;
      turn(at);
    },
  };
}

// A table in pages; `columns` are [heading, is it a number].
function pagedTable({ label, caption, columns, size, render, empty }) {
  const body = el("tbody");
  const heads = columns.map(([name, isNumber]) => el("th", { scope: "col", class: isNumber ? "" : "left" }, name));
  const table = el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, ...heads)), body);
  const pages = pager({ label, size, list: body, empty, render: (at) => row(columns, render(at)) });
  const wide = el("div", { class: "wide", tabindex: "0", role: "group", "aria-label": caption }, table);
  return {
    nodes: [wide, pages.nothing, pages.bar],
    show(count, at) {
      wide.hidden = count === 0;
      pages.show(count, at);
    },
  };
}

function row(columns, cells) {
  return el("tr", {}, ...cells.map((cell, at) => el("td", { class: columns[at][1] ? "" : "left" }, cell)));
}
