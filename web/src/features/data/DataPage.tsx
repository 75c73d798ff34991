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
      <section aria-labelledby="files" className="part">
        <h2 id="files">Documents of this board</h2>
        <div>
          <ul className="text-sm">
            {files.map(([path, about]) => (
              <li key={path} className="grid gap-x-4 border-b border-faint pb-1 not-first:pt-1 sm:grid-cols-[1fr_auto]">
                <span>{about}</span>
                <a className="link [overflow-wrap:anywhere]" href={path} download>
                  {path.split("/").at(-1)}
                </a>
              </li>
            ))}
          </ul>
          <p className="note mt-3">
            Dialogues are in <code>text/</code>, one file per scenario and group of subjects. Every table has its rows as CSV and
            JSON; figures are SVG files. For tables of all data: <code>independence export</code>.
          </p>
        </div>
      </section>
      <section aria-labelledby="cite" className="part">
        <h2 id="cite">How to cite</h2>
        <div>
          <p className="max-w-text">
            AI Independence Bench, suite {info.suite}, edition {info.edition}, condition {info.variant}/{info.mode}
            {judge === null ? "" : `, judge ${judge.name}`}
            {scoring === null ? "" : `, scoring ${scoring.name}`}, data set {boot.board_list.dataset}, version {boot.board_list.version}.
          </p>
        </div>
      </section>
      <section aria-labelledby="licence" className="part">
        <h2 id="licence">Licence</h2>
        <div>
          <p className="max-w-text">
            The software is under the MIT licence. Answers were written by the models named beside them, and are subject to their
            providers’ terms.
          </p>
        </div>
      </section>
    </Page>
  );
}
