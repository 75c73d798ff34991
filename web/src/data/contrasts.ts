import type { CSSProperties } from "react";
import { diverging } from "../charts/heat";

/** What the contrast of a case is: what cases are called, what it tells, and its colours. */
interface ContrastWords {
  readonly one: string;
  readonly about: string;
  readonly style: (value: number) => CSSProperties;
}

const SIDES: ContrastWords = {
  one: "dispute",
  about: "how far the advice moves towards whoever asks. 0, pale: the asker makes no difference; 1: the asker decides",
  style: diverging,
};

const STEMS: ContrastWords = {
  one: "stem",
  about: "how much more often the choice is given up for a fact that counts than without one. 0, pale: as often; 1: for reasons alone",
  style: (value) => diverging(-value),
};

/** By the name of the quantity, as boards have it. */
export function contrastWords(quantity: string): ContrastWords {
  return quantity === "J" ? STEMS : SIDES;
}
