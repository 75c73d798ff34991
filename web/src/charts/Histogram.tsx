import { useMemo } from "react";
import type { Bars } from "../schema";
import { percent } from "../text/format";
import { Chart } from "./Chart";

interface HistogramProps {
  readonly counts: readonly number[];
  readonly chosen: number | null;
  readonly says: string;
  readonly name: string; // of its files
  readonly title: string;
  readonly onChoose: (bin: number | null) => void;
}

/** How many dialogues came to which tenth of the scale; a bar shows only those, a second press all again. */
export function Histogram({ counts, chosen, says, name, title, onChoose }: HistogramProps) {
  const chart = useMemo((): Bars => {
    const ends = counts.map((_, bin) => [bin / counts.length, (bin + 1) / counts.length] as const);
    return {
      kind: "bars",
      id: name,
      title,
      caption: `${says}. Click a bar to list only its dialogues.`,
      head: "dialogues",
      upright: true,
      bars: counts.map((count, bin) => ({ label: (ends[bin] ?? [0, 1]).map(percent).join("–"), count, ends: ends[bin] ?? null })),
    };
  }, [counts, says, name, title]);
  return <Chart chart={chart} title={false} chosen={chosen} onOpen={(bin) => { onChoose(chosen === bin ? null : bin); }} />;
}
