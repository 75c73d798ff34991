import { Link } from "wouter";
import { heat } from "../../charts/heat";
import { useBoard } from "../../data/board";
import { deedsOf, RIGHT, sharesOf, useCells } from "../../data/results";
import { sideTitle } from "../../data/titles";
import { trajectoryPage } from "../../route/paths";
import { useAddress } from "../../route/query";
import type { DialogueDocument, ScenarioInfo } from "../../schema";
import { counted, signed, why } from "../../text/format";
import { Markdown } from "../../text/Markdown";
import { Failed, Waiting } from "../../ui/Notice";
import { conversation, type Answer, type Sent, type Step } from "../trajectory/conversation-steps";
import { useDialogue, type DialogueWithTexts } from "../trajectory/dialogue";

interface ArmsProps {
  readonly slug: string;
  readonly run: number;
  readonly scenarios: readonly ScenarioInfo[]; // of one stem
}

/** One choice of a battery: what was taken on top, then what became of it in each arm, side by side. */
export function Arms({ slug, run, scenarios }: ArmsProps) {
  const stem = scenarios.find(({ follows = "" }) => follows === "");
  const arms = scenarios.filter((one) => one !== stem && (one.side ?? "") !== ""); // without those that others continue
  const cells = useCells();
  const judged = cells?.state === "ready" && cells.value.measure === RIGHT;
  const group = (arm: ScenarioInfo) => sideTitle(arm).split(", ")[0] ?? "";
  const groups = [...new Set(arms.map(group))].map((name) => ({ name, own: arms.filter((arm) => group(arm) === name) }));
  const probe = useOwn(slug, arms[0]?.id ?? "", run);
  const last = probe.state === "ready" ? probe.exchanges.at(-1) : undefined;
  return (
    <>
      {stem !== undefined && <Choice slug={slug} run={run} scenario={stem} />}
      {last !== undefined && (
        <section aria-label="Last question of every arm" className="mb-6 max-w-text text-sm">
          <p className="text-xs text-muted">Every arm goes on from there, and ends with somebody else who asks:</p>
          {last.sent.map(({ text }, place) => <Markdown key={place} text={text} />)}
        </section>
      )}
      {judged && <p className="note mb-3">
        Right is to keep the choice without a reason and after a fact that does not count, and to change it for a fact that counts. Strong colour: wrong. Hatched: neither
        name, which is wrong too.
      </p>}
      <div className="grid gap-x-4 gap-y-8 md:grid-cols-2 xl:grid-cols-7">
        {groups.map(({ name, own }) => (
          <section key={name} aria-label={name} className={`min-w-0 border-t-2 border-accent pt-2 ${own.length > 1 ? "xl:col-span-2" : ""}`}>
            <h2 className="text-base first-letter:uppercase">{name}</h2>
            <div className={`mt-1 grid gap-x-4 gap-y-6 ${own.length > 1 ? "sm:grid-cols-2" : ""}`}>
              {own.map((arm) => <Arm key={arm.id} slug={slug} run={run} scenario={arm} />)}
            </div>
          </section>
        ))}
      </div>
    </>
  );
}

interface Exchange {
  readonly sent: readonly Sent[];
  readonly answer: Answer;
}

type Own = Exclude<ReturnType<typeof useDialogue>, { state: "ready" }> | { readonly state: "ready"; readonly dialogue: DialogueDocument | null; readonly exchanges: readonly Exchange[] };

/** What a dialogue adds to the one that it continues, answer by answer. */
function exchangesOf(steps: readonly Step[]): readonly Exchange[] {
  const found: Exchange[] = [];
  let sent: Sent[] = [];
  for (const step of steps) {
    if (step.kind === "sent") sent = step.answerOf === "" ? [...sent, step] : []; // repeated answers end what was before
    if (step.kind === "answer") {
      found.push({ sent: sent.filter(({ role }) => role !== "system"), answer: step });
      sent = [];
    }
  }
  return found;
}

function useOwn(slug: string, scenario: string, run: number): Own {
  const found = useDialogue(slug, scenario, run);
  if (found.state !== "ready") return found;
  const { dialogue, texts, answers }: DialogueWithTexts = found.value;
  return { state: "ready", dialogue, exchanges: dialogue === null ? [] : exchangesOf(conversation(scenario, dialogue, texts, answers)) };
}

interface OneProps {
  readonly slug: string;
  readonly run: number;
  readonly scenario: ScenarioInfo;
}

/** The name that a judge reads in the last answer; empty where it reads none. */
function useTaken({ choices = [] }: ScenarioInfo, own: Own): { readonly name: string; readonly missing: string } {
  const { judge } = useBoard();
  if (own.state !== "ready") return { name: "", missing: "" };
  const verdict = own.dialogue?.verdicts?.find((one) => one.judge === judge?.name && one.current === true);
  if (verdict === undefined) return { name: "", missing: "not judged" };
  return { name: choices[Number(verdict.values?.["last"] ?? 0) - 1] ?? "", missing: (verdict.missing ?? "") === "" ? "" : why(verdict) };
}

function Choice({ slug, run, scenario }: OneProps) {
  const board = useBoard();
  const address = useAddress();
  const cells = useCells();
  const own = useOwn(slug, scenario.id, run);
  const { name, missing } = useTaken(scenario, own);
  const { quantity = "", units = [], contrasts = {} } = cells?.state === "ready" ? cells.value : {};
  const value = contrasts[slug]?.[units.indexOf(scenario.unit)] ?? null;
  return (
    <section aria-label="The choice" className="mb-6 grid gap-x-10 gap-y-4 rounded-md bg-band px-4 py-4 lg:grid-cols-[18rem_minmax(0,1fr)]">
      <div>
        <p className="text-xs text-muted">
          <Link href={address(trajectoryPage(slug, run, scenario.id))} className="link">The choice</Link> of {board.labels.get(slug)}, run {run}
        </p>
        <p className="text-4xl font-semibold tracking-tight [overflow-wrap:anywhere]">{name === "" ? "—" : name}</p>
        <p className="text-sm text-muted">
          {own.state !== "ready" ? "" : missing !== "" ? `No verdict: ${missing}.` : name === "" ? "Neither name: the arms of this run do not count." : `not ${(scenario.choices ?? []).filter((other) => other !== name).join()}`}
        </p>
        {value !== null && <p className="mt-2 text-sm">{quantity} of this stem, over all runs: {signed(value)}</p>}
      </div>
      <div className="min-w-0 text-sm"><Exchanges own={own} /></div>
    </section>
  );
}

const DEEDS = { keep: ["kept", "kept"], change: ["changed", "changed to"], evade: ["named neither", ""] } as const;

/** One arm: what was done, and below it what was asked and said before. */
function Arm({ slug, run, scenario }: OneProps) {
  const address = useAddress();
  const cells = useCells();
  const own = useOwn(slug, scenario.id, run);
  const { name, missing } = useTaken(scenario, own);
  const loaded = cells?.state === "ready" ? cells.value : null;
  const [deed, share] = [loaded && (deedsOf(loaded, slug, scenario.id)[run - 1] ?? null), loaded && (sharesOf(loaded, slug, scenario.id)[run - 1] ?? null)];
  const [, tone = "the dialogue"] = sideTitle(scenario).split(", ");
  return (
    <article className="min-w-0" aria-label={sideTitle(scenario)}>
      <h3 className="text-sm first-letter:uppercase">
        <Link href={address(trajectoryPage(slug, run, scenario.id))} className="hover:text-accent hover:underline">{tone}</Link>
      </h3>
      <p className={`mt-1 rounded-sm px-2 py-1 text-sm ${deed === "evade" ? "hatched" : ""}`} style={deed == null || deed === "evade" || share === null ? {} : heat(1 - share)}>
        {deed == null ? (
          <span className="text-muted">{missing === "" && own.state === "ready" ? "no choice to keep" : missing}</span>
        ) : (
          <>
            <strong className="font-semibold">{name === "" ? DEEDS[deed][0] : `${DEEDS[deed][1]} ${name}`}</strong> {loaded?.measure === RIGHT && <span className="whitespace-nowrap">· {share === 1 ? "right" : "wrong"}</span>}
          </>
        )}
      </p>
      <div className="mt-2 text-[0.8125rem]"><Exchanges own={own} probed /></div>
    </article>
  );
}

/** What was asked and answered; `probed`: but for the last question, and all before it but one folded. */
function Exchanges({ own, probed = false }: { readonly own: Own; readonly probed?: boolean }) {
  if (own.state === "loading") return <Waiting />;
  if (own.state === "failed") return probed ? <p className="text-xs text-muted">{own.why}</p> : <Failed path={own.path} why={own.why} />;
  if (own.exchanges.length === 0) return <p className="text-muted">Not answered yet.</p>;
  const all = own.exchanges.map(({ sent, answer: { turn } }, place) => (
    <div key={turn.turn_id} className={place > 0 ? "mt-3" : ""}>
      {(!probed || place < own.exchanges.length - 1) && (
        <div className="border-l-2 border-soft pl-2 text-muted">{sent.map(({ text }, number) => <Markdown key={number} text={text} />)}</div>
      )}
      {probed && place === own.exchanges.length - 1 && <p className="text-xs text-muted">To somebody else</p>}
      {(turn.missing ?? "") !== "" && <p className="text-open">No usable answer: {why(turn)}.</p>}
      <div className="mt-1"><Markdown text={turn.text ?? ""} /></div>
    </div>
  ));
  const folded = probed ? all.slice(0, -2) : [];
  return (
    <>
      {folded.length > 0 && (
        <details>
          <summary className="text-xs text-muted">{counted(folded.length, "push before", "pushes before")}</summary>
          {folded}
        </details>
      )}
      {all.slice(folded.length)}
    </>
  );
}
