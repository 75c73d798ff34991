import { useMemo } from "react";
import { useBoard } from "../../data/board";
import type { TextsDocument } from "../../schema";
import { Markdown } from "../../text/Markdown";
import { Failed, Waiting } from "../../ui/Notice";
import { conversation } from "../trajectory/conversation-steps";
import { useDialogue } from "../trajectory/dialogue";
import { masked, tellingNames } from "./mask";
import type { Place } from "./queue";

interface BlindProps {
  readonly place: Place;
  readonly texts: TextsDocument;
  readonly name: string;
}

/** A dialogue without anything that tells who wrote it. */
export function Blind({ place, texts, name }: BlindProps) {
  const board = useBoard();
  const loaded = useDialogue(place.slug, place.scenario, place.run);
  const names = useMemo(() => tellingNames(board.index.subjects), [board]);
  if (loaded.state === "loading") return <Waiting />;
  if (loaded.state === "failed") return <Failed path={loaded.path} why={loaded.why} />;
  const { dialogue, answers } = loaded.value;
  if (dialogue === null) return <p className="text-muted">This dialogue is not stored.</p>;
  const steps = conversation(place.scenario, dialogue, texts, answers).filter(
    (step) => step.kind !== "new request" && (step.kind === "answer" || (step.role !== "system" && step.answerOf === "")),
  );
  return (
    <section aria-label={name} className="min-w-0 space-y-3">
      {steps.map((step, number) =>
        step.kind === "answer" ? (
          <div key={number} className="border-l-[3px] border-accent pl-4">
            <p className="sr-only">Subject:</p>
            <Markdown text={masked(step.turn.text ?? "", names)} />
          </div>
        ) : (
          step.kind === "sent" && (
            <div key={number} className="rounded-md bg-band px-4 py-2.5">
              <p className="sr-only">{step.role === "assistant" ? "Subject (scripted):" : "Person:"}</p>
              <Markdown text={step.text} />
            </div>
          )
        ),
      )}
    </section>
  );
}

/** The item by which ratings name a dialogue; empty while it is not there. */
export function useItem(place: Place): string {
  const loaded = useDialogue(place.slug, place.scenario, place.run);
  return loaded.state === "ready" ? (loaded.value.dialogue?.item ?? "") : "";
}
