import { useCallback, useEffect, useMemo, useState } from "react";
import { useBoard } from "../../data/board";
import { useKeys } from "../../keys/keys";
import { useQuery } from "../../route/query";
import type { DialogueDocument, VerdictDocument } from "../../schema";
import { wanted } from "../../text/matching";
import { firstMark, quoteName } from "../../text/quotations";
import { HitBar } from "../search/HitBar";
import { Conversation } from "./Conversation";
import type { DialogueWithTexts } from "./dialogue";
import { hitMark, isInView, marking, reveal } from "./marking";
import { verdictElement, Verdicts } from "./Verdicts";

interface DialogueProps {
  readonly dialogue: DialogueDocument;
  readonly found: DialogueWithTexts;
  readonly raw: boolean;
  readonly thinking: boolean;
}

/** A conversation beside its verdicts. `quote` in the address lights up what a verdict quotes, `q` marks words. */
export function Dialogue({ dialogue, found, raw, thinking }: DialogueProps) {
  const board = useBoard();
  const [query, change] = useQuery();
  const [lit, words, whole] = [query.get("quote"), query.get("q") ?? "", query.get("whole") === "1"];
  const [hit, setHit] = useState(0);
  const verdicts = useMemo(() => dialogue.verdicts ?? [], [dialogue]);
  const press = useCallback(
    (verdict: VerdictDocument) => {
      change({ quote: quoteName(verdict) });
      document.getElementById(verdictElement(verdicts.indexOf(verdict)))?.focus();
    },
    [change, verdicts],
  );
  const asked = useMemo(() => wanted(words, whole), [words, whole]);
  const marked = useMemo(
    () => marking(dialogue, [...found.answers.keys()], { words: asked, hit, lit, press }),
    [dialogue, found, asked, hit, lit, press],
  );
  const verdict = verdicts.find((one) => quoteName(one) === lit && (one.spans ?? []).length > 0);
  // A page that was just come to scrolls to its top first.
  useEffect(() => {
    const next = requestAnimationFrame(() => {
      if (verdict !== undefined && !isInView("mark-lit")) reveal(firstMark(verdicts, verdict));
    });
    return () => { cancelAnimationFrame(next); };
  }, [verdict, verdicts, raw]);
  useEffect(() => {
    const next = requestAnimationFrame(() => { if (words !== "") reveal(hitMark(hit)); });
    return () => { cancelAnimationFrame(next); };
  }, [words, hit, raw]);
  const show = (one: VerdictDocument) => {
    change({ quote: quoteName(one) });
    reveal(firstMark(verdicts, one));
  };
  useKeys({ Escape: () => { change({ quote: null, q: null }); } });
  return (
    <>
      {words !== "" && <HitBar dialogue={dialogue} words={words} hits={marked.hits} hit={hit} go={setHit} />}
      {lit !== null && verdict === undefined && (
        <p role="status" className="mb-4 text-open">
          {verdicts.some((one) => quoteName(one) === lit) ? `Nothing that ${lit} quotes stands in these answers.` : `There is no verdict of ${lit} here.`}
        </p>
      )}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-x-10 gap-y-8 xl:grid-cols-[minmax(0,1fr)_23rem]">
        <Conversation scenario={dialogue.scenario} dialogue={dialogue} found={found} raw={raw} thinking={thinking} marking={marked} />
        <Verdicts dialogue={dialogue} texts={found.texts} choices={board.scenarios.get(dialogue.scenario)?.choices} raw={raw} marks={marked.marks} lit={lit} show={show} />
      </div>
    </>
  );
}
