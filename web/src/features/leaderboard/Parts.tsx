import type { ComponentInfo } from "../../schema";
import { decimal } from "../../text/format";
import { lostShare } from "./entries";

const [STEP, WIDTH, HEIGHT] = [14, 11, 12];

interface PartsProps {
  readonly components: readonly ComponentInfo[];
  readonly values: readonly (number | null)[];
}

/** Small bars side by side, where there is no room for columns: what a subject lost of each part of the index. */
export function Parts({ components, values }: PartsProps) {
  const said = components.map(({ head }, place) => `${head} ${values[place] == null ? "not known" : decimal(values[place])}`).join(", ");
  return (
    <svg role="img" aria-label={said} width={components.length * STEP} height={HEIGHT} className="inline-block shrink-0 align-middle">
      {components.map((component, place) => {
        const lost = lostShare(values[place] ?? null, component);
        const height = lost === null || lost <= 0 ? 0 : Math.max(lost * HEIGHT, 1);
        return (
          <g key={component.key}>
            <rect x={place * STEP} width={WIDTH} height={HEIGHT} className="fill-faint" />
            <rect x={place * STEP} y={HEIGHT - height} width={WIDTH} height={height} className="fill-folded" />
          </g>
        );
      })}
    </svg>
  );
}
