// The page of disparities: largest, mean and smallest group, then every other number beside its noise floor.

const EXTREMES = ["max", "mean", "min"];

function drawDisparity(study, chosen) {
  const { disparities, design } = study;
  if (!disparities.nRows) return [element("p", {}, "The study has no disparities.")];
  const { steps, rows, values } = cascade(disparities, KEYS, chosen);
  const shown = bySystem(
    disparities,
    rows.filter((i) => isShown(design, chosen, cell(disparities, "system_id", i))),
  );
  // levels travel in the order of the report
  const present = new Set(shown.map((i) => cell(disparities, "metric", i)));
  const metrics = disparities.columns.metric.levels.filter((name) => present.has(name) && !EXTREMES.includes(name));
  return [
    element("form", { class: "filters" }, cascadeFilters(steps), systemFilters(design, chosen)),
    leftOut(disparities.nRows, design.n_disparities, "disparities"),
    element(
      "h3",
      {},
      `${words(values.measure_id)}, ${values.calibration}: max, mean and min of the ${values.statistic} by ${values.grouping_id}`,
    ),
    ...extremes(study, values, chosen),
    element(
      "div",
      { class: "metrics" },
      metrics.map((name) =>
        metricPanel(
          study,
          name,
          shown.filter((i) => cell(disparities, "metric", i) === name),
        ),
      ),
    ),
  ];
}

// one number of a grouping by generation; the floor is how far chance alone gets
function metricPanel({ disparities, design }, name, rows) {
  const isFromAbove = design.small_is_unequal.includes(name);
  const range = extent([
    0,
    isFromAbove ? 1 : 0,
    ...rows.flatMap((i) => [cell(disparities, "value", i), cell(disparities, "null_q95", i)]),
  ]);
  const lines = rows.map((i) => metricLine({ disparities, design }, i, range, isFromAbove));
  const options = [...new Set(rows.map((i) => cell(disparities, "options", i)))].filter((option) => option);
  const said =
    options.length === 1 ? element("p", { class: "small soft" }, options[0].replaceAll(";", "; ")) : null;
  const headings = [
    "system",
    `from ${number(range[0])} to ${number(range[1])}`,
    ["value"],
    ["noise floor"],
    ["q"],
    "verdict",
  ];
  return element(
    "div",
    { class: "metric-panel" },
    element("h4", {}, words(name)),
    said,
    table(headings, lines),
  );
}

function metricLine({ disparities, design }, i, range, isFromAbove) {
  const get = (name) => cell(disparities, name, i);
  const [value, floor, system] = [get("value"), get("null_q95"), get("system_id")];
  const floorText =
    floor === null
      ? words(get("inference_reason")) || NOTHING
      : `${isFromAbove ? "\u2265" : "\u2264"} ${number(floor)}`;
  return tableRow(element("span", {}, system, " ", simulatedTag(design, system)), [
    element("td", { class: "track-cell" }, metricTrack(value, floor, range, isFromAbove, get("is_beyond"))),
    value === null
      ? element("td", { class: "n reason" }, words(get("reason")) || "no value")
      : numberCell(value, metricTitle(get)),
    element("td", { class: "n" }, floorText),
    element("td", { class: "n" }, probability(get("q_value"))),
    element("td", { class: "small" }, value === null ? "" : verdictBadge(get("verdict"))),
  ]);
}

function metricTitle(get) {
  const groups = get("group_low") !== null ? `${get("group_low")} to ${get("group_high")}` : "";
  return [groups, (get("options") ?? "").replaceAll(";", "; ")].filter((part) => part).join("; ") || null;
}

function metricTrack(value, floor, range, isFromAbove, isBeyond) {
  const track = element("div", { class: "track", "aria-hidden": "true" });
  const across = (name, from, to) => {
    const [left, right] = [place(Math.min(from, to), range), place(Math.max(from, to), range)];
    return element("i", { class: name, css: { left: perCent(left), width: perCent(right - left) } });
  };
  if (floor !== null) track.append(across("floor", floor, isFromAbove ? 1 : 0));
  if (value !== null) track.append(across(isBeyond ? "span beyond" : "span", isFromAbove ? 1 : 0, value));
  return track;
}

function verdictBadge(verdict) {
  if (verdict === null) return "";
  const isQuiet = ["inconclusive", "not_tested"].includes(verdict);
  return element("span", { class: isQuiet ? "soft" : `badge ${verdict}` }, VERDICTS[verdict]);
}
