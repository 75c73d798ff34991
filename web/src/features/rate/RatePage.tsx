import { useEffect, useState } from "react";
import { useBoard } from "../../data/board";
import { SCHEMA } from "../../schema";
import { useQuery } from "../../route/query";
import { Page } from "../../shell/Page";
import { Waiting } from "../../ui/Notice";
import { everyTag, useNotebook } from "../notes/notes";
import { pairQuestion } from "./asked";
import { TAG } from "./queue";
import { RatingSession } from "./RatingSession";
import { keep, load, type Session } from "./stored";

const LENGTHS = [10, 25, 50, 100] as const;

/** Blind ratings by people: who wrote a dialogue and what judges said of it stays hidden. */
export default function RatePage() {
  const { info } = useBoard();
  return <BoardRatings key={info.id} />;
}

function BoardRatings() {
  const { info } = useBoard();
  const [session, setSession] = useState<Session | null | undefined>(undefined);
  const [trouble, setTrouble] = useState("");
  useEffect(() => {
    load(info.id)
      .then((found) => { setSession(found); })
      .catch((error: unknown) => {
        setTrouble(error instanceof Error ? error.message : String(error));
        setSession(null);
      });
  }, [info.id]);
  const change = (next: Session | null) => {
    keep(info.id, next)
      .catch((error: unknown) => { setTrouble(error instanceof Error ? error.message : String(error)); })
      .finally(() => { setSession(next); }); // only now: what the page counts as rated is kept
  };
  return (
    <Page title="Rate" lead="Subjects and verdicts are hidden.">
      {trouble !== "" && (
        <p role="alert" className="mb-3 text-open">
          {trouble} Ratings are lost when this page is closed: download them before.
        </p>
      )}
      {session === undefined && <Waiting />}
      {session === null && <Begin onBegin={change} />}
      {session != null && <RatingSession session={session} onChange={change} />}
    </Page>
  );
}

function Begin({ onBegin }: { readonly onBegin: (session: Session) => void }) {
  const board = useBoard();
  const { info, boot } = board;
  const { question } = pairQuestion(board);
  const [query] = useQuery();
  const notes = useNotebook().notes.filter(({ board }) => board === info.id);
  const [from, setFrom] = useState(query.get("from") ?? "drawn");
  const [rater, setRater] = useState("");
  const [mode, setMode] = useState<Session["mode"]>("rubric");
  const [length, setLength] = useState<number>(LENGTHS[1]);
  const name = rater.trim();
  return (
    <form
      className="grid grid-cols-[minmax(0,1fr)] gap-x-6 gap-y-4 sm:grid-cols-2 [&>label]:min-w-0 [&_:is(input,select)]:w-full"
      onSubmit={(event) => {
        event.preventDefault();
        if (name === "") return;
        onBegin({ seed: Math.floor(Math.random() * 2 ** 31), length, mode, from, file: { schema: SCHEMA, rater: name, dataset: boot.board_list.dataset, ratings: [], pairs: [] } });
      }}
    >
      <label className="grid gap-1 text-sm">
        Your name or alias
        <input className="control cursor-text" required maxLength={64} value={rater} onChange={(event) => { setRater(event.target.value); }} />
      </label>
      <label className="grid gap-1 text-sm">
        How
        <select className="control" value={mode} onChange={(event) => { setMode(event.target.value as Session["mode"]); }}>
          <option value="rubric">One dialogue at a time, by the rubric</option>
          <option value="pairs">{`Two dialogues: ${question.charAt(0).toLowerCase()}${question.slice(1)}`}</option>
        </select>
      </label>
      <label className="grid gap-1 text-sm">
        Which dialogues
        <select className="control" value={from} onChange={(event) => { setFrom(event.target.value); }}>
          <option value="drawn">{info.judges.length > 1 ? "Drawn: half where judges disagree most, the others at random" : "Drawn at random"}</option>
          {info.judges.length > 1 && <option value="disputed">Those on which judges disagree most, in that order</option>}
          {notes.length > 0 && <option value="notes">Those with a note of mine</option>}
          {everyTag(notes).map((tag) => (
            <option key={tag} value={TAG + tag}>
              Those that I tagged “{tag}”
            </option>
          ))}
        </select>
        {from.startsWith(TAG) || from === "notes" ? <span className="text-muted">You saw who wrote these, so they are not rated blind.</span> : null}
      </label>
      <label className="grid gap-1 text-sm">
        How many
        <select className="control" value={length} onChange={(event) => { setLength(Number(event.target.value)); }}>
          {LENGTHS.map((number) => (
            <option key={number}>{number}</option>
          ))}
        </select>
      </label>
      <button type="submit" className="control main justify-self-start sm:col-span-2" disabled={name === ""}>
        Begin
      </button>
      <p className="note sm:col-span-2">
        Keys: 0 to 9 and x for ten, on a scale that goes below 0 the place from the left, 1 for yes and 0 for no; Backspace returns to the field before; Enter saves and goes on. Of two dialogues: a or b, e equal, s skips.
        Ratings are kept in this browser until you download them or send them to the store.
      </p>
    </form>
  );
}
