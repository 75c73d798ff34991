import { useMemo, type ReactNode } from "react";
import type { TurnDocument } from "../../schema";
import { count, decimal, dollars, words, why } from "../../text/format";
import { MarkedText } from "../../text/MarkedText";
import { moved, type Mark } from "../../text/marks";
import type { Place } from "./marking";
import { AnswerMark } from "../../ui/AnswerMark";
import { Badge } from "../../ui/Badge";

interface AnswerCardProps {
  readonly turn: TurnDocument;
  readonly name: string; // of the turn
  readonly raw: boolean;
  readonly thinking: boolean;
  readonly marks: ReadonlyMap<Place, readonly Mark[]>;
  readonly link: ReactNode; // to this message
}

const NONE: readonly Mark[] = [];

/** An answer of the subject with its thinking, its marks and what it took. */
export function AnswerCard({ turn, name, raw, thinking, marks, link }: AnswerCardProps) {
  const { text: clean = "", raw: came = "" } = turn;
  const text = raw && came !== "" ? came : clean;
  const own = marks.get(`answer ${turn.turn_id}`) ?? NONE;
  const spans = useMemo(() => moved(own, clean, text), [own, clean, text]);
  return (
    <article className="border-l-[3px] border-accent pl-4">
      <h2 className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs font-normal text-muted">
        <span className="font-medium text-accent">Answer</span>
        <span title={turn.turn_id}>{name}</span>
        <Marks turn={turn} />
        <span className="ml-auto">{link}</span>
      </h2>
      <Private name="Thinking" text={turn.thinking ?? ""} spans={marks.get(`thinking ${turn.turn_id}`) ?? NONE} open={thinking} raw={raw} />
      <Private name="Reasoning" text={turn.reasoning ?? ""} spans={marks.get(`reasoning ${turn.turn_id}`) ?? NONE} open={thinking} raw={raw} />
      <div className="mt-1.5">
        {(turn.missing ?? "") !== "" && <p className="text-open">No usable answer: {why(turn)}.</p>}
        {text !== "" && <MarkedText text={text} spans={spans} raw={raw} />}
      </div>
      <Took turn={turn} />
    </article>
  );
}

const CHANNELS: Readonly<Record<string, string>> = { tool: "as a tool call", content: "as plain text" };

function Marks({ turn }: { readonly turn: TurnDocument }) {
  const finish = turn.finish_reason ?? "";
  return (
    <>
      {turn.stale === true && (
        <Badge warns about="Given on a history that has been replaced since">
          stale
        </Badge>
      )}
      {(turn.flags ?? []).map((flag) => (
        <AnswerMark key={flag} mark={flag} />
      ))}
      {finish !== "" && !/^(stop|tool_calls|end_turn)$/.test(finish) && <Badge warns>ended by {words(finish)}</Badge>}
      {(turn.channel ?? "") !== "" && (
        <Badge about={`Where the answer stood in the reply: ${words(turn.channel ?? "")}`}>{CHANNELS[turn.channel ?? ""] ?? words(turn.channel ?? "")}</Badge>
      )}
      {(turn.versions ?? 1) > 1 && <Badge about="The newest is shown">{turn.versions} versions stored</Badge>}
    </>
  );
}

interface PrivateProps {
  readonly name: string;
  readonly text: string;
  readonly spans: readonly Mark[];
  readonly open: boolean;
  readonly raw: boolean;
}

function Private({ name, text, spans, open, raw }: PrivateProps) {
  if (text === "") return null;
  return (
    <details key={String(open)} open={open} className="mt-1.5 rounded-md border border-dashed border-faint px-3 py-1.5 text-sm text-muted">
      <summary className="text-xs">
        {name}, {count(text.length)} characters
      </summary>
      <div className="pt-1.5">
        <MarkedText text={text} spans={spans} raw={raw} />
      </div>
    </details>
  );
}

function Took({ turn }: { readonly turn: TurnDocument }) {
  const { prompt_tokens: prompt = 0, completion_tokens: completion = 0, reasoning_tokens: reasoning = 0, cost_usd: usd = 0 } = turn.usage ?? {};
  const parts = [
    turn.served_model ?? "",
    turn.served_provider ?? "",
    prompt + completion > 0 ? `${count(prompt)} tokens in, ${count(completion)} out${reasoning > 0 ? `, ${count(reasoning)} of them reasoning` : ""}` : "",
    usd > 0 ? dollars(usd, 4) : "",
    (turn.seconds ?? 0) > 0 ? `${decimal(turn.seconds ?? 0)} s` : "",
    (turn.answered_at ?? "").slice(0, 16).replace("T", " "),
    turn.response_id ?? "",
  ].filter((part) => part !== "");
  const attempts = turn.attempts ?? [];
  if (parts.length === 0 && attempts.length === 0) return null;
  return (
    <div className="mt-1.5 text-xs text-muted tabular-nums">
      {parts.join(" · ")}
      {attempts.length > 0 && (
        <details className="mt-0.5">
          <summary>
            {attempts.length} {attempts.length === 1 ? "attempt" : "attempts"}
          </summary>
          <ol className="list-decimal pl-6">
            {attempts.map((attempt, place) => (
              <li key={place}>
                {words(attempt.outcome)}, {decimal(attempt.seconds)} s, {dollars(attempt.usage.cost_usd, 4)}
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}
