// How words are looked for: `report/pages/words.py` reads texts by the same rules, and a test compares both.

// Scripts that put no spaces between words: each character is a word of its own.
const SINGLE =
  "\\u0e00-\\u109f\\u1780-\\u17ff\\u2e80-\\u2fdf\\u3005-\\u3007\\u3040-\\u30ff\\u31f0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\uff66-\\uff9f\\u{20000}-\\u{3ffff}";
const WORD = new RegExp(`(?=[\\p{L}\\p{N}])[${SINGLE}]\\p{M}*|(?:(?![${SINGLE}])[\\p{L}\\p{N}\\p{M}])+`, "gu");
const ALONE = new RegExp(`^[${SINGLE}]`, "u");
const PART = 3; // letters from which a part of a word is looked for

/** Words to look for: they stand in a row, whatever stands between them; the first and the last may be parts of words. */
export interface Wanted {
  readonly words: readonly string[];
  readonly whole: boolean; // no parts
}

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** In small letters, of which a Turkish i and a sigma at the end are no others. */
function folded(word: string): string {
  return word.toLowerCase().replaceAll("i\u0307", "i").replaceAll("ς", "σ");
}

export function wanted(query: string, whole = false): Wanted {
  return { words: query.match(WORD)?.map(folded) ?? [], whole };
}

/** Where in a word the one that stands at `place` among those wanted is found; -1 where it is another word. */
export function within(word: string, { words, whole }: Wanted, place: number): number {
  const own = words[place] ?? "";
  if (word === own) return 0;
  const last = words.length - 1;
  if (whole || own.length < PART || ALONE.test(own) || (place > 0 && place < last)) return -1;
  if (last === 0) return word.indexOf(own);
  if (place === 0) return word.endsWith(own) ? word.length - own.length : -1;
  return word.startsWith(own) ? 0 : -1;
}

/** Every place of a text in which the words stand, none inside another. */
export function matches(text: string, asked: Wanted): readonly Range[] {
  const count = asked.words.length;
  if (count === 0) return [];
  const said = [...text.matchAll(WORD)].map(({ 0: word, index }) => ({ word: folded(word), index, length: word.length }));
  const found: Range[] = [];
  for (let at = 0; at + count <= said.length; at += 1) {
    const places = asked.words.map((_, place) => within(said[at + place]?.word ?? "", asked, place));
    const [first, last] = [said[at], said[at + count - 1]];
    if (places.includes(-1) || first === undefined || last === undefined) continue;
    const start = first.index + Math.min(places[0] ?? 0, first.length);
    const inLast = (places[count - 1] ?? 0) + (asked.words[count - 1]?.length ?? 0);
    found.push({ start, end: last.index + Math.min(inLast, last.length) });
    at += count - 1;
  }
  return found;
}
