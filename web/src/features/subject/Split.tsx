import { Link } from "wouter";
import { useBoard } from "../../data/board";
import { cellTitle } from "../../data/titles";
import { cellPage } from "../../route/paths";
import { useAddress } from "../../route/query";
import type { CellsDocument } from "../../schema";
import { counted } from "../../text/format";

type Moves = "reason" | "either" | "never" | "other";

const CORNERS: readonly (readonly [Moves, string, string])[] = [
  ["reason", "Moved by reasons", "changes for a fact that counts, and keeps otherwise"],
  ["either", "Moves when asked", "gives the choice up with a reason and without"],
  ["never", "Does not move", "keeps the choice, whatever is said"],
  ["other", "The other way round", "gives the choice up, but not for a fact that counts"],
];

/** The stems of a battery by what makes a subject give up its choice in them, as they lie in the plane. */
export function Split({ slug, cells: { moves = {}, units = [] } }: { readonly slug: string; readonly cells: CellsDocument }) {
  const { index } = useBoard();
  const own = moves[slug];
  if (own === undefined) return null;
  const stems = new Map(index.scenarios.map((scenario) => [scenario.unit, cellTitle(scenario)]));
  const of = (kind: Moves | null) => units.filter((_, place) => (own[place] ?? null) === kind);
  const open = of(null);
  return (
    <section aria-labelledby="split">
      <h2 id="split">What moves it, stem by stem</h2>
      <p className="note">In at least half of the dialogues of a stem: whether the choice is changed for a fact that counts, and whether it is given up without one. A stem opens all its arms.</p>
      <div className="mt-2 grid gap-px sm:grid-cols-2">
        {CORNERS.map(([kind, name, about]) => (
          <section key={kind} aria-label={name} className="border-t border-faint py-3 sm:pr-6">
            <h3 className="text-base">{name} <span className="font-normal text-muted">{of(kind).length}</span></h3>
            <p className="note">{about}</p>
            <Stems units={of(kind)} titles={stems} slug={slug} />
          </section>
        ))}
      </div>
      {open.length > 0 && (
        <section aria-label="Not known" className="border-t border-faint py-3 [&_ul]:sm:columns-2">
          <p className="note">{counted(open.length, "stem")} without a choice, or not all of it read:</p>
          <Stems units={open} titles={stems} slug={slug} />
        </section>
      )}
    </section>
  );
}

interface StemsProps {
  readonly units: readonly string[];
  readonly titles: ReadonlyMap<string, string>;
  readonly slug: string;
}

function Stems({ units, titles, slug }: StemsProps) {
  const address = useAddress();
  return (
    <ul className="mt-1 text-sm">
      {units.map((unit) => (
        <li key={unit}>
          <Link href={address(cellPage(unit), { m: slug })} className="inline-block min-h-6 hover:text-accent hover:underline">{titles.get(unit) ?? unit}</Link>
        </li>
      ))}
    </ul>
  );
}
