import { useState } from "react";
import { Link } from "wouter";
import { EstimateMark } from "../../charts/marks";
import type { Span } from "../../charts/scale";
import { result } from "../../charts/share";
import { useBoard } from "../../data/board";
import { measureName } from "../../data/results";
import { scenarioTitle } from "../../data/titles";
import { trajectoryPage } from "../../route/paths";
import { useAddress, useQuery } from "../../route/query";
import type { CellsDocument, ColumnInfo, ScenarioResults, SubjectResult } from "../../schema";
import { count } from "../../text/format";
import { Downloads } from "../../ui/Downloads";
import { leastRuns, LeastRuns, mostRuns } from "../../ui/LeastRuns";
import { SubjectLabel } from "../../ui/SubjectName";

const SHOWN = 12; // rows before the rest is asked for
const SHARES: Span = { low: 0, high: 1, step: 0.25 };
const COLUMNS: readonly ColumnInfo[] = [
  { key: "subject", head: "Subject" },
  { key: "mean", head: "Mean", kind: "number", digits: 4 },
  { key: "ci", head: "95% interval", kind: "interval", digits: 4 },
  { key: "runs", head: "Runs", kind: "count" },
];

interface StripProps {
  readonly results: ScenarioResults;
  readonly cells: CellsDocument;
}

/** Subjects by what they kept in a scenario, the lowest first; each row leads to its dialogues. */
export function Strip({ results, cells }: StripProps) {
  const measure = measureName(cells);
  const board = useBoard();
  const [query, change] = useQuery();
  const [all, setAll] = useState(false);
  const usual = results.subjects.some(({ runs }) => runs > 1) ? 2 : 1;
  const least = leastRuns(query, usual);
  const highest = query.get("first") === "highest";
  const enough = results.subjects.filter(({ runs }) => runs >= least);
  const rows = highest ? enough.toReversed() : enough;
  const shown = all ? rows : rows.slice(0, SHOWN);
  const svg = () =>
    import("../../charts/save").then(({ chartSvg }) =>
      chartSvg({
        kind: "intervals",
        id: `subjects-${results.id}`,
        title: `${scenarioTitle(board, results.id)}: ${measure} by subject`,
        caption: `Mean over runs; interval: ${results.method}.`,
        scales: [{ head: measure, kind: "percent", span: [0, 1] }],
        rows: rows.map(({ slug, mean, ci }) => ({ label: board.labels.get(slug) ?? slug, values: [{ value: mean, inner: ci ?? null }] })),
      }),
    );
  const few = results.subjects.length - enough.length;
  return (
    <section aria-labelledby="strip" className="min-w-0">
      <div className="head">
        <h2 id="strip">
          {`Subjects by ${measure}`}
        </h2>
        <Downloads name={`subjects-${results.id}`} columns={COLUMNS} rows={rows.map(({ slug, mean, ci, runs }) => [board.labels.get(slug) ?? slug, mean, ci ?? null, runs])} svg={svg} />
      </div>
      <div className="bar mt-2">
        <select aria-label="Order of subjects" className="control" value={highest ? "highest" : ""} onChange={(event) => { change({ first: event.target.value }); }}>
          <option value="">Lowest first</option>
          <option value="highest">Highest first</option>
        </select>
        <LeastRuns most={mostRuns(board)} usual={usual} />
      </div>
      <table className="data-table mt-2 table-fixed">
        <thead>
          <tr>
            <th scope="col" className="w-2/5">
              Subject
            </th>
            <th scope="col">
              <span className="sr-only">Mean and interval</span>
              <span aria-hidden="true" className="flex justify-between font-normal">
                <span>{result(cells, 0)}</span>
                <span>{result(cells, 1)}</span>
              </span>
            </th>
            <th scope="col" className="w-15 text-right">
              Mean
            </th>
            <th scope="col" className="w-28 text-right max-sm:hidden">
              95%
            </th>
            <th scope="col" className="w-11 text-right">
              Runs
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <Row key={row.slug} row={row} scenario={results.id} cells={cells} />
          ))}
        </tbody>
      </table>
      {rows.length > shown.length && (
        <button type="button" className="control mt-3" onClick={() => { setAll(true); }}>
          Show all {count(rows.length)} subjects
        </button>
      )}
      <p className="note mt-3">
        Mean {measure} over runs. Interval: {results.method}; none of a single run.
        {few > 0 && ` Left out for fewer than ${least} runs: ${count(few)}.`} A name opens the median run.
      </p>
    </section>
  );
}

function Row({ row, scenario, cells }: { readonly row: SubjectResult; readonly scenario: string; readonly cells: CellsDocument }) {
  const board = useBoard();
  const address = useAddress();
  const { slug, mean, ci = null, runs } = row;
  const label = board.labels.get(slug) ?? slug;
  const interval = ci === null ? "—" : `${result(cells, ci[0])} to ${result(cells, ci[1])}`;
  return (
    <tr>
      <th scope="row" className="py-0.5">
        <Link href={address(trajectoryPage(slug, row.median_run, scenario))} className="block min-h-6 hover:text-accent hover:underline">
          <SubjectLabel slug={slug} />
        </Link>
      </th>
      <td className="py-0">
        <EstimateMark span={SHARES} estimate={{ value: mean, inner: ci }} hollow={ci === null} says={`${label}: ${result(cells, mean)}${ci === null ? "" : `, 95% ${interval}`}`} />
      </td>
      <td className="text-right font-medium whitespace-nowrap">{result(cells, mean)}</td>
      <td className="text-right text-xs whitespace-nowrap text-muted max-sm:hidden">{interval}</td>
      <td className="text-right text-muted">{runs}</td>
    </tr>
  );
}
