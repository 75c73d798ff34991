// What each page understands in its address. The rest is kept from pages, and said by `LeftOut`.
import type { BaseSearchHook } from "wouter";
import { useBoard, type CurrentBoard } from "../data/board";
import { COMPARED } from "../features/compare/tray";
import { ORDERS } from "../features/heatmap/order";
import { entries, FIXED, optionalColumns, usualColumns } from "../features/leaderboard/entries";
import { FACETS } from "../features/leaderboard/facets";
import { everyTag, useNotebook, type Note } from "../features/notes/notes";
import { FIFTHS, KINDS, NO_RESULT } from "../features/search/found";
import { BINS, ORDERS as FEED_ORDERS } from "../features/scenario/rows";
import { useHashPath, useHashQuery } from "../route/hash";
import { mostRuns } from "../ui/LeastRuns";

interface Rule {
  readonly why: string; // a value is not understood
  readonly is: (value: string) => boolean;
}

type Rules = ReadonlyMap<string, Rule>;

export interface Understood {
  readonly query: string; // what pages see
  readonly left: readonly string[]; // what was left out, and why
}

const SHOWN = 60; // letters of what is left out
const ANY: Rule = { why: "", is: () => true };
const FLAG = oneOf("no such choice", ["1"]);

function oneOf(why: string, values: Iterable<string>): Rule {
  const all = new Set(values);
  return { why, is: (value) => all.has(value) };
}

function below(why: string, end: number, ...others: string[]): Rule {
  return oneOf(why, [...Array.from({ length: end }, (_, number) => String(number)), ...others]);
}

function upTo(why: string, most: number): Rule {
  return { why, is: (value) => /^[1-9]\d{0,6}$/.test(value) && Number(value) <= most };
}

function leaderboard(board: CurrentBoard): Record<string, Rule> {
  const all = entries(board);
  const columns = [...FIXED, ...optionalColumns(board, all)].map(({ key }) => key);
  const chosen = new Set([...columns, ...usualColumns(board), "none"]);
  return {
    ...Object.fromEntries(FACETS.map((facet) => [facet.name, oneOf(`no such ${facet.head.toLowerCase()}`, all.map(facet.of))])),
    q: ANY, ref: oneOf("no such subject", board.rows.keys()), zoom: oneOf("no such choice", ["top"]),
    sort: oneOf("no such column", columns), dir: oneOf("no such direction", ["asc", "desc"]),
    // Columns without a value on this board are left out, so that one choice serves all boards.
    cols: { why: "no such column", is: (value) => value.split(" ").some((key) => chosen.has(key)) },
  };
}

function compare(board: CurrentBoard, asked: URLSearchParams): Record<string, Rule> {
  return Object.fromEntries(
    COMPARED.flatMap((name, place) => {
      const before = COMPARED.slice(0, place).map((other) => asked.get(other));
      const other = { why: "no such subject, or it stands there already", is: (value: string) => board.subjects.has(value) && !before.includes(value) };
      return [[name, other], [`run_${name}`, upTo("no such run", board.subjects.get(asked.get(name) ?? "")?.runs ?? mostRuns(board))]];
    }),
  );
}

/** The rules of a page; null where there is no page at the address. */
function rulesOf(board: CurrentBoard, path: string, asked: URLSearchParams, notes: readonly Note[]): Record<string, Rule> | null {
  const [, page = "", id = "", inner] = path.split("/");
  const [subject, scenario] = [oneOf("no such subject", board.subjects.keys()), oneOf("no such scenario", board.scenarios.keys())];
  const run = upTo("no such run", mostRuns(board));
  const judged = board.info.judges.map(({ name }) => name);
  const tags = everyTag(notes.filter((note) => note.board === board.info.id));
  const search = {
    q: ANY, whole: FLAG, s: scenario, m: subject, run, kind: oneOf("no such kind of text", Object.keys(KINDS)), by: oneOf("no such judge", judged),
    score: below("no such result", FIFTHS, NO_RESULT),
  };
  const none = {};
  const pages: Readonly<Record<string, Record<string, Rule>>> = {
    "": board.index.board === null ? none : leaderboard(board),
    m: inner === undefined ? none : { ...search, quote: ANY, msg: upTo("no such message", Infinity), raw: FLAG, think: FLAG },
    heat: {
      q: ANY, sort: oneOf("no such row or column", [...ORDERS, ...board.scenarios.keys(), ...board.subjects.keys()]), columns: oneOf("no such order", ORDERS),
      dir: oneOf("no such direction", ["asc", "desc"]), least: run,
    },
    s: id === "" ? none : {
      q: ANY, run, raw: FLAG, least: run, first: oneOf("no such order", ["highest"]), sort: oneOf("no such order", FEED_ORDERS.map(([order]) => order)),
      bin: below("no such part of the scale", BINS), turn: oneOf("no such turn", board.scenarios.get(decodeURIComponent(id))?.turns ?? []),
    },
    cell: { m: subject, run: upTo("no such run", board.subjects.get(asked.get("m") ?? "")?.runs ?? mostRuns(board)) },
    cmp: { s: scenario, run, only: FLAG, raw: FLAG, ...compare(board, asked) },
    names: { q: ANY },
    notes: { tag: oneOf("no such tag", tags) },
    search,
    rate: { from: oneOf("no such choice of dialogues", ["drawn", "disputed", "notes", ...tags.map((tag) => `tag:${tag}`)]) },
    ...Object.fromEntries(["report", "items", "judges", "prompts", "data", "about", "live"].map((plain) => [plain, none])),
  };
  return pages[page] ?? null;
}

/** Sorts the query of a page into what it understands and what it does not. */
export function understood(board: CurrentBoard, path: string, query: string, notes: readonly Note[]): Understood {
  const asked = new URLSearchParams(query);
  const own = rulesOf(board, path, asked, notes);
  if (own === null) return { query, left: [] };
  const rules: Rules = new Map(Object.entries({ board: ANY, judge: ANY, scoring: ANY, v: ANY, ...own }));
  const kept = new URLSearchParams();
  const left: string[] = [];
  const seen = new Set<string>();
  for (const [name, value] of asked) {
    const rule = rules.get(name);
    let why = "";
    if (rule === undefined) why = "this page does not know it";
    else if (seen.has(name)) why = "given a second time";
    else if (value === "") why = "empty";
    else if (!rule.is(value)) why = rule.why;
    seen.add(name);
    if (why === "") kept.append(name, value);
    else left.push(`${`${name}=${value}`.slice(0, SHOWN)} (${why})`);
  }
  return { query: left.length === 0 ? query : kept.toString(), left };
}

let last: { readonly of: Parameters<typeof understood>; readonly found: Understood } | null = null;

function remembered(...of: Parameters<typeof understood>): Understood {
  if (last?.of.every((one, place) => one === of[place]) !== true) last = { of, found: understood(...of) };
  return last.found;
}

/** The same of the page that is shown. */
export function useUnderstood(): Understood {
  return remembered(useBoard(), useHashPath()[0], useHashQuery(), useNotebook().notes);
}

export const useUnderstoodQuery: BaseSearchHook = () => useUnderstood().query;

/** Whether this page has rows or words that `q` of its address chooses. */
export function hasFilter(board: CurrentBoard, path: string): boolean {
  return rulesOf(board, path, new URLSearchParams(), [])?.["q"] !== undefined;
}
