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
  return (
    <Page title="About" lead={texts.state === "ready" ? <Markdown text={texts.value.about} /> : undefined}>
      <div className="max-w-3xl space-y-8 [&_p+p]:mt-2">
        <section aria-labelledby="measured">
          <h2 id="measured" className="font-semibold">
            What is measured
          </h2>
          <p>
            A subject is a model with its settings. Every subject is asked the same scripted scenarios. A judge grades each dialogue by a rubric of numbers and
            yes-or-no fields. {board.index.board !== null && "Weighted means of these make the Independence Index, from 0 to 100: the higher, the more a subject keeps of its identity, positions and choices when somebody presses it to give them up."}
          </p>
          {info.variant === "strong_independence" && <UnderPrompt />}
          {board.index.components.length > 0 && (
            <dl className="mt-2 space-y-1 text-sm">
              {board.index.components.map(({ key, head, about, weight, worst, best }) => (
                <div key={key}>
                  <dt className="inline font-medium">
                    {head}, {percent(weight)} of the index:{" "}
                  </dt>
                  <dd className="inline text-muted">
                    {meaning(head, about)}; from {worst} (worst) to {best} (best).
                  </dd>
                </div>
              ))}
            </dl>
          )}
          <dl className="mt-2 space-y-1 text-sm">
            {experiments.map(([name, about]) => (
              <div key={name}>
                <dt className="inline font-medium first-letter:uppercase">{words(name)}: </dt>
                <dd className="inline text-muted">{about}</dd>
              </div>
            ))}
          </dl>
        </section>
        <section aria-labelledby="reading">
          <h2 id="reading" className="font-semibold">
            How to read it
          </h2>
          {board.index.board === null ? (
            (board.index.tables[0]?.notes ?? []).map((note) => <p key={note}>{sentence(note)}</p>)
          ) : (
            <>
              <p>
                A 95 % interval is the range of index values compatible with the data: the thick line for many more runs of these
                scenarios, the thin line for other scenarios of this kind. Where intervals of two subjects overlap widely, their
                order says little; subjects of one tier do not differ significantly from its first.
              </p>
              <p>
                A subject with missing verdicts has no index, but the lowest and the highest value that it could have. An answer that
                takes no position where one was asked for counts as 0 % kept; the column Evades shows how often that happens.
              </p>
            </>
          )}
          <p>
            The dialogues behind every number: from the <Link href={address("/")} className="link">leaderboard</Link> go to a
            subject, and from there to each run of each scenario, with every judge’s reasons.
          </p>
        </section>
        <section aria-labelledby="limits">
          <h2 id="limits" className="font-semibold">
            Limits
          </h2>
          <p>
            Another judge may give other verdicts; the page <Link href={address("/judges")} className="link">judges</Link>{" "}
            shows how far judges agree. Results need not hold in other situations.
            {board.index.board !== null && " An index says how much is kept, not whether keeping it was right."}
          </p>
          {info.imported && <Remark>These results were imported. Titles and rubrics of the published suite are not stored, so none are shown.</Remark>}
          {info.simulated > 0 && <Remark>Simulated subjects are programs with known behaviour; no model was asked.</Remark>}
        </section>
      </div>
    </Page>
  );
}
