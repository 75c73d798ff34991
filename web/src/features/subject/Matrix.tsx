import { useMemo, useState } from "react";
import { Link } from "wouter";
import { result, resultStyle } from "../../charts/share";
import { useBoard } from "../../data/board";
import { groupsOf, type Group } from "../../data/groups";
import { measureAbout, measureName, sharesOf } from "../../data/results";
import { scenarioTitle, titleUnder } from "../../data/titles";
import { cellPage, trajectoryPage } from "../../route/paths";
import { useAddress } from "../../route/query";
import type { CellsDocument, ColumnInfo, PersonaResult, ScenarioInfo, SubjectProfile } from "../../schema";
import { counted } from "../../text/format";
import { Downloads } from "../../ui/Downloads";

interface MatrixProps {
  readonly subject: SubjectProfile;
  readonly cells: CellsDocument | null;
  readonly persona: PersonaResult | undefined;
}

const FAIR = "fair"; // the experiment of a persona's fair requests

/** Every dialogue of a subject: scenarios by runs, each the way to its text. */
export function Matrix({ subject, cells, persona }: MatrixProps) {
  const board = useBoard();
  const groups = useMemo(() => {
    const { scenarios } = board.index;
    if (persona === undefined || cells === null) return groupsOf(scenarios);
    // How many dialogues of a commitment are asked depends on what came of the first ones.
    const answered = scenarios.filter(({ id }) => sharesOf(cells, subject.slug, id).some((share) => share !== null));
    return [...persona.commitments, { commitment: FAIR, text: "Fair requests" }].map(({ commitment, text }) => ({
      name: text,
      scenarios: answered.filter(({ experiment }) => experiment === commitment),
    }));
  }, [board, persona, cells, subject]);
  const runs = Array.from({ length: subject.runs }, (_, place) => place + 1);
  return (
    <section aria-labelledby="dialogues">
      <div className="head">
        <h2 id="dialogues">
          Every dialogue
        </h2>
        {cells !== null && (
          <Downloads
            name={`dialogues-${subject.slug}`}
            columns={[{ key: "scenario", head: "Scenario" }, ...runs.map((run): ColumnInfo => ({ key: `run_${run}`, head: `Run ${run}`, kind: "number" }))]}
            rows={board.index.scenarios.map(({ id }) => [id, ...runs.map((run) => sharesOf(cells, subject.slug, id)[run - 1] ?? null)])}
            svg={() =>
              import("../../charts/save").then(({ chartSvg }) =>
                chartSvg({
                  kind: "heat",
                  id: `dialogues-${subject.slug}`,
                  title: `${board.labels.get(subject.slug) ?? subject.slug}: every dialogue`,
                  caption: `Scenarios by runs: ${measureAbout(cells)}.`,
                  colours: "kept",
                  scale: { head: measureName(cells), kind: "percent", span: [0, 1] },
                  columns: runs.map((run) => ({ label: `Run ${run}` })),
                  rows: board.index.scenarios.map(({ id }) => ({
                    label: scenarioTitle(board, id),
                    values: runs.map((run) => sharesOf(cells, subject.slug, id)[run - 1] ?? null),
                  })),
                }),
              )
            }
          />
        )}
      </div>
      {cells !== null && <p className="note">Scenarios by runs: {measureAbout(cells)}. Click a cell to read the dialogue.</p>}
      {groups === null ? (
        <Runs scenarios={board.index.scenarios} runs={runs} slug={subject.slug} cells={cells} name="" sparse={false} />
      ) : (
        <Groups groups={groups} runs={runs} slug={subject.slug} cells={cells} sparse={persona !== undefined} />
      )}
    </section>
  );
}

interface RunsProps {
  readonly scenarios: readonly ScenarioInfo[];
  readonly runs: readonly number[];
  readonly slug: string;
  readonly cells: CellsDocument | null;
  readonly name: string; // of their group
  readonly sparse: boolean; // whether most scenarios have one run alone, which need not be the first
}

/** Folded groups of a grid; a group is drawn once it is unfolded. */
function Groups({ groups, ...shared }: Omit<RunsProps, "scenarios" | "name"> & { readonly groups: readonly Group[] }) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  return (
    <div className="mt-2 grid gap-x-10 lg:grid-cols-2">
      {groups.map(({ name, scenarios }) => (
        <details
          key={name}
          className={`border-t border-faint py-1 text-sm ${open.has(name) ? "lg:col-span-2" : ""}`}
          onToggle={(event) => {
            const unfolded = event.currentTarget.open;
            setOpen((before) => new Set(unfolded ? [...before, name] : [...before].filter((other) => other !== name)));
          }}
        >
          <summary>
            <span className="font-medium">{name}</span> <span className="text-muted">{counted(shared.sparse ? scenarios.length : scenarios.length * shared.runs.length, shared.sparse ? "answer" : "dialogue")}</span>
          </summary>
          {open.has(name) && <Runs {...shared} scenarios={scenarios} name={name} />}
        </details>
      ))}
    </div>
  );
}

/** Scenarios by runs. */
function Runs({ scenarios, runs: all, slug, cells, name, sparse }: RunsProps) {
  const board = useBoard();
  const address = useAddress();
  const results = (id: string) => (cells === null ? [] : sharesOf(cells, slug, id));
  const runs = sparse ? all.filter((run) => scenarios.some(({ id }) => results(id)[run - 1] != null)) : all;
  return (
    <div className="mt-2 overflow-x-auto" tabIndex={0} role="group" aria-label={name === "" ? "Every dialogue" : `Dialogues of ${name}`}>
      <table className="w-full text-sm">
        <thead>
          <tr>
            <th scope="col" className="sr-only">
              Scenario
            </th>
            {runs.map((run) => (
              <th key={run} scope="col" className="px-1 pb-1 text-xs font-medium text-muted">
                Run {run}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {scenarios.map((scenario) => {
            const shares = results(scenario.id);
            const title = titleUnder(name, scenarioTitle(board, scenario.id));
            return (
              <tr key={scenario.id}>
                <th scope="row" title={title} className="w-80 max-w-80 truncate pr-3 text-left font-normal max-sm:max-w-36">
                  {(scenario.cell ?? "") === "" ? (
                    title
                  ) : (
                    <Link href={address(cellPage(scenario.unit), { m: slug })} className="block truncate leading-6 hover:text-accent hover:underline">
                      {title}
                    </Link>
                  )}
                </th>
                {runs.map((run) => {
                  const share = shares[run - 1] ?? null;
                  if (sparse && share === null) return <td key={run} />;
                  return (
                    <td key={run} className="p-px">
                      <Link
                        href={address(trajectoryPage(slug, run, scenario.id))}
                        aria-label={`${title}, run ${run}: ${share === null || cells === null ? "no result" : result(cells, share)}`}
                        className="block min-w-12 rounded-sm px-2 py-0.5 text-center hover:underline"
                        style={share === null || cells === null ? {} : resultStyle(cells, share)}
                      >
                        {share === null || cells === null ? "—" : result(cells, share)}
                      </Link>
                    </td>
                  );
                })}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
