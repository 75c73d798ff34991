// Drawings as files: plain SVG with a title, in the colours that the page has now.

/** A colour of the palette as it is now, light or dark. */
export function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--plot-${name}`).trim();
}

const MARKS: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, " ").replace(/[&<>"]/g, (mark) => MARKS[mark] ?? mark);
}

type Attributes = Readonly<Record<string, string | number>>;

/** One element; `content` is text. */
export function element(name: string, attributes: Attributes, content = ""): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(String(value))}"`);
  return `<${name}${written.join("")}>${escaped(content)}</${name}>`;
}

/** Text at a place; `more` for its anchor, colour and size. */
export function text(x: number, y: number, content: string, more: Attributes = {}): string {
  return element("text", { x, y, fill: color("ink"), ...more }, content);
}

/** The parts on paper, under a title. */
export function drawing(title: string, width: number, height: number, parts: readonly string[]): string {
  const paper = element("rect", { width, height, fill: color("paper") });
  const head = text(16, 26, title, { "font-size": 15, "font-weight": 600 });
  const open = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img"`;
  return `${open} font-family="system-ui, sans-serif" font-size="12">${element("title", {}, title)}${paper}${head}${parts.join("")}</svg>\n`;
}
