import { useMemo } from "react";
import type { DialogueDocument } from "../../schema";
import { words } from "../../text/format";
import { Markdown } from "../../text/Markdown";
import { Badge } from "../../ui/Badge";
import { AnswerCard } from "./AnswerCard";
import { conversation, type Sent } from "./conversation-steps";
import type { DialogueWithTexts } from "./dialogue";

interface ConversationProps {
  readonly scenario: string;
  readonly dialogue: DialogueDocument;
  readonly found: DialogueWithTexts;
  readonly raw: boolean;
  readonly thinking: boolean;
}

/** The messages in their order, scripted ones told apart from the subject's own. */
export function Conversation({ scenario, dialogue, found, raw, thinking }: ConversationProps) {
  const steps = useMemo(() => conversation(scenario, dialogue, found.texts, found.answers), [scenario, dialogue, found]);
  return (
    <section aria-label="Conversation" className="max-w-3xl min-w-0">
      <ol className="space-y-4">
        {steps.map((step, place) => (
          <li key={place} id={`message-${place + 1}`}>
            {step.kind === "answer" && <AnswerCard turn={step.turn} raw={raw} thinking={thinking} />}
            {step.kind === "sent" && <SentCard sent={step} raw={raw} />}
            {step.kind === "new request" && (
              <p className="border-t border-faint pt-3 text-xs text-muted">A new request, without what was said before: {words(step.turn)}</p>
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
  if (sent.call !== "") return `Scripted opening, sent as a call of ${sent.call}`;
  switch (sent.role) {
    case "system":
      return "System prompt";
    case "user":
      return "Scripted message";
    case "tool":
      return "Scripted message, sent as a tool result";
    default:
      return `Scripted ${sent.role} message`;
  }
}

function SentCard({ sent, raw }: { readonly sent: Sent; readonly raw: boolean }) {
  const folded = sent.role === "system" || sent.answerOf !== "" || sent.text.length > LONG;
  const body = sent.known ? <Markdown text={sent.text} raw={raw} /> : <p className="text-muted">This text is not stored.</p>;
  return (
    <details open={!folded} className="rounded-md bg-band px-4 py-2.5 text-[0.9375rem]">
      <summary className="text-xs text-muted">
        <span className="ml-1">{named(sent)}</span>
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
