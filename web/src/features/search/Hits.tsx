import { useMemo } from "react";
import { Link } from "wouter";
import { useBoard } from "../../data/board";
import { useDocument } from "../../data/documents";
import { dialoguePath } from "../../data/paths";
import { scenarioTitle } from "../../data/titles";
import { trajectoryPage } from "../../route/paths";
import { useAddress, useQuery } from "../../route/query";
import type { BlockDocument, DialogueDocument, SearchHit } from "../../schema";
import { percent } from "../../text/format";
import { MarkedText } from "../../text/MarkedText";
import { SubjectLabel } from "../../ui/SubjectName";
import { matches, type Range, type Wanted } from "../../text/matching";
import { textsOf } from "../trajectory/marking";
import { KINDS, searchOf, type FoundDialogue } from "./found";

const BESIDE = 120; // characters before and after what was found

interface Snippet {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** From where to where a text is shown around what was found: whole words. */
function around(text: string, { start, end }: Range): readonly [number, number] {
  const [low, high] = [start - BESIDE, end + BESIDE];
  const [first, last] = [text.indexOf(" ", low) + 1, text.lastIndexOf(" ", high)];
  return [low <= 0 ? 0 : first > 0 && first < start ? first : low, high >= text.length ? text.length : last > end ? last : high];
}

/** What stands around the first place of the words in the texts of a hit. */
function snippet(dialogue: DialogueDocument, hit: SearchHit | undefined, asked: Wanted): Snippet | null {
  if (hit === undefined) return null;
  for (const [place, text] of textsOf(dialogue)) {
    const [role, at] = place.split(" ", 2);
    const isOf = role === hit.role && (role !== "judge" || dialogue.verdicts?.[Number(at)]?.judge === hit.judge);
    const [found] = isOf ? matches(text, asked) : [];
    if (found === undefined) continue;
    const [from, to] = around(text, found);
    const before = from > 0 ? "… " : "";
    return {
      text: `${before}${text.slice(from, to).replaceAll(/\s/g, " ")}${to < text.length ? " …" : ""}`,
      start: found.start - from + before.length,
      end: found.end - from + before.length,
    };
  }
  return null;
}

interface HitProps {
  readonly found: FoundDialogue;
  readonly asked: Wanted;
}

function kinds(hits: readonly SearchHit[]): string {
  return hits.map((hit) => `${hit.places} in ${hit.role === "judge" ? `the reasons of ${hit.judge ?? ""}` : KINDS[hit.role]}`).join(", ");
}

/** One dialogue that was found, the way to its first place. */
function Hit({ found, asked }: HitProps) {
  const [query] = useQuery();
  const search = searchOf(query);
  const board = useBoard();
  const address = useAddress();
  const { subject, scenario, run, share, hits } = found;
  const loaded = useDocument<BlockDocument>(dialoguePath(board, subject, scenario, run));
  const shown = useMemo(() => {
    const dialogue = loaded.state !== "ready" ? undefined : loaded.value.dialogues.find((one) => one.subject === subject && one.scenario === scenario && one.run === run);
    const part = dialogue === undefined ? null : snippet(dialogue, hits[0], asked);
    return part === null ? null : { text: part.text, spans: [{ start: part.start, end: part.end, id: "hit", look: "mark-hit", title: "found" }] };
  }, [loaded, subject, scenario, run, hits, asked]);
  return (
    <li className="border-t border-faint py-2">
      <p className="text-sm">
        <Link href={address(trajectoryPage(subject, run, scenario), search)} className="font-medium hover:text-accent hover:underline">
          <SubjectLabel slug={subject} />
        </Link>{" "}
        <span className="text-muted">
          {scenarioTitle(board, scenario)}, run {run}
          {share === null ? "" : `, result ${percent(share)}`} · {kinds(hits)}
        </span>
      </p>
      <div className="min-h-6 max-w-5xl text-sm [&_.marked-text]:font-sans [&_.marked-text]:text-sm">
        {loaded.state === "loading" && <span className="text-muted">…</span>}
        {loaded.state === "failed" && <span className="text-muted">Its text is not here: {loaded.why}</span>}
        {shown !== null && <MarkedText text={shown.text} spans={shown.spans} raw />}
      </div>
    </li>
  );
}

/** The dialogues that were found. */
export function Hits({ all, ...rest }: Omit<HitProps, "found"> & { readonly all: readonly FoundDialogue[] }) {
  return (
    <ol className="mt-2">
      {all.map((found) => (
        <Hit key={`${found.subject}/${found.run}/${found.scenario}`} found={found} {...rest} />
      ))}
    </ol>
  );
}
