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

const SHOWN = 12; // rows before the rest is asked for
const SHARES: Span = { low: 0, high: 1, step: 0.25 };
const COLUMNS: readonly ColumnInfo[] = [
  { key: "subject", head: "Subject" },
  { key: "mean", head: "Mean", kind: "number", digits: 4 },
  { key: "ci", head: "95 % interval", kind: "interval", digits: 4 },
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
      <div className="flex flex-wrap items-baseline justify-between gap-2">
        <h2 id="strip" className="text-lg font-semibold">
          {`Subjects by ${measure}`}
        </h2>
        <Downloads name={`subjects-${results.id}`} columns={COLUMNS} rows={rows.map(({ slug, mean, ci, runs }) => [board.labels.get(slug) ?? slug, mean, ci ?? null, runs])} svg={svg} />
      </div>
      <div className="screen-only mt-1 flex flex-wrap gap-2">
        <select aria-label="Order of subjects" className="control" value={highest ? "highest" : ""} onChange={(event) => { change({ first: event.target.value }); }}>
          <option value="">Lowest first</option>
          <option value="highest">Highest first</option>
        </select>
        <LeastRuns most={mostRuns(board)} usual={usual} />
      </div>
      <table className="mt-2 w-full table-fixed text-sm">
        <thead className="text-xs text-muted [&_th]:pb-1 [&_th]:font-medium">
          <tr>
            <th scope="col" className="w-2/5 text-left">
              Subject
            </th>
            <th scope="col" className="px-2">
              <span className="sr-only">Mean and interval</span>
              <span aria-hidden="true" className="flex justify-between font-normal">
                <span>{result(cells, 0)}</span>
                <span>{result(cells, 1)}</span>
              </span>
            </th>
            <th scope="col" className="w-12 text-right">
              Mean
            </th>
            <th scope="col" className="w-24 text-right max-sm:hidden">
              95 %
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
        <button type="button" className="control mt-1" onClick={() => { setAll(true); }}>
          Show all {count(rows.length)} subjects
        </button>
      )}
      <p className="mt-2 text-xs text-muted">
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
    <tr className="border-t border-faint hover:bg-band">
      <th scope="row" className="pr-2 text-left font-normal [overflow-wrap:anywhere]">
        <Link href={address(trajectoryPage(slug, row.median_run, scenario))} title={label} className="block truncate leading-6 max-sm:text-[0.8125rem] max-sm:leading-5 max-sm:whitespace-normal hover:text-accent hover:underline">
          {label}
        </Link>
      </th>
      <td className="px-2">
        <EstimateMark span={SHARES} estimate={{ value: mean, inner: ci }} hollow={ci === null} says={`${label}: ${result(cells, mean)}${ci === null ? "" : `, 95 % ${interval}`}`} />
      </td>
      <td className="text-right font-medium">{result(cells, mean)}</td>
      <td className="text-right text-xs whitespace-nowrap text-muted max-sm:hidden">{interval}</td>
      <td className="text-right text-muted">{runs}</td>
    </tr>
  );
}
