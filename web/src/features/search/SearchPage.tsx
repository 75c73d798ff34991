import { useMemo, useRef, useState, type SyntheticEvent } from "react";
import { useBoard } from "../../data/board";
import { useCells } from "../../data/results";
import { useKeys } from "../../keys/keys";
import { useQuery } from "../../route/query";
import type { ColumnInfo, SearchDocument } from "../../schema";
import { Page } from "../../shell/Page";
import { count } from "../../text/format";
import { wanted } from "../../text/matching";
import { Downloads } from "../../ui/Downloads";
import { Failed, Waiting } from "../../ui/Notice";
import { counted, dialogues, facets, narrowed, type Facet } from "./found";
import { Hits } from "./Hits";
import { useSearch } from "./search";

const FIRST = 10;
const MORE = 20;
const COLUMNS: readonly ColumnInfo[] = ["subject", "scenario", "run", "kind", "judge", "places", "result"].map((key) => ({ key, head: key }));

/** Search over every text of the board. */
export default function SearchPage() {
  const [query, change] = useQuery();
  const words = (query.get("q") ?? "").trim();
  const whole = query.get("whole") === "1";
  const field = useRef<HTMLInputElement>(null);
  useKeys({ f: () => field.current?.focus() });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    change({ q: field.current?.value ?? "" }, true);
  };
  return (
    <Page title="Search" lead="Searches answers, the models' reasoning and the judges' reasons.">
      <form className="bar mb-3" role="search" onSubmit={submit}>
        <input
          key={words}
          ref={field}
          type="search"
          aria-label="Words to look for"
          placeholder="Words to look for"
          className="control min-w-64 flex-1 cursor-text"
          defaultValue={words}
        />
        <button type="submit" className="control main">
          Search
        </button>
        <label className="flex items-center gap-1.5 text-sm">
          <input type="checkbox" checked={whole} onChange={() => { change({ whole: whole ? null : 1 }); }} />
          Whole words
        </label>
      </form>
      {words === "" ? (
        <p className="max-w-text text-muted">
          Several words are searched as a phrase; punctuation and capitals are ignored. The first and the last may be
          parts of words, at least three letters long.
        </p>
      ) : (
        <Searched words={words} whole={whole} />
      )}
    </Page>
  );
}

function Searched({ words, whole }: { readonly words: string; readonly whole: boolean }) {
  const searched = useSearch(words, whole);
  if (wanted(words).words.length === 0) return <p className="text-muted">Type letters or figures: other signs are not looked for.</p>;
  if (searched.state === "loading") return <Waiting what="Searching" />;
  if (searched.state === "failed") return <Failed path={searched.path} why={searched.why} />;
  return <Results key={`${words}/${String(whole)}`} found={searched.value} words={words} whole={whole} />;
}

interface ResultsProps {
  readonly found: SearchDocument;
  readonly words: string;
  readonly whole: boolean;
}

function Results({ found, words, whole }: ResultsProps) {
  const board = useBoard();
  const loaded = useCells();
  const [query] = useQuery();
  const [most, setMost] = useState(FIRST);
  const cells = loaded?.state === "ready" ? loaded.value : null;
  const all = useMemo(() => facets(board, cells), [board, cells]);
  const hits = useMemo(() => narrowed(found.hits, all, query), [found, all, query]);
  const listed = useMemo(() => dialogues(board, cells, hits), [board, cells, hits]);
  const asked = useMemo(() => wanted(words, whole), [words, whole]);
  const places = hits.reduce((sum, hit) => sum + hit.places, 0);
  const known = found.hits.reduce((sum, hit) => sum + hit.places, 0);
  const rows = listed.flatMap(({ share, hits: own }) =>
    own.map((hit) => [board.labels.get(hit.subject) ?? hit.subject, hit.scenario, hit.run, hit.role, hit.judge ?? "", hit.places, share]),
  );
  return (
    <>
      <div className="bar mb-4">
        {all.map((facet) => (
          <FacetChoice key={facet.name} facet={facet} all={all} found={found} />
        ))}
      </div>
      <div className="head">
        <p role="status" className="text-sm text-muted">
          {places === 0
            ? "No text holds these words."
            : `${count(places)} ${places === 1 ? "place" : "places"} in ${count(listed.length)} ${listed.length === 1 ? "dialogue" : "dialogues"}`}
          {found.found > known && `; ${count(found.found - known)} more places are not listed`}
        </p>
        {rows.length > 0 && <Downloads name="search" columns={COLUMNS} rows={rows} />}
      </div>
      <Hits all={listed.slice(0, most)} asked={asked} />
      {listed.length > most && (
        <button type="button" className="control mt-2" onClick={() => { setMost(most + MORE); }}>
          {listed.length - most > MORE ? `Show ${MORE} more of ${count(listed.length - most)}` : `Show the other ${listed.length - most}`}
        </button>
      )}
    </>
  );
}

interface FacetChoiceProps {
  readonly facet: Facet;
  readonly all: readonly Facet[];
  readonly found: SearchDocument;
}

/** A choice among the values of a facet, with how many dialogues each has beside what the others choose. */
function FacetChoice({ facet, all, found }: FacetChoiceProps) {
  const [query, change] = useQuery();
  const chosen = query.get(facet.name) ?? "";
  const values = useMemo(() => counted(narrowed(found.hits, all, query, facet), facet), [found, all, query, facet]);
  if (values.length < 2 && chosen === "") return null;
  return (
    <select
      aria-label={facet.title}
      className={`control sm:max-w-56 ${chosen === "" ? "" : "border-accent"}`}
      value={chosen}
      onChange={(event) => { change({ [facet.name]: event.target.value }); }}
    >
      <option value="">{facet.title}: all</option>
      {chosen !== "" && !values.some((one) => one.value === chosen) && <option value={chosen}>{facet.label(chosen)} (0)</option>}
      {values.map((one) => (
        <option key={one.value} value={one.value}>
          {one.label} ({count(one.count)})
        </option>
      ))}
    </select>
  );
}
