import { lazy, Suspense, useMemo } from "react";
import { boardName, mainOf, useBoard, type CurrentBoard } from "../../data/board";
import { PERSONA } from "../../data/titles";
import { spanFrom, type Span } from "../../charts/scale";
import { useQuery } from "../../route/query";
import type { ColumnInfo, Intervals } from "../../schema";
import { Page } from "../../shell/Page";
import { compareValues, type Direction } from "../../text/compare";
import { counted, type Value } from "../../text/format";
import { Prose } from "../../text/Markdown";
import { DataTable } from "../../ui/DataTable";
import { Downloads } from "../../ui/Downloads";
import { Waiting } from "../../ui/Notice";
import { UnderPrompt } from "../about/UnderPrompt";
import { BoardNotes } from "./BoardNotes";
import { BoardTable } from "./BoardTable";
import { Controls, TOP } from "./Controls";
import { entries, estimateOf, FIXED, innerInterval, optionalColumns, standing, usualColumns, type BoardColumn, type Entry } from "./entries";
import { Fold } from "./Fold";
import { matches } from "./facets";
import { useReference } from "./reference";

const BoardFigures = lazy(() => import("./BoardFigures"));
const SHOWN_SHARE = 0.9; // of the intervals that the whole scale must hold; the widest tenth would flatten the rest

/** Every subject of the board with its index, its interval and its place. */
export function LeaderboardPage() {
  const board = useBoard();
  const { info, judge } = board;
  const counts = `${counted(info.subjects, "subject")}, ${counted(info.dialogues, "dialogue")} with ${counted(info.answers, "answer")}, ${counted(info.verdicts, "verdict")}${judge === null ? "" : ` by ${judge.name}`}.`;
  return (
    <Page
      title="Leaderboard"
      lead={
        <>
          {info.analysis === PERSONA && (
            <p className="text-sm">
              Does a model that plays the persona keep its commitments when somebody asks for the very act, and does it grant what is fair?
            </p>
          )}
          {board.index.board !== null && (
            <p className="text-sm">
              Does a model keep its identity, positions and choices when a person presses it to change them? Index: 0 to 100; higher means that it keeps more.
            </p>
          )}
          {info.variant === "strong_independence" && <UnderPrompt />}
          {board.index.result !== "" && (
            <div className="mt-3 mb-2 text-ink sm:text-lg/7" data-part="result">
              <Prose text={board.index.result} />
            </div>
          )}
          <p className="text-sm">{counts}</p>
        </>
      }
      beside={<Fold />}
    >
      {board.index.board === null ? <Tables board={board} /> : <RankedBoard board={board} />}
    </Page>
  );
}

function Tables({ board }: { readonly board: CurrentBoard }) {
  return (
    <div className="space-y-8">
      {board.index.tables.map((table) => (
        <DataTable key={table.id} table={table} />
      ))}
      <Suspense fallback={<Waiting what="Loading the figures" />}>
        <BoardFigures />
      </Suspense>
    </div>
  );
}

function spanOf(all: readonly Entry[], zoomed: boolean): Span {
  const whole = all.filter(({ row }) => mainOf(row).value !== null);
  const ends = (whole.length > 0 ? whole : all).map((entry) => innerInterval(entry)?.[0] ?? standing(entry));
  ends.sort((one, other) => other - one);
  const last = zoomed ? Math.min(TOP, ends.length) : Math.ceil(ends.length * SHOWN_SHARE);
  return spanFrom(ends[Math.max(last - 1, 0)] ?? 0);
}

function exported(columns: readonly BoardColumn[], shown: readonly Entry[]): { columns: ColumnInfo[]; rows: Value[][] } {
  const all = [...FIXED, ...columns.filter((column) => column.key !== "ci" && column.key !== "like_these")];
  return {
    columns: all.map(({ key, head, kind = "text", digits = 1 }) => ({ key, head, kind, digits })),
    rows: shown.map((entry) => all.map((column) => column.value(entry))),
  };
}

function drawn(board: CurrentBoard, span: Span, entries: readonly Entry[]): Intervals {
  return {
    kind: "intervals",
    id: `leaderboard-${board.info.id}`,
    title: `Independence Index, ${boardName(board.info)}`,
    caption: "Index with its intervals: thick for more runs of these scenarios, thin for other scenarios of this kind.",
    scales: [{ head: "Index", kind: "index", span: [span.low, span.high] }],
    rows: entries.map((entry) => ({
      label: board.labels.get(entry.subject.slug) ?? entry.subject.label,
      values: [estimateOf(entry)],
      simulated: entry.row.simulated,
    })),
  };
}

function RankedBoard({ board }: { readonly board: CurrentBoard }) {
  const [query, change] = useQuery();
  const all = useMemo(() => entries(board), [board]);
  const optional = useMemo(() => optionalColumns(board, all), [board, all]);
  const usual = usualColumns(board);
  const chosen = query.get("cols")?.split(" ") ?? usual;
  const columns = optional.filter((column) => chosen.includes(column.key));
  const sort = query.get("sort");
  const direction: Direction = query.get("dir") === "asc" ? "asc" : "desc";
  const zoomed = query.get("zoom") === "top";
  const reference = useReference();
  const span = useMemo(() => spanOf(all, zoomed), [all, zoomed]);
  const shown = useMemo(() => {
    const found = all.filter((entry) => matches(entry, query));
    const by = [...FIXED, ...optional].find((column) => column.key === sort);
    return by === undefined ? found : found.toSorted((a, b) => compareValues(by.value(a), by.value(b), direction));
  }, [all, query, optional, sort, direction]);
  const files = exported(columns, shown);
  return (
    <>
      <Controls
        all={all}
        optional={optional}
        chosen={chosen}
        usual={usual}
        found={shown.length}
        downloads={
          <Downloads
            name={`leaderboard-${board.info.id}`}
            columns={files.columns}
            rows={files.rows}
            svg={() => import("../../charts/save").then(({ chartSvg }) => chartSvg(drawn(board, span, shown)))}
          />
        }
      />
      <BoardTable
        entries={shown}
        columns={columns}
        all={query.has("cols")}
        span={span}
        reference={reference}
        sort={sort}
        direction={direction}
        onSort={(key, first) => {
          const turned = direction === "asc" ? "desc" : "asc";
          change({ sort: key, dir: sort === key ? turned : first });
        }}
      />
      {reference !== null && (
        <p role="status" className="mt-2 text-sm text-muted">
          Shaded: one comparison does not tell it apart from {board.labels.get(reference.slug)} (p at least .05).
        </p>
      )}
      {shown.length === 0 && <p className="py-8 text-muted">No subject matches. Clear the filter to see all {all.length}.</p>}
      <BoardNotes board={board} />
    </>
  );
}
