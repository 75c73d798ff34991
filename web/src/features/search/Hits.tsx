import { useState } from "react";
import { Link } from "wouter";
import { useBoard } from "../../data/board";
import { scenarioTitle } from "../../data/titles";
import { trajectoryPage } from "../../route/paths";
import { useAddress } from "../../route/query";
import type { SearchHit } from "../../schema";
import { count } from "../../text/format";

const FIRST = 100;

/** What was found, each the way to its dialogue. */
export function Hits({ hits, found }: { readonly hits: readonly SearchHit[]; readonly found: number }) {
  const board = useBoard();
  const address = useAddress();
  const [all, setAll] = useState(false);
  const shown = all ? hits : hits.slice(0, FIRST);
  return (
    <>
      <p role="status" className="text-sm text-muted">
        {found === 0 ? "No text holds these words." : `${count(found)} ${found === 1 ? "text" : "texts"}${found > hits.length ? `, the first ${hits.length} of them here` : ""}`}
      </p>
      <ol className="mt-2 max-w-4xl">
        {shown.map((hit, place) => (
          <li key={place} className="border-t border-faint py-2">
            <p className="text-sm">
              <Link href={address(trajectoryPage(hit.subject, hit.run, hit.scenario), hit.role === "answer" || hit.role === "judge" ? {} : { think: 1 })} className="font-medium hover:text-accent hover:underline">
                {board.labels.get(hit.subject) ?? hit.subject}
              </Link>{" "}
              <span className="text-muted">
                {scenarioTitle(board, hit.scenario)}, run {hit.run}, {hit.role === "judge" ? `reasons of ${hit.judge}` : hit.role}
              </span>
            </p>
            <p className="text-sm">
              {hit.before !== "" && "… "}
              {hit.before}
              <mark className="rounded-sm bg-(--plot-cool-2) px-0.5 text-ink">{hit.match}</mark>
              {hit.after}
              {hit.after !== "" && " …"}
            </p>
          </li>
        ))}
      </ol>
      {shown.length < hits.length && (
        <button type="button" className="control mt-2" onClick={() => { setAll(true); }}>
          Show all {hits.length}
        </button>
      )}
    </>
  );
}
