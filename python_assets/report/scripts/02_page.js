// Elements, numbers in words and the state of the page. What a study holds is only ever set as text.

const NOTHING = "\u2013";

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "css") Object.entries(value).forEach(([key, set]) => made.style.setProperty(key, set));
    else if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null));
  return made;
}

const VERDICTS = JSON.parse(document.body.dataset.verdicts); // in the words of text.py
const words = (name) => String(name ?? "").replaceAll("_", " ");
const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
const signed = (written) => written.replaceAll("-", "\u2212");
const fixed = (value, decimals) => signed(value.toFixed(decimals).replace(/^-(0(\.0*)?)$/, "$1"));

// three significant digits, of which at most four stand after the point, as text.py writes them; beyond what
// travels exactly, four digits
function number(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return NOTHING;
  const size = Math.abs(value);
  if (size < 1e-12) return "0"; // what is left of a difference of equal numbers
  if (size >= 65536) return signed(Number(value.toPrecision(4)).toLocaleString("en"));
  if (size >= 1000 || Number.isInteger(value)) return signed(Math.round(value).toLocaleString("en"));
  if (size < 0.0001) return signed(value.toExponential(1).replace(/e([+-])(\d)$/, "e$10$2"));
  return signed(value.toFixed(size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4));
}

function probability(value) {
  if (value === null) return NOTHING;
  if (value < 0.001) return "<.001";
  return value > 0.999 ? ">.999" : value.toFixed(3).replace(/^0/, "");
}

// which page is shown and what is chosen on it stand in the address, so that a view can be passed on
function readState() {
  const [page, query = ""] = location.hash.slice(1).split("?");
  return { page, chosen: new URLSearchParams(query) };
}

function choose(changes) {
  const { page, chosen } = readState();
  for (const [name, values] of Object.entries(changes)) {
    chosen.delete(name);
    for (const value of [values].flat()) if (value !== null) chosen.append(name, value);
  }
  location.replace(`#${page}?${chosen}`);
}

function table(headings, rows, attributes = {}) {
  const head = element("thead", {}, element("tr", {}, headings.map(heading)));
  return element("div", { class: "scroll" }, element("table", attributes, head, element("tbody", {}, rows)));
}

// a heading stands over texts, in an array over numbers
const heading = (said) => element("th", { scope: "col", class: Array.isArray(said) ? "n" : null }, said);

function tableRow(name, cells) {
  const asCell = (content) =>
    content instanceof HTMLTableCellElement ? content : element("td", {}, content);
  return element("tr", {}, element("th", { scope: "row" }, name), cells.map(asCell));
}

const numberCell = (value, title = null) => element("td", { class: "n", title }, number(value));

// a frame says that it scrolls where what it holds is wider
const wideFrames = new ResizeObserver((entries) =>
  entries.forEach(({ target }) => target.classList.toggle("is-wide", target.scrollWidth > target.clientWidth + 1)));
document.querySelectorAll(".scroll").forEach((frame) => wideFrames.observe(frame));
