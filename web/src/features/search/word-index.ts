// Searches the index that a site of files has: documents of `report/pages/word_index.py`.
import { SCHEMA, type SearchDocument, type SearchHit, type WordPlacesDocument, type WordsDocument, type WordTextsDocument } from "../../schema";
import { within, type Wanted } from "../../text/matching";

const ROLES: readonly SearchHit["role"][] = ["answer", "thinking", "reasoning", "judge"];
const JUDGE = 3;
const read = new WeakMap<WordsDocument, readonly string[]>();

/** The words of an index, written out. */
function wordsOf(index: WordsDocument): readonly string[] {
  const known = read.get(index);
  if (known !== undefined) return known;
  let before = "";
  const words = index.words.map((coded) => (before = before.slice(0, parseInt(coded.charAt(0), 36)) + coded.slice(1)));
  read.set(index, words);
  return words;
}

/** Of each wanted word the places of those in the index that it may be. */
export function candidates(index: WordsDocument, asked: Wanted): readonly (readonly number[])[] {
  const words = wordsOf(index);
  return asked.words.map((_, place) => words.flatMap((word, at) => (within(word, asked, place) < 0 ? [] : at)));
}

function shardOf(index: WordsDocument, word: number): number {
  return index.shards.findLastIndex((first) => first <= word);
}

/** The files that hold the places of words; none where one of the words is nowhere. */
export function shardsOf(index: WordsDocument, found: readonly (readonly number[])[]): readonly number[] {
  if (found.some((words) => words.length === 0)) return [];
  return [...new Set(found.flat().map((word) => shardOf(index, word)))].sort((one, other) => one - other);
}

type Shards = ReadonlyMap<number, WordPlacesDocument>;

function placesOf(index: WordsDocument, shards: Shards, words: readonly number[]): readonly number[] {
  const all = words.flatMap((word) => {
    const shard = shardOf(index, word);
    let place = 0;
    return (shards.get(shard)?.places[word - (index.shards[shard] ?? 0)] ?? []).map((step) => (place += step));
  });
  return words.length > 1 ? all.sort((one, other) => one - other) : all;
}

/** Where the words stand in a row, none inside another row. */
function rows(index: WordsDocument, shards: Shards, found: readonly (readonly number[])[]): readonly number[] {
  let starts = placesOf(index, shards, found[0] ?? []);
  found.slice(1).forEach((words, after) => {
    const next = new Set(placesOf(index, shards, words));
    starts = starts.filter((place) => next.has(place + after + 1));
  });
  let free = 0;
  return starts.filter((place) => {
    if (place < free) return false;
    free = place + found.length;
    return true;
  });
}

/** What is found, in the form that a server gives. `shards`: at least those of `shardsOf`. */
export function search(
  query: string,
  found: readonly (readonly number[])[],
  { words, texts, shards }: { readonly words: WordsDocument; readonly texts: WordTextsDocument; readonly shards: Shards },
): SearchDocument {
  const places = found.length === 0 || found.some((own) => own.length === 0) ? [] : rows(words, shards, found);
  const hits: SearchHit[] = [];
  let [text, end, next] = [-1, 0, 0];
  while (next < places.length) {
    while ((places[next] ?? 0) >= end) {
      text += 1;
      end += texts.length[text] ?? Number.POSITIVE_INFINITY;
    }
    const from = next;
    while (next < places.length && (places[next] ?? 0) < end) next += 1;
    const kind = texts.kind[text] ?? 0;
    const hit = {
      subject: texts.subjects[texts.subject[text] ?? 0] ?? "",
      scenario: texts.scenarios[texts.scenario[text] ?? 0] ?? "",
      run: texts.run[text] ?? 1,
      role: ROLES[Math.min(kind, JUDGE)] ?? "answer",
      places: next - from,
    };
    hits.push(kind < JUDGE ? hit : { ...hit, judge: texts.judges[kind - JUDGE] ?? "" });
  }
  return { schema: SCHEMA, query, found: places.length, hits };
}
