import { useState } from "react";
import { useBoard } from "../../data/board";
import { useFollowing } from "../../data/live";
import type { RatingsFile, RatingsReceipt } from "../../schema";
import { save } from "../../ui/download";
import type { Session } from "./stored";

interface FinishProps {
  readonly session: Session;
  readonly done: boolean;
  readonly onForget: () => void;
}

async function send(file: RatingsFile): Promise<string> {
  try {
    const response = await fetch("api/ratings", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(file),
    });
    if (!response.ok) return ((await response.json()) as { readonly error: string }).error;
    const receipt = (await response.json()) as RatingsReceipt;
    return [`${receipt.stored} verdicts stored.`, ...receipt.notes].join(" ");
  } catch {
    return "The server does not answer; the ratings stay in this browser.";
  }
}

/** What to do with the ratings: download, send, or begin anew. */
export function Finish({ session, done, onForget }: FinishProps) {
  const { boot } = useBoard();
  const { changes } = useFollowing();
  const [said, setSaid] = useState("");
  const { file } = session;
  const some = file.ratings.length + file.pairs.length > 0;
  return (
    <section aria-label="Your ratings" className="mt-8 border-t border-faint pt-4 text-sm">
      {done && <p className="mb-2">All rated. Thank you.</p>}
      <div className="flex flex-wrap gap-2">
        <button
          type="button"
          className="control"
          disabled={!some}
          onClick={() => { save("ratings.json", "application/json", `${JSON.stringify(file, null, 2)}\n`); }}
        >
          Download ratings.json
        </button>
        {boot.served && changes?.writable === true && (
          <button type="button" className="control" disabled={!some} onClick={() => void send(file).then(setSaid)}>
            Send to the store
          </button>
        )}
        <button
          type="button"
          className="control"
          onClick={() => { if (!some || window.confirm("Delete these ratings from this browser?")) onForget(); }}
        >
          Start over
        </button>
      </div>
      <p role="status" className="mt-2">
        {said}
      </p>
      <p className="mt-2 text-muted">
        <code>independence import ratings.json</code> stores them as verdicts of the judge <code>human:{file.rater}</code>.
        {session.from !== "drawn" && " These dialogues were chosen, not drawn: agreement over them says little about the others."}
      </p>
    </section>
  );
}
