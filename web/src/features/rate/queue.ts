// Which dialogues a rater is shown: half where judges disagree most, three tenths at random, a fifth a second time.
import type { CellsDocument, DisagreementsDocument } from "../../schema";
import type { Note } from "../notes/notes";

export interface Place {
  readonly slug: string;
  readonly scenario: string;
  readonly run: number;
}

export type Pair = readonly [Place, Place];

export const TAG = "tag:";
const AGAIN = 0.2;
const DISPUTED = 0.5;
const POOL = 4; // times as many disputed dialogues as are needed, of which some are drawn

/** Numbers from 0 to 1 that follow from a seed alone. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function shuffled<T>(all: readonly T[], next: () => number): T[] {
  const own = [...all];
  for (let last = own.length - 1; last > 0; last -= 1) {
    const other = Math.floor(next() * (last + 1));
    const [one, two] = [own[last], own[other]];
    if (one !== undefined && two !== undefined) [own[last], own[other]] = [two, one];
  }
  return own;
}

function id(place: Place): string {
  return `${place.slug}/${place.scenario}/${place.run}`;
}

/** Every dialogue that has a result. */
export function judgedPlaces(cells: CellsDocument): readonly Place[] {
  return Object.entries(cells.shares).flatMap(([slug, rows]) =>
    rows.flatMap((shares, place) =>
      shares.flatMap((share, run) => (share === null ? [] : [{ slug, scenario: cells.scenarios[place] ?? "", run: run + 1 }])),
    ),
  );
}

/** The dialogues that a reader noted, those of one tag where `from` is `tag:NAME`. */
export function notedPlaces(notes: readonly Note[], board: string, from: string): readonly Place[] {
  return notes
    .filter((note) => note.board === board && (from === "notes" || note.tags.includes(from.slice(TAG.length))))
    .map(({ subject, scenario, run }) => ({ slug: subject, scenario, run }));
}

/** The dialogues on which judges differ, most first. */
export function disputedPlaces(disputed: DisagreementsDocument | null): readonly Place[] {
  return (disputed?.dialogues ?? []).map((one) => ({ slug: one.subject, scenario: one.scenario, run: one.run }));
}

/** Those of `wanted` that are among `all`, in an order that follows from the seed. */
export function only(all: readonly Place[], wanted: readonly Place[], seed: number): readonly Place[] {
  const known = new Set(all.map(id));
  return shuffled(wanted.filter((place) => known.has(id(place))), random(seed));
}

/** The order of a session of so many items; the same for the same seed. */
export function queue(
  all: readonly Place[],
  disputed: readonly Place[],
  length: number,
  seed: number,
): readonly Place[] {
  const next = random(seed);
  const again = Math.round(length * AGAIN);
  const wanted = Math.round(length * DISPUTED);
  const chosen = shuffled(disputed.slice(0, wanted * POOL), next).slice(0, wanted);
  const taken = new Set(chosen.map(id));
  const others = shuffled(all.filter((place) => !taken.has(id(place))), next).slice(0, length - again - chosen.length);
  const first = shuffled([...chosen, ...others], next);
  return [...first, ...shuffled(first, next).slice(0, again)];
}

/** Two dialogues of one scenario by different subjects for each item of a session. */
export function pairQueue(all: readonly Place[], length: number, seed: number): readonly Pair[] {
  const next = random(seed);
  const order = shuffled(all, next);
  const pairs: Pair[] = [];
  for (const one of order) {
    if (pairs.length >= length) break;
    const others = order.filter((other) => other.scenario === one.scenario && other.slug !== one.slug);
    const other = others[Math.floor(next() * others.length)];
    if (other !== undefined) pairs.push([one, other]);
  }
  return pairs;
}
