import { useCallback, useMemo, useState } from "react";
import { result, resultStyle } from "../../charts/share";
import { isNamed, useBoard, type CurrentBoard } from "../../data/board";
import { contrastWords } from "../../data/contrasts";
import { cellsPath } from "../../data/paths";
import { measureAbout, measureName, slugsInOrder, useCells } from "../../data/results";
import { capital, cellTitle, columnTitle, scenarioTitle } from "../../data/titles";
import { navigate } from "../../route/hash";
import { cellPage, scenarioPage, subjectPage } from "../../route/paths";
import { useAddress, useQuery } from "../../route/query";
import type { CellsDocument, HeatTotals } from "../../schema";
import { Page } from "../../shell/Page";
import { signed } from "../../text/format";
import { Failed, Waiting } from "../../ui/Notice";
import { LeastRuns, leastRuns, mostRuns } from "../../ui/LeastRuns";
import { Heat, type HeatAxis } from "./Heat";
import { RunList, type OpenCell } from "./RunList";

/** Subjects by scenarios: how much each gave up, darker for more; of a paired suite disputes by subjects. */
export default function HeatmapPage() {
  const board = useBoard();
  const cells = useCells();
  return (
    <Page title="Heatmap">
      {cells === null && <p className="text-muted">Nobody has judged these dialogues yet.</p>}
      {cells?.state === "loading" && <Waiting what="Loading the results" />}
      {cells?.state === "failed" && <Failed path={cellsPath(board)} why={cells.why} />}
      {cells?.state === "ready" && (cells.value.unit_totals == null ? <Shares cells={cells.value} /> : <Contrasts cells={cells.value} totals={cells.value.unit_totals} />)}
    </Page>
  );
}

function useSubjects(board: CurrentBoard, totals: HeatTotals): { readonly axis: HeatAxis; readonly left: number } {
  const address = useAddress();
  const [query] = useQuery();
  const [least, typed] = [leastRuns(query, 1), query.get("q") ?? ""];
  return useMemo(() => {
    const all = slugsInOrder(board).filter((slug) => isNamed(board.subjects.get(slug), typed));
    const slugs = all.filter((slug) => (board.subjects.get(slug)?.runs ?? 0) >= least);
    const entries = slugs.map((key) => {
      const [mean = null, spread = null] = totals.rows[key] ?? [];
      return { key, label: board.labels.get(key) ?? key, to: address(subjectPage(key)), mean, spread };
    });
    const given = board.index.board === null ? "board order" : "leaderboard order";
    return { axis: { name: "Subject", given, entries, similar: totals.row_order }, left: all.length - slugs.length };
  }, [board, totals, least, typed, address]);
}

function Shares({ cells }: { readonly cells: CellsDocument }) {
  const board = useBoard();
  const address = useAddress();
  const [opened, setOpened] = useState<OpenCell | null>(null);
  const { axis, left } = useSubjects(board, cells.totals);
  const columns = useMemo((): HeatAxis => {
    const entries = cells.scenarios.map((key, place) => {
      const [mean = null, spread = null] = cells.totals.columns[place] ?? [];
      return { key, label: scenarioTitle(board, key), head: columnTitle(board, key), to: address(scenarioPage(key)), mean, spread };
    });
    return { name: "Scenario", given: "suite order", entries, similar: cells.totals.column_order.map((place) => cells.scenarios[place] ?? "") };
  }, [board, cells, address]);
  const places = useMemo(() => new Map(cells.scenarios.map((id, place) => [id, place])), [cells]);
  const value = useCallback((slug: string, scenario: string) => cells.means[slug]?.[places.get(scenario) ?? -1] ?? null, [cells, places]);
  return (
    <>
      <Heat
        name={`heatmap-${board.info.id}`}
        title={`Mean ${measureName(cells)} by subject and scenario`}
        colours="kept"
        rows={axis}
        columns={columns}
        value={value}
        shown={(share) => result(cells, share)}
        style={(share) => resultStyle(cells, share)}
        about={`Mean ${measureAbout(cells)} over all runs; ${cells.scale == null ? "the stronger the colour, the more was given up" : "pale is the middle of the scale"}. Click a column header to sort; click again to reverse. A cell lists its runs. Spread: standard deviation of means.${hidden(left)}${commitments(cells)}`}
        onOpen={(slug, scenario, cell) => { setOpened({ slug, scenario, box: cell.getBoundingClientRect() }); }}
      >
        <LeastRuns most={mostRuns(board)} usual={1} />
      </Heat>
      {opened !== null && <RunList cell={opened} cells={cells} onClose={() => { setOpened(null); }} />}
    </>
  );
}

/** Of a persona, what the heads of columns begin with. */
function commitments({ personas = {} }: CellsDocument): string {
  return (Object.values(personas)[0]?.commitments ?? []).map(({ commitment, text }) => ` ${commitment}: ${text}`).join("");
}

function hidden(left: number): string {
  return left === 0 ? "" : ` Left out for fewer runs: ${left}.`;
}

function Contrasts({ cells, totals }: { readonly cells: CellsDocument; readonly totals: HeatTotals }) {
  const board = useBoard();
  const address = useAddress();
  const { axis, left } = useSubjects(board, totals);
  const { units = [], contrasts = {}, quantity = "" } = cells;
  const { one, about, style } = contrastWords(quantity);
  const rows = useMemo((): HeatAxis => {
    const titles = new Map(board.index.scenarios.map((scenario) => [scenario.unit, cellTitle(scenario)]));
    const entries = units.map((key, place) => {
      const [mean = null, spread = null] = totals.columns[place] ?? [];
      return { key, label: titles.get(key) ?? key, to: address(cellPage(key)), mean, spread };
    });
    return { name: capital(one), given: "suite order", entries, similar: totals.column_order.map((place) => units[place] ?? "") };
  }, [board, units, totals, one, address]);
  const places = useMemo(() => new Map(units.map((unit, place) => [unit, place])), [units]);
  const value = useCallback((unit: string, slug: string) => contrasts[slug]?.[places.get(unit) ?? -1] ?? null, [contrasts, places]);
  return (
    <Heat
      name={`heatmap-${board.info.id}`}
      title={`${quantity} by ${one} and subject`}
      colours="middle"
      rows={rows}
      columns={axis}
      value={value}
      shown={(own) => signed(own)}
      style={style}
      about={`${quantity} of each ${one}, from −1 to +1: ${about}. Click a header to sort; click again to reverse. A cell opens the ${one}'s dialogues. Spread: standard deviation.${hidden(left)}`}
      onOpen={(unit, slug) => { navigate(address(cellPage(unit), { m: slug })); }}
    >
      <LeastRuns most={mostRuns(board)} usual={1} />
    </Heat>
  );
}
