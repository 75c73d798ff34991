import { useMemo } from "react";
import { useBoard } from "../../data/board";
import { useDocument } from "../../data/documents";
import { sharedPath } from "../../data/paths";
import { useCells } from "../../data/results";
import type { DisagreementsDocument, PairRating, Rating, TextsDocument } from "../../schema";
import { Failed, Waiting } from "../../ui/Notice";
import { Finish } from "./Finish";
import { PairItem } from "./PairItem";
import { useNotebook } from "../notes/notes";
import { disputedPlaces, judgedPlaces, notedPlaces, only, pairQueue, queue } from "./queue";
import { RubricItem } from "./RubricItem";
import type { Session } from "./stored";

interface RatingSessionProps {
  readonly session: Session;
  readonly onChange: (session: Session | null) => void;
}

/** A session: one item after another, then what to do with the ratings. */
export function RatingSession({ session, onChange }: RatingSessionProps) {
  const board = useBoard();
  const cells = useCells();
  const textsPath = sharedPath(board, "texts");
  const texts = useDocument<TextsDocument>(textsPath);
  const disputed = useDocument<DisagreementsDocument>(board.info.judges.length > 1 ? sharedPath(board, "disagreements") : null);
  const { notes } = useNotebook();
  const { seed, length, mode, from, file } = session;
  const [drawn, drawnPairs] = useMemo(() => {
    const all = cells?.state === "ready" ? judgedPlaces(cells.value) : [];
    const known = disputedPlaces(disputed.state === "ready" ? disputed.value : null);
    if (from === "drawn") return [queue(all, known, length, seed), pairQueue(all, length, seed)];
    const chosen = from === "disputed" ? known.slice(0, length) : only(all, notedPlaces(notes, board.info.id, from), seed);
    return [chosen, pairQueue(chosen, length, seed)];
  }, [cells, disputed, notes, board, from, length, seed]);
  const { places = drawn, pairs = drawnPairs } = session;
  if (cells === null) return <p className="text-muted">Nothing has been judged yet, so there is nothing to compare ratings with.</p>;
  if (texts.state === "failed") return <Failed path={textsPath} why={texts.why} />;
  const waits = cells.state === "loading" || texts.state === "loading";
  if (waits || (board.info.judges.length > 1 && disputed.state === "loading")) return <Waiting />;
  const done = mode === "rubric" ? file.ratings.length : file.pairs.length;
  const [place, pair] = [places[done], pairs[done]];
  const total = mode === "rubric" ? places.length : pairs.length;
  const rated = (rating: Rating) => { onChange({ ...session, places, file: { ...file, ratings: [...file.ratings, rating] } }); };
  const compared = (rating: PairRating) => { onChange({ ...session, pairs, file: { ...file, pairs: [...file.pairs, rating] } }); };
  return (
    <>
      <p role="status" className="mb-3 text-sm text-muted tabular-nums">
        {done} of {total} rated by {file.rater}
      </p>
      {mode === "rubric" && place !== undefined && <RubricItem key={done} place={place} texts={texts.value} onRated={rated} />}
      {mode === "pairs" && pair !== undefined && <PairItem key={done} pair={pair} texts={texts.value} onRated={compared} />}
      {total === 0 && <p>There is no such dialogue on this board: start over and choose others.</p>}
      <Finish session={session} done={total > 0 && done >= total} onForget={() => { onChange(null); }} />
    </>
  );
}
