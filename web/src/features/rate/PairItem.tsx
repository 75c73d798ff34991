import { useBoard } from "../../data/board";
import { useKeys } from "../../keys/keys";
import type { PairRating, TextsDocument } from "../../schema";
import { pairQuestion } from "./asked";
import { Blind, useItem } from "./Blind";
import type { Pair } from "./queue";
import { useSeconds } from "./seconds";

interface PairItemProps {
  readonly pair: Pair;
  readonly texts: TextsDocument;
  readonly onRated: (rating: PairRating) => void;
}

/** Two dialogues of one scenario, and which of them it is. */
export function PairItem({ pair: [one, other], texts, onRated }: PairItemProps) {
  const [first, second] = [useItem(one), useItem(other)];
  const seconds = useSeconds();
  const { question, answers } = pairQuestion(useBoard());
  const choices = [
    ["a", "first", answers[0]],
    ["b", "second", answers[1]],
    ["e", "equal", "Equal"],
    ["s", "skipped", "Skip"],
  ] as const;
  const ready = first !== "" && second !== "";
  const choose = (better: PairRating["better"]) => () => {
    if (ready) onRated({ first, second, better, seconds: seconds() });
  };
  useKeys(Object.fromEntries(choices.map(([key, better]) => [key, choose(better)])));
  return (
    <>
      <p className="mb-3">{question}</p>
      <div className="sticky top-14 z-10 mb-4 flex flex-wrap gap-2 bg-paper py-2">
        {choices.map(([key, better, name]) => (
          <button key={key} type="button" className="control" disabled={!ready} onClick={choose(better)}>
            {name} ({key})
          </button>
        ))}
      </div>
      <div className="grid gap-x-8 gap-y-6 md:grid-cols-2">
        <div>
          <h2 className="mb-2">A</h2>
          <Blind place={one} texts={texts} name="A" />
        </div>
        <div>
          <h2 className="mb-2">B</h2>
          <Blind place={other} texts={texts} name="B" />
        </div>
      </div>
    </>
  );
}
