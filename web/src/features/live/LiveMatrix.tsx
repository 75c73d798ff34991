import { Link } from "wouter";
import { useBoard } from "../../data/board";
import { columnTitle, scenarioTitle } from "../../data/titles";
import { subjectPage, trajectoryPage } from "../../route/paths";
import { useAddress } from "../../route/query";
import type { LiveDocument } from "../../schema";
import { SubjectLabel } from "../../ui/SubjectName";

type Cell = NonNullable<LiveDocument["cells"][number][number]>;

/** Subjects by scenarios: how many of the planned dialogues are answered and judged, run now, or failed. */
export function LiveMatrix({ live }: { readonly live: LiveDocument }) {
  const board = useBoard();
  const address = useAddress();
  return (
    <>
      <p className="mb-2 text-[0.8125rem] text-muted">
        Each cell: dialogues answered of those planned. Pale: none yet; darker: answered; darkest: judged too. Framed: in progress. “2!”: two failed. A cell opens a dialogue: one in progress, else one that failed, else the first.
      </p>
      <div className="overflow-x-auto" tabIndex={0} role="group" aria-label="Dialogues, scrolls sideways">
        <table className="border-separate border-spacing-px text-xs tabular-nums">
          <thead>
            <tr>
              <th scope="col" className="sticky left-0 bg-paper px-2 text-left align-bottom font-medium text-muted">
                Subject
              </th>
              {live.scenarios.map((id) => (
                <th key={id} scope="col" className="px-1 align-bottom font-medium text-muted">
                  <span className="inline-block max-h-40 rotate-180 [writing-mode:vertical-rl]">{columnTitle(board, id)}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {live.subjects.map((slug, line) => {
              const name = board.labels.get(slug) ?? live.labels[line] ?? "";
              return (
              <tr key={slug}>
                <th scope="row" className="sticky left-0 max-w-72 bg-paper px-2 text-left font-normal max-sm:max-w-36">
                  {board.subjects.has(slug) ? (
                    <Link href={address(subjectPage(slug))} className="block min-h-6 hover:text-accent hover:underline">
                      <SubjectLabel slug={slug} />
                    </Link>
                  ) : (
                    name
                  )}
                </th>
                {(live.cells[line] ?? []).map((cell, column) => (
                  <Progress
                    key={live.scenarios[column]}
                    cell={cell}
                    to={(run) => address(trajectoryPage(slug, run, live.scenarios[column] ?? ""))}
                    name={`${name}, ${scenarioTitle(board, live.scenarios[column] ?? "")}`}
                  />
                ))}
              </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </>
  );
}

interface ProgressProps {
  readonly cell: Cell | null;
  readonly to: (run: number) => string;
  readonly name: string;
}

function Progress({ cell, to, name }: ProgressProps) {
  if (cell === null) return <td className="px-1 text-center text-muted">·</td>;
  const [planned, running, answered, judged, failed, run] = cell;
  const step = answered === 0 ? 0 : Math.round((2 * answered + 4 * judged) / Math.max(planned, 1));
  const says = `${answered} of ${planned} answered, ${judged} judged, ${running} running, ${failed} failed`;
  return (
    <td
      title={says}
      className={`min-w-11 text-right ${running > 0 ? "outline-1 -outline-offset-2 outline-current" : ""}`}
      style={{ backgroundColor: `var(--plot-cool-${step})`, color: `var(--plot-on-${step > 5 ? "deep" : "pale"})` }}
    >
      <Link href={to(run)} aria-label={`${name}: ${says}`} className="block px-1 py-0.5 hover:underline">
        {answered}/{planned}
        {failed > 0 && <span className="font-semibold"> {failed}!</span>}
      </Link>
    </td>
  );
}
