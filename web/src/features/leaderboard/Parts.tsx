import type { ComponentInfo } from "../../schema";
import { decimal } from "../../text/format";
import { lostShare } from "./entries";

const [STEP, WIDTH, HEIGHT] = [14, 11, 12];

/** A bar that stands on the bottom line, as a path. */
function bar(place: number, height: number): string {
  return `M${place * STEP},${HEIGHT}v${-height}h${WIDTH}v${height}z`;
}

function lostHeight(lost: number | null): number {
  return lost === null || lost <= 0 ? 0 : Math.max(lost * HEIGHT, 1);
}

interface PartsProps {
  readonly components: readonly ComponentInfo[];
  readonly values: readonly (number | null)[];
}

/** Small bars side by side, where there is no room for columns: what a subject lost of each part of the index. */
export function Parts({ components, values }: PartsProps) {
  const said = components.map(({ head }, place) => `${head} ${values[place] == null ? "not known" : decimal(values[place])}`).join(", ");
  return (
    <svg role="img" aria-label={said} width={components.length * STEP} height={HEIGHT} className="inline-block shrink-0 align-middle">
      <path className="fill-faint" d={components.map((_, place) => bar(place, HEIGHT)).join("")} />
      <path className="fill-folded" d={components.map((component, place) => bar(place, lostHeight(lostShare(values[place] ?? null, component)))).join("")} />
    </svg>
  );
}
