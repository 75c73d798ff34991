import type { CurrentBoard } from "../data/board";
import { useQuery } from "../route/query";

/** The highest number of runs of any subject. */
export function mostRuns(board: CurrentBoard): number {
  return board.index.subjects.reduce((most, subject) => Math.max(most, subject.runs), 1);
}

/** With how many runs subjects are shown: `least` of the address. */
export function leastRuns(query: URLSearchParams, usual: number): number {
  return Number(query.get("least") ?? usual);
}

/** With how many runs subjects are shown; nothing where all have one. */
export function LeastRuns({ most, usual }: { readonly most: number; readonly usual: number }) {
  const [query, change] = useQuery();
  if (most < 2) return null;
  return (
    <select aria-label="Least runs" className="control" value={leastRuns(query, usual)} onChange={(event) => { change({ least: Number(event.target.value) === usual ? null : event.target.value }); }}>
      {Array.from({ length: most }, (_, place) => place + 1).map((runs) => (
        <option key={runs} value={runs}>
          {runs === 1 ? "Any number of runs" : `At least ${runs} runs`}
        </option>
      ))}
    </select>
  );
}
