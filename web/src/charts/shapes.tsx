import type { ReactNode } from "react";
import type { DrawnEstimate } from "../schema";
import { paint } from "./paint";

type Ends = readonly [number, number];

/** Where values lie: in pixels of a drawing or in percent of a cell. */
export interface Across {
  readonly span: Ends;
  readonly at: (value: number) => number | string;
}

interface EstimateProps {
  readonly across: Across;
  readonly y: number;
  readonly estimate: DrawnEstimate;
  readonly hollow?: boolean;
}

const LOOKS = ["paper", "muted"] as const; // of further values, in turn

/** A value with what is known of it: intervals, what it can be, everybody's middle half, further values. */
export function EstimateShape({ across, y, estimate, hollow = false }: EstimateProps) {
  const { value = null, inner = null, outer = null, bounds = null, field = null, others = [] } = estimate;
  const beyond = [value, outer?.[0], value === null ? bounds?.[0] : null].some((end) => end !== null && end !== undefined && end < across.span[0]);
  return (
    <>
      {field !== null && <Bar across={across} ends={[field[0], field[2]]} y={y} role="faint" width={8} />}
      {field !== null && <Tick x={across.at(field[1])} y={y} />}
      {value === null && bounds !== null && <OpenBar across={across} ends={bounds} y={y} />}
      {outer !== null && <Bar across={across} ends={outer} y={y} role="soft" width={1.5} />}
      {inner !== null && <Bar across={across} ends={inner} y={y} role="accent" width={3.5} />}
      {beyond && <Beyond x={across.at(across.span[0])} y={y} role={value === null ? "open" : "soft"} />}
      {others.map((other, place) => other !== null && <Dot key={place} x={across.at(other)} y={y} fill={LOOKS[place % 2] ?? "paper"} edge={place % 2 === 0 ? "accent" : "muted"} />)}
      {value !== null && value >= across.span[0] && <Dot x={across.at(value)} y={y} fill={hollow ? "paper" : "accent"} edge={hollow ? "accent" : "paper"} />}
    </>
  );
}

interface BarProps {
  readonly across: Across;
  readonly ends: Ends;
  readonly y: number;
  readonly role: string;
  readonly width: number;
}

function within(across: Across, ends: Ends): readonly [number | string, number | string] {
  const [low, high] = across.span;
  return [across.at(Math.min(Math.max(ends[0], low), high)), across.at(Math.min(Math.max(ends[1], low), high))];
}

function Bar({ across, ends, y, role, width }: BarProps): ReactNode {
  if (ends[1] < across.span[0]) return null;
  const [x1, x2] = within(across, ends);
  return <line x1={x1} x2={x2} y1={y} y2={y} stroke={paint(role)} strokeWidth={width} />;
}

/** What a value can be: a bar that is not filled. */
function OpenBar({ across, ends, y }: Pick<BarProps, "across" | "ends" | "y">): ReactNode {
  if (ends[1] < across.span[0]) return null;
  return (
    <>
      <Bar across={across} ends={ends} y={y} role="open" width={10} />
      <Bar across={across} ends={ends} y={y} role="paper" width={7.5} />
      {within(across, ends).map((x, end) => (
        <line key={end} x1={x} x2={x} y1={y - 5} y2={y + 5} stroke={paint("open")} strokeWidth={1.5} />
      ))}
    </>
  );
}

function Tick({ x, y }: { readonly x: number | string; readonly y: number }) {
  return <line x1={x} x2={x} y1={y - 6} y2={y + 6} stroke={paint("muted")} strokeWidth={1.5} />;
}

/** A dot: full, or a ring where `fill` is paper. */
export function Dot({ x, y, fill, edge, radius = 4 }: { readonly x: number | string; readonly y: number; readonly fill: string; readonly edge: string; readonly radius?: number }) {
  return <circle cx={x} cy={y} r={radius} fill={paint(fill)} stroke={paint(edge)} strokeWidth={1.5} />;
}

/** It goes on left of what is shown. */
function Beyond({ x, y, role }: { readonly x: number | string; readonly y: number; readonly role: string }) {
  return (
    <svg x={x} y={y - 4} width={7} height={8} overflow="visible">
      <path d="M6 0L0 4L6 8" fill="none" stroke={paint(role)} strokeWidth={1.5} />
    </svg>
  );
}
