import { Link, useLocation } from "wouter";
import { useBoard } from "../../data/board";
import { useAddress, type Query } from "../../route/query";
import { SubjectLabel } from "../../ui/SubjectName";
import { clear, COMPARED, toggle, useTray } from "./tray";

/** The part of the address that names the compared subjects. */
export function compared(slugs: readonly string[]): Query {
  return Object.fromEntries(COMPARED.map((name, place) => [name, slugs[place] ?? null]));
}

/** What was set aside, at the lower edge, with the way to the comparison. */
export function Tray() {
  const board = useBoard();
  const address = useAddress();
  const [path] = useLocation();
  const chosen = useTray().filter((slug) => board.subjects.has(slug));
  if (chosen.length === 0 || path === "/cmp") return null;
  return (
    <section aria-label="Comparison" className="screen-only fixed inset-x-0 bottom-0 z-30 border-t border-soft bg-paper">
      <div className="frame bar py-2 text-sm">
        {chosen.map((slug) => (
          <button key={slug} type="button" className="control flex items-center gap-2" title="Take out of the comparison" onClick={() => { toggle(slug); }}>
            <SubjectLabel slug={slug} /> <span aria-hidden="true">×</span>
          </button>
        ))}
        <span className="ml-auto flex gap-2">
          <button type="button" className="control" onClick={clear}>
            Clear
          </button>
          {chosen.length > 1 ? (
            <Link href={address("/cmp", compared(chosen))} className="control flex items-center" aria-current="true">
              Compare {chosen.length}
            </Link>
          ) : (
            <span className="self-center text-muted">Choose another one to compare with</span>
          )}
        </span>
      </div>
    </section>
  );
}
