import { useMemo, useRef, useState, type KeyboardEvent } from "react";
import { Link } from "wouter";
import { heat } from "../../charts/heat";
import { useBoard } from "../../data/board";
import { cellsPath } from "../../data/paths";
import { mean, measureAbout, measureName, sharesOf, slugsInOrder, useCells } from "../../data/results";
import { cellTitle, scenarioTitle } from "../../data/titles";
import { navigate } from "../../route/hash";
import { cellPage, scenarioPage, subjectPage, trajectoryPage } from "../../route/paths";
import { useAddress, useQuery } from "../../route/query";
import type { CellsDocument, ColumnInfo } from "../../schema";
import { Page } from "../../shell/Page";
import { percent, type Value } from "../../text/format";
import { Downloads } from "../../ui/Downloads";
import { RowGroups } from "../../ui/RowGroups";
import { Failed, Waiting } from "../../ui/Notice";

const MOST = 2000; // elements that are drawn at once

const STEPS: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** Subjects by scenarios: the mean result of each, darker where more was lost. */
export default function HeatmapPage() {
  const board = useBoard();
  const cells = useCells();
  return (
    <Page title="Heatmap" lead="The mean result of every subject in every scenario. Enter or a click leads to the dialogues.">
      {cells === null && <p className="text-muted">Nobody has judged these dialogues yet.</p>}
      {cells?.state === "loading" && <Waiting what="Loading the results" />}
      {cells?.state === "failed" && <Failed path={cellsPath(board)} why={cells.why} />}
      {cells?.state === "ready" && <Heatmap cells={cells.value} />}
    </Page>
  );
}

interface HeatRow {
  readonly slug: string;
  readonly means: readonly (number | null)[];
}

function sorted(rows: readonly HeatRow[], place: number): readonly HeatRow[] {
  if (place < 0) return rows;
  return rows.toSorted((one, other) => (other.means[place] ?? -1) - (one.means[place] ?? -1));
}

function Heatmap({ cells }: { readonly cells: CellsDocument }) {
  const board = useBoard();
  const address = useAddress();
  const [query, change] = useQuery();
  const [active, setActive] = useState<readonly [row: number, column: number]>([0, 0]);
  const table = useRef<HTMLTableElement>(null);
  const sort = query.get("sort") ?? "";
  const rows = useMemo(() => {
    const own = slugsInOrder(board).map((slug) => ({
      slug,
      means: cells.scenarios.map((scenario) => mean(sharesOf(cells, slug, scenario))),
    }));
    return sorted(own, cells.scenarios.indexOf(sort));
  }, [board, cells, sort]);
  const paired = board.index.scenarios.some((scenario) => (scenario.cell ?? "") !== "");
  const ways = [
    ...new Map(
      board.index.scenarios.map(({ id, unit, cell = "" }): [string, string] =>
        paired ? [cellPage(unit), cellTitle(cell)] : [scenarioPage(id), scenarioTitle(board, id)],
      ),
    ),
  ];
  const columns: ColumnInfo[] = [
    { key: "subject", head: "Subject" },
    ...cells.scenarios.map((id): ColumnInfo => ({ key: id, head: scenarioTitle(board, id), kind: "number", digits: 4 })),
  ];
  const files: Value[][] = rows.map((row) => [board.labels.get(row.slug) ?? row.slug, ...row.means]);
  const svg = () =>
    import("../../charts/save").then(({ chartSvg }) =>
      chartSvg({
        kind: "heat",
        id: `heatmap-${board.info.id}`,
        title: "Subjects by scenario",
        caption: `Mean ${measureAbout(cells)} over all runs.`,
        colours: "kept",
        scale: { head: measureName(cells), kind: "percent", span: [0, 1] },
        columns: cells.scenarios.map((id) => ({ label: scenarioTitle(board, id) })),
        rows: rows.map((row) => ({ label: board.labels.get(row.slug) ?? row.slug, values: row.means })),
      }),
    );
  const open = (row: number, column: number) => {
    const [slug, scenario] = [rows[row]?.slug, cells.scenarios[column]];
    if (slug !== undefined && scenario !== undefined) navigate(address(trajectoryPage(slug, 1, scenario)));
  };
  const moved = (event: KeyboardEvent<HTMLTableElement>) => {
    if (!(event.target instanceof HTMLTableCellElement)) return; // links and buttons have keys of their own
    const step = STEPS[event.key];
    if (event.key === "Enter") open(active[0], active[1]);
    if (step === undefined) return;
    event.preventDefault();
    const row = Math.min(Math.max(active[0] + step[0], 0), rows.length - 1);
    const column = Math.min(Math.max(active[1] + step[1], 0), cells.scenarios.length - 1);
    setActive([row, column]);
    table.current?.querySelector<HTMLElement>(`[data-cell="${row}/${column}"]`)?.focus();
  };
  const heatRow = (row: HeatRow | undefined, line: number) =>
    row !== undefined && (
      <tr key={row.slug}>
        <th scope="row" className="sticky left-0 z-10 max-w-72 truncate bg-paper px-2 text-left font-normal max-sm:max-w-32">
          <Link href={address(subjectPage(row.slug))} title={board.labels.get(row.slug)} className="block truncate leading-6 hover:text-accent hover:underline">
            {board.labels.get(row.slug)}
          </Link>
        </th>
        {row.means.map((share, column) => (
          <td
            key={cells.scenarios[column]}
            data-cell={`${line}/${column}`}
            tabIndex={active[0] === line && active[1] === column ? 0 : -1}
            className="h-6 cursor-pointer px-1 py-0.5 text-right tabular-nums"
            style={share === null ? {} : heat(1 - share)}
            onClick={() => { open(line, column); }}
            onFocus={() => { setActive([line, column]); }}
          >
            {share === null ? "—" : percent(share)}
          </td>
        ))}
      </tr>
    );
  return (
    <>
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2 text-sm text-muted">
        <span>Cells: mean {measureAbout(cells)} over all runs. Click a column head to sort by that scenario.</span>
        <Downloads name={`heatmap-${board.info.id}`} columns={columns} rows={files} svg={svg} />
      </div>
      <div className="overflow-x-auto" tabIndex={0} role="group" aria-label="Heatmap, scrolls sideways">
        <table ref={table} onKeyDown={moved} className="min-w-full border-separate border-spacing-px text-xs" role="grid" aria-label="Subjects by scenarios">
          <thead>
            <tr>
              <th scope="col" className="sticky left-0 z-10 bg-paper px-2 text-left align-bottom font-medium text-muted">
                Subject
              </th>
              {cells.scenarios.map((id) => (
                <th key={id} scope="col" aria-sort={sort === id ? "descending" : undefined} className="min-w-11 px-1 text-center align-bottom font-medium text-muted">
                  <button
                    type="button"
                    title={`Sort by ${scenarioTitle(board, id)}`}
                    className={`${paired ? "h-64 w-8" : "max-h-52"} rotate-180 text-left [writing-mode:vertical-rl] hover:text-ink ${sort === id ? "text-accent" : ""}`}
                    onClick={() => { change({ sort: sort === id ? null : id }); }}
                  >
                    {scenarioTitle(board, id)}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <RowGroups count={rows.length} many={Math.floor(MOST / (cells.scenarios.length + 3))} row={(line) => heatRow(rows[line], line)} />
        </table>
      </div>
      <p className="mt-4 text-sm text-muted">
        {paired ? "All sides of one case: " : "Answers of all subjects to one scenario: "}
        {ways.map(([to, name], place) => (
          <span key={to}>
            {place > 0 && (paired ? "; " : ", ")}
            <Link href={address(to)} className="link">
              {name}
            </Link>
          </span>
        ))}
      </p>
    </>
  );
}
