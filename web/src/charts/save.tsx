// A chart as a file: the same drawing, in the colours that the page has now.
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { draw, type ChartSpec } from "./draw";
import { paint, textWidth, Words } from "./paint";

const WIDTH = 920;
const EDGE = 20;
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

function wrapped(text: string, room: number, size: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const longer = [lines.at(-1) ?? "", word].join(" ").trim();
    if (lines.length > 0 && textWidth(longer, size) <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function File({ chart }: { readonly chart: ChartSpec }) {
  const drawing = draw(chart, WIDTH - 2 * EDGE);
  const caption = wrapped(chart.caption, drawing.width, 11);
  const [width, height] = [drawing.width + 2 * EDGE, drawing.height + 62 + caption.length * 16 + EDGE];
  return (
    <svg xmlns="http://www.w3.org/2000/svg" width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" fontFamily={FONT}>
      <title>{chart.title}</title>
      <desc>{chart.caption}</desc>
      <rect width={width} height={height} fill={paint("paper")} />
      <Words x={EDGE} y={24} size={15} bold>{chart.title}</Words>
      <g transform={`translate(${EDGE} 48)`}>{drawing.body}</g>
      {caption.map((line, place) => (
        <Words key={place} x={EDGE} y={drawing.height + 62 + place * 16} size={11} role="muted">{line}</Words>
      ))}
    </svg>
  );
}

/** The file of a chart. */
export function chartSvg(chart: ChartSpec): string {
  const host = document.createElement("div");
  const root = createRoot(host);
  flushSync(() => { root.render(<File chart={chart} />); });
  const drawn = host.firstElementChild === null ? "" : new XMLSerializer().serializeToString(host.firstElementChild);
  root.unmount();
  const colours = getComputedStyle(document.documentElement);
  return `${drawn
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, " ")
    .replace(/var\((--plot-[a-z0-9-]+)\)/g, (_, name: string) => colours.getPropertyValue(name).trim())}\n`;
}
