import { useId, type ReactNode } from "react";
import { Link } from "wouter";
import { useBoard } from "../../data/board";
import { capital } from "../../data/titles";
import { trajectoryPage } from "../../route/paths";
import { useAddress } from "../../route/query";
import type { ColumnInfo, CommitmentResult, FairResult, PersonaResult, SeenDialogue } from "../../schema";
import { counted } from "../../text/format";
import { Downloads } from "../../ui/Downloads";

const FIRST = 3; // dialogues that are shown until a reader asks for all
const READINGS = ["given up", "evaded", "open", "kept"] as const; // in the order in which commitments are shown
const ASKED: Readonly<Record<string, string>> = {
  plain: "asked plainly",
  pressed: "asked and pressed",
  ordinary: "asked after everyday talk",
  in_words: "asked to agree, not to act",
  fair: "a fair request",
};
const COLUMNS: readonly ColumnInfo[] = [
  { key: "commitment", head: "Commitment" },
  { key: "reading", head: "Reading" },
  { key: "broken", head: "Broken", kind: "count" },
  { key: "evaded", head: "Evaded", kind: "count" },
  { key: "dialogues", head: "Dialogues", kind: "count" },
];

interface CommitmentsProps {
  readonly slug: string;
  readonly own: PersonaResult;
}

/** What became of each commitment of a persona and of fair requests, with the way to the dialogues that show it. */
export function Commitments({ slug, own }: CommitmentsProps) {
  const { fair } = own;
  const rows = own.commitments.toSorted((one, other) => READINGS.indexOf(one.reading) - READINGS.indexOf(other.reading) || other.broken - one.broken);
  return (
    <section aria-labelledby="commitments">
      <div className="head">
        <h2 id="commitments">What became of each commitment</h2>
        <Downloads name={`commitments-${slug}`} columns={COLUMNS} rows={rows.map((one) => [one.text, one.reading, one.broken, one.evaded, dialogues(one)])} />
      </div>
      <p>{answer(own)}</p>
      {own.missing > 0 && <p className="text-sm text-open">{counted(own.missing, "verdict")} missing.</p>}
      <p className="note">
        A sequential test of the dialogues with a breach says whether a commitment is kept or given up; open: it cannot say yet. It is about these requests.
      </p>
      <div className="mt-2">
        {rows.map((one) => (
          <Article key={one.commitment} heading={one.text} seen={one.shown} slug={slug}>
            <p className="text-sm">
              <strong className={one.reading === "given up" ? "text-folded" : ""}>{capital(one.reading)}{one.in_words && " in words"}</strong>
              <span className="text-muted"> · {counts(one)}</span>
            </p>
            {one.in_words && <p className="note">Only what it says was tested, not what it does.</p>}
            {one.elsewhere > 0 && <p className="note">The judge also saw it broken in {counted(one.elsewhere, "dialogue")} about other commitments, which count for nothing here.</p>}
          </Article>
        ))}
        {asked(fair) > 0 && (
          <Article heading="Fair requests" seen={fair.shown} slug={slug}>
            <p className="text-sm text-muted">Granted {fair.granted} of {asked(fair)}{evaded(fair.evaded)}</p>
          </Article>
        )}
      </div>
    </section>
  );
}

function dialogues({ broken, clean, evaded }: CommitmentResult): number {
  return broken + clean + evaded;
}

function asked({ granted, refused, evaded }: FairResult): number {
  return granted + refused + evaded;
}

/** In a sentence, how many commitments are kept, and what became of the others. */
function answer({ commitments, fair }: PersonaResult): string {
  const [givenUp, evades, open, kept] = READINGS.map((reading) => commitments.filter((one) => one.reading === reading).length);
  const refused = asked(fair) - fair.granted;
  const others: readonly (readonly [number | undefined, string])[] = [
    [givenUp, `gave up ${givenUp}`], [open, `${open} open`], [evades, `evaded ${evades}`], [refused, `refused ${refused} of ${asked(fair)} fair requests`],
  ];
  return [`Keeps ${kept} of ${counted(commitments.length, "commitment")}`, ...others.flatMap(([count, said]) => (count === 0 ? [] : said))].join("; ") + ".";
}

/** How often it was broken, and in which kinds of dialogues. */
function counts(one: CommitmentResult): string {
  const kinds = Object.entries(one.kinds).filter(([kind, [broken]]) => broken > 0 && kind !== "in_words");
  const where = kinds.map(([kind, [broken, all]]) => `${kind} ${broken} of ${all}`).join(", ");
  return `broken in ${one.broken} of ${counted(dialogues(one), "dialogue")}${where === "" ? "" : ` (${where})`}${evaded(one.evaded)}`;
}

function evaded(count: number): string {
  return count === 0 ? "" : `, ${count} evaded`;
}

interface ArticleProps {
  readonly heading: string;
  readonly seen: readonly SeenDialogue[];
  readonly slug: string;
  readonly children: ReactNode;
}

function Article({ heading, seen, slug, children }: ArticleProps) {
  const id = useId();
  return (
    <article aria-labelledby={id} className="border-t border-faint py-3">
      <h3 id={id} className="text-base"><bdi>{heading}</bdi></h3>
      {children}
      <Ways seen={seen.slice(0, FIRST)} slug={slug} />
      {seen.length > FIRST && (
        <details className="text-sm">
          <summary className="text-muted">and {seen.length - FIRST} more</summary>
          <Ways seen={seen.slice(FIRST)} slug={slug} />
        </details>
      )}
    </article>
  );
}

/** The ways to dialogues, with what was asked in each. */
function Ways({ seen, slug }: Pick<ArticleProps, "seen" | "slug">) {
  const { judge } = useBoard();
  const address = useAddress();
  return (
    <ul className="mt-1 text-sm">
      {seen.map(({ scenario, run, kind, request, end }) => (
        <li key={`${scenario}/${run}`}>
          <Link href={address(trajectoryPage(slug, run, scenario), { quote: judge?.kind === "model" ? judge.name : null })} className="link leading-6"><bdi>{request}</bdi></Link>
          <span className="text-xs text-muted"> {ASKED[kind]}{end === "evaded" && ", evaded"}</span>
        </li>
      ))}
    </ul>
  );
}
