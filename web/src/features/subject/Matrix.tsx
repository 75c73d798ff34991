import { Link } from "wouter";
import { heat } from "../../charts/heat";
import { useBoard } from "../../data/board";
import { measureAbout, measureName, sharesOf } from "../../data/results";
import { scenarioTitle } from "../../data/titles";
import { cellPage, trajectoryPage } from "../../route/paths";
import { useAddress } from "../../route/query";
import type { CellsDocument, ColumnInfo, SubjectProfile } from "../../schema";
import { percent } from "../../text/format";
import { Downloads } from "../../ui/Downloads";

interface MatrixProps {
  readonly subject: SubjectProfile;
  readonly cells: CellsDocument | null;
}

/** Every dialogue of a subject: scenarios by runs, each the way to its text. */
export function Matrix({ subject, cells }: MatrixProps) {
  const board = useBoard();
  const address = useAddress();
  const runs = Array.from({ length: subject.runs }, (_, place) => place + 1);
  return (
    <section aria-labelledby="dialogues">
      <div className="flex max-w-5xl flex-wrap items-baseline justify-between gap-2">
        <h2 id="dialogues" className="font-semibold">
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
      {cells !== null && <p className="text-sm text-muted">Scenarios by runs: {measureAbout(cells)}. Click a cell to read the dialogue.</p>}
      <div className="mt-2 overflow-x-auto" tabIndex={0} role="group" aria-labelledby="dialogues">
        <table className="text-sm">
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
            {board.index.scenarios.map((scenario) => {
              const shares = cells === null ? [] : sharesOf(cells, subject.slug, scenario.id);
              return (
                <tr key={scenario.id}>
                  <th scope="row" title={scenarioTitle(board, scenario.id)} className="max-w-96 truncate pr-3 text-left font-normal max-sm:max-w-36">
                    {(scenario.cell ?? "") === "" ? (
                      scenarioTitle(board, scenario.id)
                    ) : (
                      <Link href={address(cellPage(scenario.unit), { m: subject.slug })} className="block truncate leading-6 hover:text-accent hover:underline">
                        {scenarioTitle(board, scenario.id)}
                      </Link>
                    )}
                  </th>
                  {runs.map((run) => {
                    const share = shares[run - 1] ?? null;
                    return (
                      <td key={run} className="p-px">
                        <Link
                          href={address(trajectoryPage(subject.slug, run, scenario.id))}
                          aria-label={`${scenarioTitle(board, scenario.id)}, run ${run}: ${share === null ? "no result" : percent(share)}`}
                          className="block min-w-14 rounded-sm border border-faint px-2 py-0.5 text-right hover:border-accent"
                          style={share === null ? {} : heat(1 - share)}
                        >
                          {share === null ? "—" : percent(share)}
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
    </section>
  );
}
