import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { random } from "../src/features/rate/queue";
import { candidates, search, shardsOf } from "../src/features/search/word-index";
import { matches, wanted } from "../src/text/matching";

import type { WordPlacesDocument, WordsDocument, WordTextsDocument } from "../src/schema";

interface Case {
  readonly texts: readonly { readonly subject: string; readonly scenario: string; readonly run: number; readonly role: string; readonly judge: string; readonly text: string }[];
  readonly found: Readonly<Record<string, readonly number[]>>; // query, as `word WHOLE` -> places of each text, by Python
  readonly words: WordsDocument;
  readonly index: WordTextsDocument;
  readonly shards: readonly WordPlacesDocument[];
}
const CASE = JSON.parse(readFileSync("test/fixtures/words.json", "utf8")) as Case;

function hits(query: string, whole: boolean) {
  const asked = wanted(query, whole);
  const found = candidates(CASE.words, asked);
  const shards = new Map(shardsOf(CASE.words, found).map((shard) => [shard, CASE.shards[shard] as WordPlacesDocument]));
  return search(query, found, { words: CASE.words, texts: CASE.index, shards });
}

const told = (of: { subject: string; scenario: string; run: number; role: string; judge?: string }) => [of.subject, of.scenario, of.run, of.role, of.judge ?? ""].join(" ");

it("finds in the index what stands in the texts, nothing else and nothing less", () => {
  const queries = Object.entries(CASE.found);
  expect(queries.length).toBeGreaterThan(200);
  expect(queries.filter(([, counts]) => counts.some((count) => count > 0)).length).toBeGreaterThan(100);
  for (const [key, counts] of queries) {
    const [query, whole] = [key.slice(0, -2), key.endsWith("1")];
    const asked = wanted(query, whole);
    const here = CASE.texts.map((one) => matches(one.text, asked).length);
    expect(here, key).toEqual(counts);
    const by = new Map<string, number>();
    CASE.texts.forEach((one, at) => by.set(told(one), (by.get(told(one)) ?? 0) + (here[at] ?? 0)));
    const wantedHits = [...by].filter(([, count]) => count > 0).sort();
    expect(hits(query, whole).hits.map((hit) => [told(hit), hit.places]).sort(), key).toEqual(wantedHits);
  }
});

it.each([
  ["keep my name", "I *keep* my\nname; keep_my names", ["keep* my\nname", "keep_my name"]],
  ["EP my na", "I keep my name", []],
  ["eep my nam", "I keep my name, keep him", ["eep my nam"]],
  ["am", "I am amid", ["am"]],
  ["名前", "私の名前は名。前", ["名前", "名。前"]],
  ["don't", "Don’t, dont", ["Don’t"]],
])("marks %j in %j", (query, text, found) => {
  expect(matches(text, wanted(query)).map(({ start, end }) => text.slice(start, end))).toEqual(found);
});

it("marks only what was looked for, in any text", () => {
  const next = random(6);
  const parts = ["keep", "my", "name", "kee", "pmy", " ", ", ", "\n", "**", "_", "名", "é", "É", "x"];
  const make = (length: number) => Array.from({ length }, () => parts[Math.floor(next() * parts.length)] ?? "").join("");
  for (let round = 0; round < 500; round += 1) {
    const [text, query] = [make(20), make(3)];
    const words = wanted(query).words.join("");
    for (const { start, end } of matches(text, wanted(query))) expect(text.slice(start, end).toLowerCase().replaceAll(/[^\p{L}]/gu, "")).toBe(words);
  }
});
