// A table of the page as a picture that can be put on a slide, with what it is of above and whose it is below.

const PIXELS_A_POINT = 2;
const PICTURE_MARGIN = 16;

// the page's own rules stand in the picture, which can load nothing; not those for dark, narrow or printed pages
function pictureOf(node, width, height) {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  const style = element("style");
  style.textContent = rules.filter((rule) => rule instanceof CSSStyleRule).map((rule) => rule.cssText).join("\n");
  const body = element("div", { class: "picture" }, style, node);
  const drawn = new XMLSerializer().serializeToString(body);
  const size = `width="${width}" height="${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}><foreignObject width="100%" height="100%">${drawn}</foreignObject></svg>`;
}

function without(part, selector) {
  const copy = part.cloneNode(true);
  for (const left of copy.querySelectorAll(selector)) left.remove();
  return copy;
}

// a table alone does not say what it is about
function framed(table) {
  const panel = table.closest(".panel") ?? table;
  const title = table.closest("figure")?.querySelector("figcaption h3") ?? document.querySelector("h1");
  const warning = document.querySelector("header .simulated");
  const source = document.querySelector("header .small");
  return element(
    "div",
    { css: { padding: `${PICTURE_MARGIN}px` } },
    element("h3", { css: { "margin-top": "0" } }, without(title, ".tag").textContent.trim()),
    without(panel, ".file"),
    element("p", { class: "small soft" }, source.textContent.trim()),
    warning && element("p", { class: "small simulated" }, warning.firstChild.textContent.trim()),
  );
}

async function pngOf(table) {
  const node = framed(table);
  node.style.width = `${Math.ceil(table.getBoundingClientRect().width) + 2 * PICTURE_MARGIN}px`;
  const place = element("div", { class: "picture", css: { position: "absolute", left: "-99999px" } }, node);
  document.body.append(place); // to be measured
  const { width, height } = node.getBoundingClientRect();
  place.remove();
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(pictureOf(node, Math.ceil(width), Math.ceil(height)))}`;
  await image.decode();
  const canvas = element("canvas", { width: Math.ceil(width) * PIXELS_A_POINT, height: Math.ceil(height) * PIXELS_A_POINT });
  const pen = canvas.getContext("2d");
  pen.fillStyle = "white";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png")); // fails where a browser lets no HTML be copied
}
