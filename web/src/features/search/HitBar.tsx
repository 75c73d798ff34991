import { useMemo } from "react";
import { Link } from "wouter";
import { useBoard } from "../../data/board";
import { useCells } from "../../data/results";
import { useKeys } from "../../keys/keys";
import { navigate } from "../../route/hash";
import { trajectoryPage } from "../../route/paths";
import { useAddress, useQuery } from "../../route/query";
import type { DialogueDocument } from "../../schema";
import { dialogues, facets, narrowed, searchOf } from "./found";
import { useSearch } from "./search";

interface HitBarProps {
  readonly dialogue: DialogueDocument;
  readonly words: string;
  readonly hits: number; // in this dialogue
  readonly hit: number; // that is shown
  readonly go: (hit: number) => void;
}

/** Which place of the words is shown, the ones beside it, and the dialogues beside this one that hold the words. */
export function HitBar({ dialogue, words, hits, hit, go }: HitBarProps) {
  const board = useBoard();
  const address = useAddress();
  const [query, change] = useQuery();
  const whole = query.get("whole") === "1";
  const searched = useSearch(words, whole);
  const loaded = useCells();
  const cells = loaded?.state === "ready" ? loaded.value : null;
  const found = useMemo(
    () => (searched.state === "ready" ? dialogues(board, cells, narrowed(searched.value.hits, facets(board, cells), query)) : []),
    [board, cells, query, searched],
  );
  const search = searchOf(query);
  const own = found.findIndex((one) => one.subject === dialogue.subject && one.scenario === dialogue.scenario && one.run === dialogue.run);
  const beside = (step: number): string | null => {
    const other = own < 0 ? undefined : found[own + step];
    return other === undefined ? null : address(trajectoryPage(other.subject, other.run, other.scenario), search);
  };
  const [before, after] = [beside(-1), beside(1)];
  const move = (step: number, page: string | null) => () => {
    if (hit + step >= 0 && hit + step < hits) go(hit + step);
    else if (page !== null) navigate(page);
  };
  useKeys({ n: move(1, after), N: move(-1, before) });
  return (
    <section
      aria-label="Words found"
      className="screen-only sticky top-12 z-20 mb-4 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md border border-faint bg-paper px-3 py-1.5 text-sm"
    >
      <span role="status" className="tabular-nums">
        <span className="mark-sample mark-hit">{words}</span> {hits === 0 ? "is not in this dialogue" : `${hit + 1} of ${hits}`}
      </span>
      <button type="button" className="control" aria-label="Previous place" onClick={move(-1, before)} disabled={hit === 0 && before === null}>
        ‹
      </button>
      <button type="button" className="control" aria-label="Next place" onClick={move(1, after)} disabled={hit + 1 >= hits && after === null}>
        ›
      </button>
      {own >= 0 && (
        <span className="text-muted tabular-nums">
          dialogue {own + 1} of {found.length}
        </span>
      )}
      {before !== null && <Link href={before} className="link">previous dialogue</Link>}
      {after !== null && <Link href={after} className="link">next dialogue</Link>}
      <span className="ml-auto flex gap-2">
        <Link href={address("/search", search)} className="link">
          all hits
        </Link>
        <button type="button" className="control" onClick={() => { change(Object.fromEntries(Object.keys(search).map((name) => [name, null]))); }}>
          Clear
        </button>
      </span>
    </section>
  );
}
