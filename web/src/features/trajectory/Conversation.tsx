import { useEffect, useMemo, useRef } from "react";
import { Link, useLocation } from "wouter";
import { useBoard } from "../../data/board";
import { turnTitle } from "../../data/titles";
import { useKeys } from "../../keys/keys";
import { useAddress, useQuery } from "../../route/query";
import type { DialogueDocument } from "../../schema";
import { counted, sentence, words } from "../../text/format";
import { MarkedText } from "../../text/MarkedText";
import type { Mark } from "../../text/marks";
import { Badge } from "../../ui/Badge";
import { Remark } from "../../ui/Notice";
import { AnswerCard } from "./AnswerCard";
import { conversation, type Sent } from "./conversation-steps";
import type { DialogueWithTexts } from "./dialogue";
import type { Marking } from "./marking";

interface ConversationProps {
  readonly scenario: string;
  readonly dialogue: DialogueDocument;
  readonly found: DialogueWithTexts;
  readonly raw: boolean;
  readonly thinking: boolean;
  readonly marking: Marking;
}

const WITHOUT_WORDS = "without_words";

/** The messages in their order, scripted ones told apart from the subject's own. */
export function Conversation({ scenario, dialogue, found, raw, thinking, marking }: ConversationProps) {
  const steps = useMemo(() => conversation(scenario, dialogue, found.texts, found.answers), [scenario, dialogue, found]);
  const list = useRef<HTMLOListElement>(null);
  const board = useBoard();
  const [path] = useLocation();
  const [query] = useQuery();
  const address = useAddress();
  const linked = Number(query.get("msg") ?? "0");
  useEffect(() => {
    if (linked > 0) list.current?.children[linked - 1]?.scrollIntoView();
  }, [linked, path]);
  const move = (step: number) => {
    const answers = [...(list.current?.querySelectorAll<HTMLElement>("[data-answer]") ?? [])];
    const at = answers.findIndex((answer) => answer === document.activeElement);
    answers[Math.min(Math.max(at + step, 0), answers.length - 1)]?.focus();
  };
  useKeys({ j: () => { move(1); }, k: () => { move(-1); } });
  // Of published dialogues a store may have the scores alone: then there is nothing to read.
  const wordless = (dialogue.turns ?? []).some(({ flags = [] }) => flags.includes(WITHOUT_WORDS));
  if (wordless) return <p className="text-muted">{sentence(board.index.marks[WITHOUT_WORDS]?.about ?? words(WITHOUT_WORDS))}.</p>;
  return (
    <section aria-label="Conversation" className="min-w-0">
      {linked > steps.length && <Remark>This dialogue has {counted(steps.length, "message")}: there is no message {linked}.</Remark>}
      <ol ref={list} className="space-y-4">
        {steps.map((step, place) => (
          <li
            key={place}
            tabIndex={-1}
            data-answer={step.kind === "answer" ? "" : undefined}
            className={place + 1 === linked ? "outline-2 outline-offset-4 outline-soft" : ""}
          >
            {step.kind === "answer" && (
              <AnswerCard
                turn={step.turn}
                name={turnTitle(board.scenarios.get(scenario), step.turn.turn_id)}
                raw={raw}
                thinking={thinking}
                marks={marking.marks}
                link={
                  <Link
                    href={address(path, { raw: raw ? 1 : null, think: thinking ? 1 : null, msg: place + 1, v: board.boot.board_list.dataset })}
                    className="link screen-only"
                    aria-label={`Link to message ${place + 1}`}
                  >
                    #{place + 1}
                  </Link>
                }
              />
            )}
            {step.kind === "sent" && <SentCard sent={step} raw={raw} spans={marking.marks.get(`answer ${step.answerOf}`)} />}
            {step.kind === "new request" && (
              <p className="border-t border-faint pt-3 text-xs text-muted">A new request, without what was said before: {turnTitle(board.scenarios.get(scenario), step.turn)}</p>
            )}
          </li>
        ))}
      </ol>
      {steps.length === 0 && <p className="text-muted">Nothing was answered yet.</p>}
    </section>
  );
}

const LONG = 1200; // characters above which a message that was sent starts folded

function named(sent: Sent): string {
  if (sent.answerOf !== "") return `Sent again: its answer ${words(sent.answerOf)}`;
  if (sent.call !== "") return `Subject (scripted), sent as a call of ${sent.call}`;
  switch (sent.role) {
    case "system":
      return "System prompt";
    case "user":
      return "Person";
    case "tool":
      return "Person, sent as a tool result";
    case "assistant":
      return "Subject (scripted)";
    default:
      return `Scripted ${sent.role} message`;
  }
}

interface SentCardProps {
  readonly sent: Sent;
  readonly raw: boolean;
  readonly spans: readonly Mark[] | undefined; // of an answer of the dialogue that this one continues
}

function SentCard({ sent, raw, spans }: SentCardProps) {
  const folded = sent.role === "system" || sent.answerOf !== "" || sent.text.length > LONG;
  const body = sent.known ? <MarkedText text={sent.text} {...(spans === undefined ? {} : { spans })} raw={raw} /> : <p className="text-muted">This text is not stored.</p>;
  return (
    <details open={!folded} className="rounded-md bg-band px-4 py-2.5 text-[0.9375rem]">
      <summary className="text-xs text-muted">
        {named(sent)}
        {sent.offScript && (
          <span className="ml-2">
            <Badge warns about="The script has another message here; this one was really sent">
              off script
            </Badge>
          </span>
        )}
      </summary>
      <div className="pt-2">{body}</div>
    </details>
  );
}
