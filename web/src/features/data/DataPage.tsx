import { useBoard } from "../../data/board";
import { cellsPath, indexPath, reportPath, sharedPath } from "../../data/paths";
import { Page } from "../../shell/Page";
import { count } from "../../text/format";
import { CopyLink } from "../../ui/CopyLink";
import { useAddress } from "../../route/query";

/** The documents behind the pages, and how to cite them. */
export default function DataPage() {
  const board = useBoard();
  const address = useAddress();
  const { boot, info, judge, scoring } = board;
  const files: readonly (readonly [path: string, about: string])[] = [
    [`${boot.base}boards.json`, "List of boards"],
    [indexPath(boot, info, judge, scoring), "The leaderboard: rows, subjects, scenarios"],
    [cellsPath(board), "Result of every dialogue, as a share from 0 to 1"],
    [reportPath(board), "The report: every table and figure"],
    [sharedPath(board, "texts"), "Every message that was sent, scripts, rubrics"],
    [sharedPath(board, "names"), "Names that subjects chose"],
    [sharedPath(board, "disagreements"), "Dialogues on which judges disagree most"],
  ];
  return (
    <Page
      title="Data"
      lead={`Data set ${boot.board_list.dataset}, ${count(boot.board_list.boards.length)} ${boot.board_list.boards.length === 1 ? "board" : "boards"}.`}
      actions={<CopyLink to={address("/data")} />}
    >
      <div className="max-w-3xl space-y-8">
        <section aria-labelledby="files">
          <h2 id="files" className="font-semibold">
            Documents of this board
          </h2>
          <ul className="mt-1 text-sm">
            {files.map(([path, about]) => (
              <li key={path} className="grid gap-x-4 border-t border-faint py-1 sm:grid-cols-[1fr_auto]">
                <span>{about}</span>
                <a className="link [overflow-wrap:anywhere]" href={path} download>
                  {path.split("/").at(-1)}
                </a>
              </li>
            ))}
          </ul>
          <p className="mt-2 text-sm text-muted">
            Dialogues are in <code>text/</code>, one file per scenario and group of subjects. Every table has its rows as CSV and
            JSON; figures are SVG files. For tables of all data: <code>independence export</code>.
          </p>
        </section>
        <section aria-labelledby="cite">
          <h2 id="cite" className="font-semibold">
            How to cite
          </h2>
          <p className="mt-1 text-sm">
            AI Independence Bench, suite {info.suite}, edition {info.edition}, condition {info.variant}/{info.mode}
            {judge === null ? "" : `, judge ${judge.name}`}
            {scoring === null ? "" : `, scoring ${scoring.name}`}, data set {boot.board_list.dataset}, version {boot.board_list.version}.
          </p>
        </section>
        <section aria-labelledby="licence">
          <h2 id="licence" className="font-semibold">
            Licence
          </h2>
          <p className="mt-1 text-sm">
            The software is under the MIT licence. Answers were written by the models named beside them, and are subject to their
            providers’ terms.
          </p>
        </section>
      </div>
    </Page>
  );
}
