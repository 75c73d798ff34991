// Passages of a text that are marked: a stretch of the source, and what is drawn of it.
import type { Located } from "./blocks";

/** A marked stretch of a text, in UTF-16 code units of the source. */
export interface Mark {
  readonly start: number;
  readonly end: number;
  readonly id: string; // without spaces; pieces of one mark share it
  readonly look: string; // classes
  readonly title: string; // what is told of it
  readonly press?: () => void; // where it leads somewhere
}

/** A part of a text with the marks that it stands in. */
export interface Piece {
  readonly text: string;
  readonly marks: readonly Mark[];
}

/** A part of a located text, from `at`, in pieces that one after the other are that part. */
export function pieces(text: string, at: number, starts: Located["starts"], marks: readonly Mark[]): readonly Piece[] {
  if (marks.length === 0) return [{ text, marks }];
  const found: Piece[] = [];
  const end = at + text.length;
  starts.forEach(([from, source], line) => {
    const [low, high] = [Math.max(from, at), Math.min(starts[line + 1]?.[0] ?? end, end)];
    if (low < high) found.push(...cut(text.slice(low - at, high - at), source + low - from, marks));
  });
  return found;
}

/** A text that stands in the source from a place on, cut where marks begin and end. */
function cut(text: string, source: number, marks: readonly Mark[]): readonly Piece[] {
  const own = marks.filter((mark) => mark.start < source + text.length && mark.end > source && mark.end > mark.start);
  if (own.length === 0) return [{ text, marks: [] }];
  const inside = own.flatMap(({ start, end }) => [start - source, end - source]).filter((place) => place > 0 && place < text.length);
  const places = [...new Set([0, ...inside, text.length])].sort((one, other) => one - other);
  return places.slice(0, -1).map((from, place) => ({
    text: text.slice(from, places[place + 1]),
    marks: own.filter((mark) => mark.start <= source + from && mark.end > source + from),
  }));
}

/** Marks of a text where they stand in another form of it; those whose words it does not have are left out. */
export function moved(marks: readonly Mark[], text: string, other: string): readonly Mark[] {
  if (text === other) return marks;
  return marks.flatMap((mark) => {
    const start = other.indexOf(text.slice(mark.start, mark.end));
    return start < 0 ? [] : [{ ...mark, start, end: start + mark.end - mark.start }];
  });
}
