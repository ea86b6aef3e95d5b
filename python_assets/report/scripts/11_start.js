// What is drawn when: one page at a time, from the address; the report itself stands in the page already.

const DRAW = { measurements: drawMeasurements, statistics: drawStatistics, disparity: drawDisparity };

async function loadStudy() {
  const tables = await unpack("packed-tables");
  const { design, ...packed } = tables.header;
  const unpacked = Object.entries(packed).map(([name, table]) => [name, unpackTable(tables, table)]);
  return { design, unpacked: new Map(), ...Object.fromEntries(unpacked) };
}

async function loadResponses(study) {
  const packed = await unpack("packed-responses");
  const { responses, prompts, factors, measures, n_root_prompts: nRootPrompts } = packed.header;
  Object.assign(study, {
    packedResponses: packed,
    measures,
    nRootPrompts,
    responses: unpackTable(packed, responses),
    prompts: unpackTable(packed, prompts),
    factors: unpackTable(packed, factors),
  });
  study.texts = once(() => loadTexts(study));
}

async function loadTexts({ responses, prompts }) {
  const packed = await unpack("packed-texts");
  const { codes, levels } = unpackColumn(packed.arrays, packed.header.texts);
  return {
    response: (i) => levels[codes[i]],
    prompt: (i) => levels[codes[responses.nRows + i]],
    baseline: (i) => levels[codes[responses.nRows + prompts.nRows + i]],
  };
}

function once(load) {
  let loading = null;
  return () => (loading ??= load());
}

const study = once(loadStudy);
const withResponses = once(async () => loadResponses(await study()));

async function draw() {
  const { page, chosen } = readState();
  showPage(DRAW[page] ? page : "");
  if (DRAW[page]) await drawPage(page, chosen);
  else reveal(await placeOf(page));
  document.documentElement.dataset.drawn = location.hash;
}

const otherFigures = document.getElementById("other-figures");

// part of the page like what stands in it: Plumbline wrote it, with everything escaped that a study holds
const withFigures = once(async () => {
  const parsed = new DOMParser().parseFromString(await unzipped("packed-figures").text(), "text/html");
  otherFigures.querySelector(".content").replaceChildren(...parsed.body.childNodes);
  addButtons(otherFigures);
});

async function placeOf(name) {
  if (name.startsWith("figure-") && otherFigures && !document.getElementById(name)) await withFigures();
  return document.getElementById(name);
}

// it was hidden when the browser looked for it, and may stand in what is folded
function reveal(place) {
  for (let fold = place?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  place?.scrollIntoView();
}

async function drawPage(page, chosen) {
  const loaded = await study();
  if (page === "measurements") await withResponses();
  keepPlace(() =>
    document
      .querySelector(`#${page} .content`)
      .replaceChildren(...DRAW[page](loaded, chosen).filter((part) => part !== null)),
  );
}

// a redrawn page keeps its open lists and the control that was used
function keepPlace(redraw) {
  const focused = document.activeElement?.id;
  const open = [...document.querySelectorAll("section.dashboard details[open]")].map((list) => list.id);
  redraw();
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

function showPage(page) {
  document.getElementById("report").hidden = page !== "";
  for (const section of document.querySelectorAll("section.dashboard")) section.hidden = section.id !== page;
  for (const link of document.querySelectorAll("nav.pages a")) {
    if (link.dataset.page === page) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    link.hash = `#${link.dataset.page || "report"}?${readState().chosen}`; // what is chosen goes along
  }
}

function tell(error) {
  const { page } = readState();
  const text =
    typeof DecompressionStream === "undefined"
      ? "This page needs a browser of 2023 or later."
      : `This page cannot be drawn: ${error.message}`;
  const place = DRAW[page] ? document.getElementById(page) : otherFigures;
  place?.querySelector(".content").replaceChildren(element("p", { class: "reason" }, text));
}

const redraw = () => draw().catch(tell);
document.querySelector("nav.pages").hidden = false;
window.addEventListener("hashchange", redraw);
otherFigures?.addEventListener("toggle", () => withFigures().catch(tell));
redraw();
