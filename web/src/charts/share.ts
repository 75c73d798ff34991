import type { CSSProperties } from "react";
import type { CellsDocument } from "../schema";
import { percent, signed } from "../text/format";
import { diverging, heat } from "./heat";

type Measured = Pick<CellsDocument, "scale">;

/** How a result is written: a share as a percentage, a stance on its own scale. */
export function result(cells: Measured, share: number): string {
  return cells.scale == null ? percent(share) : signed(cells.scale[0] + share * (cells.scale[1] - cells.scale[0]));
}

/** The colours of a result: what was given up, or on which side of the middle it lies. */
export function resultStyle(cells: Measured, share: number): CSSProperties {
  return cells.scale == null ? heat(1 - share) : diverging(2 * share - 1);
}
