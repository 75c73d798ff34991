import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent, type RefObject } from "react";
import { scenarioPage, subjectPage, trajectoryPage } from "../route/paths";
import { navigate } from "../route/hash";
import { useAddress } from "../route/query";
import { MOST, setAside } from "../features/compare/tray";
import { Downloads } from "../ui/Downloads";
import { draw, sheet, type ChartSpec } from "./draw";
import { paint, type Drawing, type Mark } from "./paint";

interface ChartProps {
  readonly chart: ChartSpec;
  readonly title?: boolean; // off where the page has it already
  readonly chosen?: number | null; // the mark that stands out
  readonly onOpen?: ((place: number) => void) | undefined; // in place of the mark's own page
}

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Drag {
  readonly from: Point;
  readonly to: Point;
}

const NONE = { active: -1, scrolled: 0, walked: false }; // the mark that is pointed at, or walked to by keys
const USUAL = 880;
const LEAST_DRAG = 6;
const NEAR = 14; // pixels from a small mark within which it is meant

function useWidth(): [RefObject<HTMLDivElement | null>, number] {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(USUAL);
  useEffect(() => {
    const element = box.current;
    if (element === null || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(([entry]) => {
      const own = Math.floor(entry?.contentRect.width ?? 0);
      if (own > 0) setWidth(own);
    });
    observer.observe(element);
    return () => { observer.disconnect(); };
  }, []);
  return [box, width];
}

function distance(mark: Mark, { x, y }: Point): number {
  const across = Math.max(mark.x - x, 0, x - mark.x - mark.width);
  const down = Math.max(mark.y - y, 0, y - mark.y - mark.height);
  return Math.hypot(across, down) + Math.hypot(mark.x + mark.width / 2 - x, mark.y + mark.height / 2 - y) / 1000;
}

/** The mark that is meant by a place; -1 where there is none near. */
export function markAt(drawing: Drawing, point: Point): number {
  let [best, least] = [-1, NEAR];
  drawing.marks.forEach((mark, place) => {
    const away = distance(mark, point);
    if (away < least) [best, least] = [place, away];
  });
  return best;
}

/** Subjects whose marks lie in what was dragged over. */
export function brushed(drawing: Drawing, { from, to }: Drag): readonly string[] {
  const [left, right] = [Math.min(from.x, to.x), Math.max(from.x, to.x)];
  const [top, bottom] = [Math.min(from.y, to.y), Math.max(from.y, to.y)];
  const inside = drawing.marks.filter((mark) => {
    const [x, y] = [mark.x + mark.width / 2, mark.y + mark.height / 2];
    return mark.subject !== "" && y >= top && y <= bottom && (drawing.brush === "rows" || (x >= left && x <= right));
  });
  return [...new Set(inside.map(({ subject }) => subject))];
}

function pageOf(mark: Mark): string | null {
  if (mark.subject !== "" && mark.scenario !== "") return trajectoryPage(mark.subject, 1, mark.scenario);
  if (mark.subject !== "") return subjectPage(mark.subject);
  return mark.scenario === "" ? null : scenarioPage(mark.scenario);
}

/** A chart: pointing at a mark tells its numbers, a click opens its page, dragging sets subjects aside to compare. */
export function Chart({ chart, title = true, chosen = null, onOpen }: ChartProps) {
  const [box, width] = useWidth();
  const drawing = useMemo(() => draw(chart, width), [chart, width]);
  const [{ active, scrolled, walked }, setState] = useState(NONE);
  const [drag, setDrag] = useState<Drag | null>(null);
  const [told, setTold] = useState("");
  const address = useAddress();
  const table = useMemo(() => sheet(chart), [chart]);
  const mark = drawing.marks[active];
  const activate = (place: number, byKeys = false) => {
    const [area, meant] = [box.current, drawing.marks[place]];
    if (byKeys && area !== null && meant !== undefined) {
      const hidden = meant.x < area.scrollLeft || meant.x + meant.width > area.scrollLeft + width;
      if (hidden) area.scrollLeft = meant.x + meant.width / 2 - width / 2;
    }
    setState({ active: place, scrolled: area?.scrollLeft ?? 0, walked: byKeys });
  };
  const open = (place: number) => {
    const meant = drawing.marks[place];
    const page = meant === undefined ? null : pageOf(meant);
    if (onOpen !== undefined && place >= 0) onOpen(place);
    else if (page !== null) navigate(address(page));
  };
  const at = (event: PointerEvent<HTMLDivElement>): Point => {
    const area = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - area.left, y: event.clientY - area.top };
  };
  const released = (event: PointerEvent<HTMLDivElement>) => {
    const point = at(event);
    setDrag(null);
    if (drag === null || Math.hypot(point.x - drag.from.x, point.y - drag.from.y) < LEAST_DRAG) {
      open(markAt(drawing, point));
      return;
    }
    const found = brushed(drawing, { from: drag.from, to: point });
    setAside(found);
    setTold(found.length > MOST ? `The first ${MOST} of ${found.length} subjects are set aside to compare.` : `${found.length} subjects are set aside to compare.`);
  };
  const pressed = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (event.key === "Enter") open(active);
    else if (event.key === "Escape") setState(NONE);
    else if (step !== undefined) activate(Math.min(Math.max(active + step, 0), drawing.marks.length - 1), true);
    else return;
    event.preventDefault();
  };
  const shapes = [...(chosen === null ? [] : [drawing.marks[chosen]]), mark].filter((one) => one !== undefined);
  return (
    <figure className="w-full min-w-0">
      <figcaption className="head mb-2">
        {title ? <span className="font-semibold">{chart.title}</span> : <span />}
        <Downloads name={chart.id} columns={table.columns} rows={table.rows} svg={() => import("./save").then(({ chartSvg }) => chartSvg(chart))} />
      </figcaption>
      <div className="relative">
        <div ref={box} className="overflow-x-auto [contain:inline-size]">
          <div
            className="relative cursor-default touch-pan-y select-none focus-visible:-outline-offset-2"
            style={{ width: drawing.width }}
            tabIndex={0}
            role="group"
            aria-label={`${chart.title}: arrow keys go from mark to mark, Enter opens one`}
            onKeyDown={pressed}
            onBlur={() => { setState(NONE); }}
            onPointerLeave={() => { setState(NONE); setDrag(null); }}
            onPointerMove={(event) => {
              activate(markAt(drawing, at(event)));
              if (drag !== null) setDrag({ ...drag, to: at(event) });
            }}
            onPointerDown={(event) => {
              if (event.button === 0 && event.pointerType !== "touch" && drawing.brush !== null) setDrag({ from: at(event), to: at(event) });
            }}
            onPointerUp={released}
          >
            <svg role="img" aria-label={chart.caption} width={drawing.width} height={drawing.height} className="block font-sans tabular-nums">
              {shapes.map((one, place) => (
                <rect key={place} x={one.x} y={one.y} width={one.width} height={one.height} fill={paint("accent")} fillOpacity={0.12} />
              ))}
              {drawing.body}
              {drag !== null && <Selection drawing={drawing} drag={drag} />}
            </svg>
          </div>
        </div>
        {mark !== undefined && <Tip mark={mark} left={mark.x - scrolled} width={width} follow={walked} />}
      </div>
      <p className="mt-1 note">{chart.caption}</p>
      <p role="status" className="text-[0.8125rem]">{told}</p>
    </figure>
  );
}

function Selection({ drawing, drag: { from, to } }: { readonly drawing: Drawing; readonly drag: Drag }) {
  const rows = drawing.brush === "rows";
  const x = rows ? 0 : Math.min(from.x, to.x);
  const width = rows ? drawing.width : Math.abs(to.x - from.x);
  return (
    <rect x={x} y={Math.min(from.y, to.y)} width={width} height={Math.abs(to.y - from.y)} fill={paint("accent")} fillOpacity={0.1} stroke={paint("accent")} strokeDasharray="4 3" />
  );
}

/** The name and the numbers of a mark, beside it. */
function Tip({ mark, left, width, follow }: { readonly mark: Mark; readonly left: number; readonly width: number; readonly follow: boolean }) {
  const tip = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (follow) tip.current?.scrollIntoView({ block: "nearest" });
  }, [mark, follow]);
  const middle = left + mark.width / 2;
  const side = middle > width / 2 ? { right: Math.max(width - middle - 8, 0) } : { left: Math.max(middle - 8, 0) };
  return (
    <div ref={tip} role="status" style={{ ...side, top: mark.y + mark.height + 4 }} className="pointer-events-none absolute z-20 w-max max-w-72 rounded-md border border-faint bg-paper px-2 py-1 text-xs shadow-md">
      <p className="font-semibold">{mark.label}</p>
      {mark.says.map((line, place) => (
        <p key={place} className="text-muted">{line}</p>
      ))}
    </div>
  );
}
