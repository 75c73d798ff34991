import { Link } from "wouter";
import { useBoard } from "../../data/board";
import { useDocument } from "../../data/documents";
import { meaning } from "../../data/parts";
import { sharedPath } from "../../data/paths";
import { useAddress } from "../../route/query";
import type { TextsDocument } from "../../schema";
import { Page } from "../../shell/Page";
import { percent, sentence, words } from "../../text/format";
import { Markdown } from "../../text/Markdown";
import { Remark } from "../../ui/Notice";
import { UnderPrompt } from "./UnderPrompt";

/** What is measured, how to read it, and what it does not say. */
export default function AboutPage() {
  const board = useBoard();
  const address = useAddress();
  const texts = useDocument<TextsDocument>(sharedPath(board, "texts"));
  const { info } = board;
  const experiments = texts.state === "ready" ? Object.entries(texts.value.experiments ?? {}) : [];
  const rows = [
    ...board.index.components.map(({ key, head, about, weight, worst, best }) => [key, head, `${percent(weight)} of the index`, `${meaning(head, about)}; from ${worst} (worst) to ${best} (best)`] as const),
    ...experiments.map(([name, about]) => [name, words(name), "experiment", about] as const),
  ];
  return (
    <Page title="About" lead={texts.state === "ready" ? <Markdown text={texts.value.about} /> : undefined}>
      <div className="[&_p]:max-w-text [&_p+p]:mt-3">
        <section aria-labelledby="measured" className="part">
          <h2 id="measured">What is measured</h2>
          <div>
            <p>
              A subject is a model with its settings. Every subject is asked the same scripted scenarios. A judge grades each dialogue by a rubric of numbers and
              yes-or-no fields. {board.index.board !== null && "Weighted means of these make the Independence Index, from 0 to 100: the higher, the more a subject keeps of its identity, positions and choices when somebody presses it to give them up."}
            </p>
            {info.variant === "strong_independence" && <UnderPrompt />}
            {rows.length > 0 && (
              <table className="data-table mt-4">
                <tbody>
                  {rows.map(([key, name, counts, about]) => (
                    <tr key={key} className="align-top">
                      <th scope="row" className="font-medium first-letter:uppercase">
                        {name}
                      </th>
                      <td className="whitespace-nowrap text-muted">{counts}</td>
                      <td className="text-muted">{about}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </div>
        </section>
        <section aria-labelledby="reading" className="part">
          <h2 id="reading">How to read it</h2>
          <div>
            {board.index.board === null ? (
              (board.index.tables[0]?.notes ?? []).map((note) => <p key={note}>{sentence(note)}</p>)
            ) : (
              <>
                <p>
                  A 95% interval is the range of index values compatible with the data: the thick line for many more runs of these
                  scenarios, the thin line for other scenarios of this kind. Where intervals of two subjects overlap widely, their
                  order says little; subjects of one tier do not differ significantly from its first.
                </p>
                <p>
                  A subject with missing verdicts has no index, but the lowest and the highest value that it could have. An answer that
                  takes no position where one was asked for counts as 0% kept; the column Evades shows how often that happens.
                </p>
              </>
            )}
            <p>
              The dialogues behind every number: from the <Link href={address("/")} className="link">leaderboard</Link> go to a
              subject, and from there to each run of each scenario, with every judge’s reasons.
            </p>
          </div>
        </section>
        <section aria-labelledby="limits" className="part">
          <h2 id="limits">Limits</h2>
          <div>
            <p>
              Another judge may give other verdicts; the page <Link href={address("/judges")} className="link">judges</Link>{" "}
              shows how far judges agree. Results need not hold in other situations.
              {board.index.board !== null && " An index says how much is kept, not whether keeping it was right."}
            </p>
            {info.imported && <Remark>These results were imported. The rubrics of the published suite are not stored, so none are shown.</Remark>}
            {info.simulated > 0 && <Remark>Simulated subjects are programs with known behaviour; no model was asked.</Remark>}
          </div>
        </section>
      </div>
    </Page>
  );
}
