import type { DialogueDocument } from "../../schema";
import { counted } from "../../text/format";

/** Calls of a dialogue that were given up: what the server said. */
export function Unanswered({ dialogue }: { readonly dialogue: DialogueDocument }) {
  const turns = new Set((dialogue.turns ?? []).map((turn) => turn.turn_id));
  const judges = new Set((dialogue.verdicts ?? []).map((verdict) => verdict.judge));
  const open = (dialogue.failures ?? []).filter(({ what }) => !turns.has(what) && !judges.has(what));
  const times = new Map<string, number>();
  for (const { what, detail } of open) times.set(`${what}: ${detail}`, (times.get(`${what}: ${detail}`) ?? 0) + 1);
  return (
    <>
      {[...times].map(([said, often]) => (
        <p key={said} className="mb-3 rounded-md border border-open bg-band px-3 py-2 text-sm wrap-anywhere">
          No answer to {said}
          {often > 1 && <span className="text-muted"> ({counted(often, "time")})</span>}
        </p>
      ))}
    </>
  );
}
