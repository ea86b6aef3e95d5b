// The responses of one row or cell, a page at a time.

const ORDERS = ["by prompt", "lowest first", "highest first"];

function responseList(study, view, cells, chosen) {
  const row = cells.rows.find((one) => one.name === chosen.get("row"));
  if (!row) return [];
  const other = chosen.get("other");
  const found = row.cells.filter((one) => other === null || one.other === other).flatMap((one) => one.rows);
  const order = firstOf(ORDERS, chosen.get("order"));
  const inOrder = sorted(found, cells.read, order);
  const first = Math.min(Math.max(Number(chosen.get("first")) || 0, 0), Math.max(inOrder.length - 1, 0));
  const shown = inOrder.slice(first, first + RESPONSES_SHOWN);
  const list = element("div", { id: "responses" }, element("p", {}, "Reading the texts \u2026"));
  study.texts().then((texts) => list.replaceChildren(responseTable(study, view, shown, cells.read, texts)));
  return [
    element(
      "h3",
      { id: "responses-heading" },
      `Responses: ${[row.name, other].filter((name) => name).join(", ")}`,
    ),
    element("form", { class: "filters" }, pager(first, inOrder.length), orderFilter(order), closeButton()),
    list,
  ];
}

function sorted(rows, read, order) {
  const sign = { "by prompt": 0, "lowest first": 1, "highest first": -1 }[order];
  const key = (i) => (Number.isNaN(read(i)) ? Infinity : sign * read(i));
  return sign === 0
    ? rows.sort((a, b) => a - b)
    : rows.sort((a, b) => (key(a) === key(b) ? a - b : key(a) - key(b)));
}

function pager(first, n) {
  const to = (start) => () => choose({ first: start });
  const button = (id, name, start, isOff) =>
    element("button", { type: "button", id, disabled: isOff, onclick: to(start) }, name);
  const last = Math.min(first + RESPONSES_SHOWN, n);
  return element(
    "span",
    {},
    button("earlier", "earlier", Math.max(first - RESPONSES_SHOWN, 0), first === 0),
    ` ${n ? first + 1 : 0} to ${last} of ${n.toLocaleString("en")} `,
    button("later", "later", first + RESPONSES_SHOWN, last >= n),
  );
}

function orderFilter(order) {
  const list = ORDERS.map((name) => element("option", { value: name, selected: name === order }, name));
  const onchange = (event) => choose({ order: event.target.value, first: null });
  return element(
    "label",
    { class: "filter" },
    element("span", {}, "order"),
    element("select", { id: "choose-order", onchange }, list),
  );
}

const closeButton = () =>
  element(
    "button",
    { type: "button", id: "close", onclick: () => choose({ row: null, other: null, first: null }) },
    "close",
  );

function responseTable({ responses }, view, rows, read, texts) {
  const { codes, levels } = responses.columns.prompt_id;
  const lines = rows.map((i) => {
    const prompt = codes[i] - 1;
    const outcome = cell(responses, "outcome", i);
    const value = read(i);
    const said = outcome === null ? texts.baseline(prompt) : texts.response(i);
    return tableRow(
      element(
        "span",
        {},
        cell(responses, "system_id", i),
        element("br"),
        element("span", { class: "soft small" }, levels[codes[i]]),
      ),
      [
        element("td", {}, texts.prompt(prompt) ?? ""),
        element(
          "td",
          {},
          element("blockquote", {}, said ?? "(no text)"),
          element(
            "span",
            { class: "soft small" },
            { null: "the prompt\u2019s own baseline text", ok: "" }[outcome] ?? outcome,
          ),
        ),
        Number.isNaN(value)
          ? element("td", { class: "reason" }, words(cell(view, "reason", i)) || "no value")
          : numberCell(value),
      ],
    );
  });
  return table(
    ["system, prompt", "prompt", "response", [view.label === null ? words(view.measure) : "share"]],
    lines,
    { class: "responses" },
  );
}
