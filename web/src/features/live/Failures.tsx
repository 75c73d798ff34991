import { Link } from "wouter";
import { useBoard } from "../../data/board";
import { scenarioTitle } from "../../data/titles";
import { trajectoryPage } from "../../route/paths";
import { useAddress } from "../../route/query";
import type { LiveFailure } from "../../schema";
import { count, words } from "../../text/format";

const AGAIN = "The same command asks again.";
const ADVICE: Readonly<Record<string, string>> = {
  GaveUp: `${AGAIN} Where the server is overloaded, ask less at once (--parallel).`,
  Refused: `Change what the server names in the model's entry of models.yaml; then ${AGAIN.toLowerCase()}`,
  no_answer: "The model gave no answer. Where it was cut off, more --max-tokens may help, as a subject of its own.",
  too_long: "The dialogue does not fit into the model's context; serve it with a longer one.",
  prompt_cut: "The server read less than was sent; serve the model with a longer context.",
  blocked: "The provider refuses this prompt; another --provider may answer it.",
  altered: "The router changed the prompt; turn that off in its settings.",
  unreadable_verdict: "The judge never gave a whole verdict; `independence judge` with another one adds its own.",
};
const STORED = "Stored as missing; it is not asked again.";
const ASKED_AGAIN = /^[A-Z]/; // the name of an error

/** What came to nothing: where, why, when, how often, and what to do. */
export function Failures({ failures }: { readonly failures: readonly LiveFailure[] }) {
  const board = useBoard();
  const address = useAddress();
  if (failures.length === 0) return null;
  return (
    <section aria-labelledby="failures" className="mt-8">
      <h2 id="failures" className="font-semibold">
        Failures
      </h2>
      <ul className="mt-2 divide-y divide-faint border-y border-faint text-sm">
        {failures.map((one) => (
          <li key={`${one.subject}/${one.what}/${one.kind}/${one.detail}`} className="py-2">
            <p className="flex flex-wrap gap-x-3">
              <Link href={address(trajectoryPage(one.subject, one.run, one.scenario))} className="link min-w-0 wrap-anywhere">
                {board.labels.get(one.subject) ?? one.label}: {scenarioTitle(board, one.scenario)}, {one.what}, run {one.run}
              </Link>
              <span className="text-muted tabular-nums">
                {one.times === 1 ? "once" : `${count(one.times)} times`}
                {one.scenarios > 1 && `, ${count(one.scenarios)} scenarios`} · <time dateTime={one.at}>{new Date(one.at).toLocaleString("en-GB")}</time>
              </span>
            </p>
            <p className="wrap-anywhere text-open">
              {ASKED_AGAIN.test(one.kind) && one.detail !== "" ? one.detail : `${words(one.kind)}${one.detail === "" ? "" : `: ${one.detail}`}`}
            </p>
            <p className="text-muted">{ADVICE[one.kind] ?? (ASKED_AGAIN.test(one.kind) ? AGAIN : STORED)}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
