// The filters above a page: lists of one choice, lists of several, and what they leave of a table.

function selectOne(name, label, options, value) {
  const list = options.map((option) =>
    element("option", { value: option, selected: option === value }, words(option)),
  );
  const onchange = (event) => choose({ [name]: event.target.value, row: null, other: null });
  return element(
    "label",
    { class: "filter" },
    element("span", {}, label),
    element("select", { id: `choose-${name}`, onchange }, list),
  );
}

function selectSeveral(name, label, options, chosen) {
  const taken = chosen.getAll(name).filter((value) => options.includes(value));
  const said = taken.length ? `${taken.length} of ${options.length}` : `all ${options.length}`;
  const boxes = options.map((option) => {
    const onchange = (event) =>
      choose({
        [name]: event.target.checked ? [...taken, option] : taken.filter((value) => value !== option),
        row: null,
        other: null,
      });
    const box = element("input", {
      type: "checkbox",
      id: `choose-${name}-${options.indexOf(option)}`,
      checked: taken.includes(option),
      onchange,
    });
    return element("label", {}, box, ` ${words(option) || "(none)"}`);
  });
  const none = element(
    "button",
    { type: "button", id: `clear-${name}`, onclick: () => choose({ [name]: [], row: null, other: null }) },
    "all",
  );
  const summary = element("summary", { id: `open-${name}` }, element("span", {}, label), ` ${said}`);
  return element(
    "details",
    { class: "filter", id: `several-${name}` },
    summary,
    element("div", { class: "boxes" }, none, boxes),
  );
}

// what is left of a list after a choice of several: nothing chosen leaves all
const isTaken = (chosen, name, value) => !chosen.has(name) || chosen.getAll(name).includes(value);

// one list after another offers what the earlier choices leave of a table; rows: those left in the end
function cascade(source, names, chosen) {
  let rows = null;
  const steps = names.map((name) => {
    const { codes, levels } = source.columns[name];
    const present = new Uint8Array(levels.length);
    if (rows === null) for (let i = 0; i < source.nRows; i++) present[codes[i]] = 1;
    else for (const i of rows) present[codes[i]] = 1;
    const options = levels.filter((level, code) => present[code]);
    const value = options.includes(chosen.get(name)) ? chosen.get(name) : options[0];
    rows = rowsWith(source, name, value, rows);
    return { name, options, value };
  });
  return {
    steps,
    rows: rows ?? [],
    values: Object.fromEntries(steps.map(({ name, value }) => [name, value])),
  };
}

function bySystem({ columns }, rows) {
  const { codes } = columns.system_id;
  return rows.sort((a, b) => codes[a] - codes[b]);
}

function rowsWith(source, name, value, rows = null) {
  const { codes, levels } = source.columns[name];
  const code = levels.indexOf(value);
  if (rows !== null) return rows.filter((i) => codes[i] === code);
  const found = [];
  for (let i = 0; i < source.nRows; i++) if (codes[i] === code) found.push(i);
  return found;
}

const LABELS = {
  slice_id: "slice",
  grouping_id: "grouping",
  measure_id: "measure",
  calibration: "calibration",
  statistic: "statistic",
  system_id: "system",
};

const cascadeFilters = (steps) =>
  steps.map(({ name, options, value }) => selectOne(name, LABELS[name] ?? words(name), options, value));

// generations by name and by what tells them apart: role, model, template and the like
function systemFilters(design, chosen) {
  const filters = [
    selectSeveral(
      "system_id",
      "system",
      design.systems.map((row) => row.system_id),
      chosen,
    ),
  ];
  for (const name of differing(design)) {
    const options = [...new Set(design.systems.map((row) => row[name] ?? ""))].sort();
    filters.push(selectSeveral(name, name, options, chosen));
  }
  return filters;
}

// a filter that leaves all or one of them is none beside the list of generations
function differing(design) {
  const asked = design.systems.filter((row) => !row.is_baseline);
  const count = (name) => new Set(asked.map((row) => row[name] ?? "")).size;
  return design.system_filters.filter((name) => count(name) > 1 && count(name) < asked.length);
}

function isShown(design, chosen, system_id) {
  const row = design.systems.find((one) => one.system_id === system_id);
  if (!isTaken(chosen, "system_id", system_id)) return false;
  return differing(design).every((name) => isTaken(chosen, name, row?.[name] ?? ""));
}

// where all are simulated the note above says so once
function simulatedTag({ systems }, system_id) {
  if (systems.every((row) => row.is_simulated || row.is_baseline)) return null;
  return systems.find((row) => row.system_id === system_id)?.is_simulated
    ? element("span", { class: "tag" }, "simulated")
    : null;
}
