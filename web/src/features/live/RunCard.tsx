import type { ProgressRow } from "../../schema";
import { count, counted, decimal, dollars, words } from "../../text/format";

const STATES = { running: "running", ended: "ended", gone: "stopped before its end; the same command resumes it" } as const;

interface RunCardProps {
  readonly run: ProgressRow;
  readonly now: number; // the server's clock, seconds since 1970
}

function span(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${decimal(seconds / 3600)} h`;
}

/** One process that works on the store: how far it is, what it spent, what it waits for. */
export function RunCard({ run, now }: RunCardProps) {
  const { snapshot: own, state } = run;
  const until = state === "running" ? now : (own.ended ?? run.at);
  const took = Math.max(until - own.began, 1);
  const rate = own.done / Math.max(until - (own.started ?? own.began), 1); // servers are tested before the first call
  const left = own.planned - own.done - own.failed;
  const nothing = state === "running" ? "preparing: the servers are tested before the first call" : "nothing to ask";
  const facts = [
    own.planned === 0 ? nothing : `${count(own.done)} of ${counted(own.planned, "call")}`,
    own.failed > 0 ? `${count(own.failed)} failed` : "",
    `${dollars(own.usd)}${own.cap_usd === null ? "" : ` of at most ${dollars(own.cap_usd)}`}`,
    own.planned === 0 ? "" : `${counted(Math.round(rate * 60), "call")} a minute`,
    span(took),
    state === "ended" && left > 0 ? `${count(left)} not asked` : "",
    state === "running" && rate > 0 && left > 0 ? `about ${span(left / rate)} left` : "",
  ].filter((fact) => fact !== "");
  return (
    <article className="rounded-md border border-faint px-4 py-3 text-sm">
      <h2 className="flex flex-wrap gap-x-3 font-medium">
        {own.command} <span className="font-normal text-muted">{own.about}</span>
        <span className={`ml-auto font-normal ${state === "running" ? "text-accent" : "text-muted"}`}>{STATES[state]}</span>
      </h2>
      <div
        role="progressbar"
        aria-label="Done"
        aria-valuemin={0}
        aria-valuemax={Math.max(own.planned, 1)}
        aria-valuenow={own.done + own.failed}
        className="mt-2 mb-1 h-2 w-full overflow-hidden rounded-full bg-faint"
      >
        <div className="h-full bg-accent" style={{ width: `${(100 * (own.done + own.failed)) / Math.max(own.planned, 1)}%` }} />
      </div>
      {own.stage !== "" && <p>{own.stage}</p>}
      <p className="text-muted tabular-nums">{facts.join(" · ")}</p>
      {own.stopping !== "" && <p className="text-open">Stopping: {own.stopping}</p>}
      {own.waits.length > 0 && (
        <ul className="mt-1">
          {own.waits.map((wait) => (
            <li key={`${wait.model}/${wait.reason}`}>
              {wait.model}: {counted(wait.calls, "call waits", "calls wait")}, {cause(wait.reason)}
              {wait.until > now ? `, ${span(wait.until - now)} more` : ""}
            </li>
          ))}
        </ul>
      )}
      {own.parked.map((parked) => (
        <p key={`${parked.model}/${parked.subject}`} className="text-open">
          {parked.subject === "" ? `The judge ${parked.model}` : parked.subject} is not asked any more: {parked.why}
        </p>
      ))}
      <Counts name="Missing" of={own.missing} />
      <Counts name="Asked again" of={own.retried} />
    </article>
  );
}

/** A reason in words; a number is the status of a response. */
function cause(why: string): string {
  return /^\d+$/.test(why) ? `HTTP ${why}` : words(why);
}

function Counts({ name, of }: { readonly name: string; readonly of: Readonly<Record<string, number>> }) {
  const entries = Object.entries(of).filter(([, times]) => times > 0);
  if (entries.length === 0) return null;
  return (
    <p className="text-muted">
      {name}: {entries.map(([why, times]) => `${cause(why)} (${count(times)})`).join(", ")}
    </p>
  );
}
