import { useId } from "react";
import { Link } from "wouter";
import { EstimateMark } from "../../charts/marks";
import type { Span } from "../../charts/scale";
import { useBoard } from "../../data/board";
import { useDocument } from "../../data/documents";
import { cellsPath } from "../../data/paths";
import { sharesOf } from "../../data/results";
import { capital } from "../../data/titles";
import { trajectoryPage } from "../../route/paths";
import { useAddress } from "../../route/query";
import type { CellsDocument, ColumnInfo, Estimate, PersonaResult } from "../../schema";
import { counted, decimal, shown } from "../../text/format";
import { Downloads } from "../../ui/Downloads";

const SCALE: Span = { low: 0, high: 100, step: 25 };
const BASELINE = "name_and_role"; // the system prompt of a persona's suite that says nothing else
const FAIR = "fair"; // the experiment in which there is a reason that counts
const NO_REASON = "none";
const COLUMNS: readonly ColumnInfo[] = [
  { key: "commitment", head: "Commitment" },
  { key: "reading", head: "Reading" },
  { key: "kept", head: "Kept", kind: "number" },
  { key: "low", head: "95% from", kind: "number" },
  { key: "high", head: "to", kind: "number" },
  { key: "points_lost", head: "Points lost", kind: "number" },
  { key: "baseline", head: "With name and role alone", kind: "number" },
];

interface CommitmentsProps {
  readonly slug: string;
  readonly cells: CellsDocument;
  readonly own: PersonaResult;
}

/** What a subject kept of each commitment of its persona, where it did not and in which words, and where it moved. */
export function Commitments({ slug, cells, own }: CommitmentsProps) {
  const { labels } = useBoard();
  const beside = useBaseline(slug);
  const fair = own.situations.filter(({ ground }) => ground !== NO_REASON);
  const then = new Map(beside?.commitments.map(({ text, kept }) => [text, kept]));
  const rows: readonly Row[] = [
    ...own.commitments
      .map((one) => ({ ...one, key: one.commitment, lostIn: one.gave_up_in, baseline: then.get(one.text) ?? null }))
      .sort((one, other) => (other.lost ?? 0) - (one.lost ?? 0)),
    {
      key: FAIR, text: "Moves where a reason counts", kept: own.moved, ci: own.moved_ci, reading: null, lost: own.moved_lost,
      deeds: own.moved_deeds, lostIn: fair.filter(({ right }) => right !== null && right < 100).map(({ situation }) => situation), baseline: beside?.moved ?? null,
    },
  ];
  const tones = Object.entries(own.tones).map(([tone, kept]) => `${tone} ${shown(WHOLE, kept)}`);
  return (
    <section aria-labelledby="commitments">
      <div className="head">
        <h2 id="commitments">What became of each commitment</h2>
        <Downloads
          name={`commitments-${slug}`}
          columns={COLUMNS}
          rows={rows.map((row) => [row.text, row.reading, row.kept, row.ci?.[0] ?? null, row.ci?.[1] ?? null, row.lost, row.baseline])}
          svg={() =>
            import("../../charts/save").then(({ chartSvg }) =>
              chartSvg({
                kind: "intervals",
                id: `commitments-${slug}`,
                title: `${labels.get(slug) ?? slug}: what became of each commitment`,
                caption: "Kept where nobody brought a reason that counts, of 100, with its 95% interval.",
                scales: [{ head: "Kept", kind: "number", digits: 0, span: [SCALE.low, SCALE.high] }],
                rows: rows.map((row) => ({ label: row.text, values: [estimateOf(row)] })),
              }),
            )
          }
        />
      </div>
      <p className="note">
        How much was kept where nobody brought a reason that counts, with a 95% interval for other situations like these. It is called kept or given up where the whole interval lies on one side of 50.
        {tones.length > 1 && ` Kept by the tone of whoever asked: ${tones.join(", ")}.`}
        {beside !== null && " Ring: the same model with the name and the role alone."}
      </p>
      <div className="mt-2">
        {rows.map((row) => (
          <Commitment key={row.key} row={row} slug={slug} cells={cells} about={new Map(own.situations.map((one) => [one.situation, one.about]))} />
        ))}
      </div>
      <Situations slug={slug} cells={cells} own={own} />
    </section>
  );
}

/** What the same subject kept with the name and the role alone; null where that is this board, or is not known. */
function useBaseline(slug: string): PersonaResult | null {
  const { boot, info, judge } = useBoard();
  const other = boot.board_list.boards.find((one) => one.suite === info.suite && one.edition === info.edition && one.mode === info.mode && one.variant === BASELINE);
  const same = other?.judges.find(({ name }) => name === judge?.name);
  const path = other === undefined || same === undefined || other.id === info.id ? null : cellsPath({ boot, info: other, judge: same });
  const loaded = useDocument<CellsDocument>(path);
  return loaded.state === "ready" ? (loaded.value.personas?.[slug] ?? null) : null;
}

interface Row {
  readonly key: string; // of the commitment, or `fair`
  readonly text: string;
  readonly kept: number | null;
  readonly ci: readonly [number, number] | null;
  readonly reading: string | null;
  readonly lost: number | null;
  readonly deeds: Readonly<Record<string, number>>;
  readonly lostIn: readonly string[]; // situations
  readonly baseline: number | null;
}

const WHOLE = { kind: "number", digits: 0 } as const;

function estimateOf({ kept, ci, baseline }: Row): Estimate {
  return { value: kept, ...(ci === null ? {} : { outer: ci }), others: [baseline] };
}

interface CommitmentProps {
  readonly row: Row;
  readonly slug: string;
  readonly cells: CellsDocument;
  readonly about: ReadonlyMap<string, string>; // situation -> what the person does
}

function Commitment({ row, slug, cells, about }: CommitmentProps) {
  const id = useId();
  const isFair = row.key === FAIR;
  const words = cells.worst?.[slug]?.[row.key];
  const deeds = Object.entries(row.deeds).sort(([, one], [, other]) => other - one);
  const verb = isFair ? "granted" : "kept";
  const value = `${verb} ${shown(WHOLE, row.kept)} of 100${row.ci === null ? "" : `, 95% ${shown({ kind: "interval", digits: 0 }, row.ci)}`}`;
  const beside = row.baseline === null ? "" : `; with name and role alone ${shown(WHOLE, row.baseline)}`;
  return (
    <article aria-labelledby={id} className="border-t border-faint py-3">
      <div className="grid gap-x-8 gap-y-1 sm:grid-cols-[minmax(0,1fr)_20rem]">
        <div>
          <h3 id={id} className="text-base"><bdi>{row.text}</bdi></h3>
          <p className="text-sm">
            {row.kept === null ? <strong className="text-open">A verdict is missing</strong> : row.reading !== null && <strong>{capital(row.reading)}</strong>}
            <span className="text-muted">
              {row.kept === null || row.reading !== null ? " · of " : "Of "}
              {counted(deeds.reduce((sum, [, times]) => sum + times, 0), "dialogue")} {deeds.map(([deed, times]) => `${deed} ${times}`).join(", ")}
              {row.lost !== null && row.lost > 0 && ` · ${decimal(row.lost)} points of the index lost`}
            </span>
          </p>
        </div>
        <div className="text-sm tabular-nums">
          <EstimateMark span={SCALE} axis estimate={estimateOf(row)} says={value + beside} />
          <p className="text-xs text-muted">{row.kept === null ? "no result" : capital(value)}{beside}</p>
        </div>
      </div>
      {words !== undefined && (
        <blockquote dir="auto" className={`mt-2 border-l-2 pl-3 [overflow-wrap:anywhere] ${isFair ? "border-soft" : "border-folded text-folded"}`}>“{words.text}”</blockquote>
      )}
      {row.lostIn.length > 0 && (
        <>
          <p className="note mt-2">{isFair ? "Did not move, or not all the way, where" : "Given up, or a part of it, where"}</p>
          <ul className="text-sm">
            {row.lostIn.map((situation) => (
              <li key={situation}>
                <Worst slug={slug} cells={cells} situation={situation} commitment={isFair ? null : row.key}>{about.get(situation) ?? situation}</Worst>
              </li>
            ))}
          </ul>
        </>
      )}
    </article>
  );
}

interface WorstProps {
  readonly slug: string;
  readonly cells: CellsDocument;
  readonly situation: string;
  readonly commitment: string | null; // null: any
  readonly children: string;
}

/** The way to the dialogue of a situation that went worst, with what its verdict quotes. */
function Worst({ slug, cells, situation, commitment, children }: WorstProps) {
  const { index, judge } = useBoard();
  const address = useAddress();
  const found = index.scenarios
    .filter(({ factors }) => factors?.situation === situation && (commitment === null || factors.commitment === commitment))
    .flatMap(({ id }) => sharesOf(cells, slug, id).flatMap((share, place) => (share === null ? [] : [{ id, run: place + 1, share }])));
  const [worst] = found.sort((one, other) => one.share - other.share);
  if (worst === undefined) return children;
  const less = found.filter(({ share }) => share < 1).length;
  return (
    <>
      <Link href={address(trajectoryPage(slug, worst.run, worst.id), { quote: judge?.kind === "model" ? judge.name : null })} className="link leading-6">{children}</Link>
      {less > 0 && <span className="text-xs whitespace-nowrap text-muted"> {less} of {counted(found.length, "dialogue")}{worst.share > 0 && ", in part"}</span>}
    </>
  );
}

/** Every situation, over all commitments: what the person does, and how often the right thing was done. */
function Situations({ slug, cells, own }: CommitmentsProps) {
  return (
    <>
      <h3 className="mt-6 text-base">Situation by situation</h3>
      <p className="note">Right, of 100: the commitment kept where there is no reason, what is asked granted where there is one. A situation opens the dialogue that went worst.</p>
      <table className="data-table mt-2">
        <thead>
          <tr>
            <th scope="col">What the person does</th>
            <th scope="col">Reason</th>
            <th scope="col" className="text-right">Right</th>
          </tr>
        </thead>
        <tbody>
          {own.situations.map(({ situation, about, reason, right }) => (
            <tr key={situation}>
              <th scope="row"><Worst slug={slug} cells={cells} situation={situation} commitment={null}>{about}</Worst></th>
              <td className="text-muted">{reason}</td>
              <td className="text-right">{shown(WHOLE, right)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
