import { Link } from "wouter";
import { useBoard } from "../../data/board";
import { useDocument } from "../../data/documents";
import { sharedPath } from "../../data/paths";
import { trajectoryPage } from "../../route/paths";
import { useAddress } from "../../route/query";
import type { NamesDocument } from "../../schema";

/** The names that a subject took when it was free to, each with the answers in which it did. */
export function NamesTaken({ slug }: { readonly slug: string }) {
  const board = useBoard();
  const address = useAddress();
  const loaded = useDocument<NamesDocument>(sharedPath(board, "names"));
  if (loaded.state !== "ready") return null;
  const { names, declined, scenarios } = loaded.value;
  const own = names.flatMap(({ name, uses }) => {
    const use = uses.find((one) => one.slug === slug);
    return use === undefined ? [] : [{ name, runs: use.runs }];
  });
  const none = declined.find((one) => one.slug === slug);
  const scenario = scenarios[0];
  if (scenario === undefined || (own.length === 0 && none === undefined)) return null;
  const all = none === undefined ? own : [...own, { name: "no name", runs: none.runs }];
  return (
    <section aria-labelledby="names">
      <h2 id="names">
        Names it took
      </h2>
      <ul className="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-sm">
        {all.map(({ name, runs }) => (
          <li key={name}>
            <span className="font-medium">{name}</span>{" "}
            <span className="text-muted">
              run{" "}
              {runs.map((run, place) => (
                <span key={run}>
                  {place > 0 && ", "}
                  <Link href={address(trajectoryPage(slug, run, scenario))} className="link">
                    {run}
                  </Link>
                </span>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
