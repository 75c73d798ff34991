import { EstimateMark, MarkKey } from "../../charts/marks";
import { useBoard } from "../../data/board";
import { contrastWords } from "../../data/contrasts";
import { useDocument } from "../../data/documents";
import { sharedPath } from "../../data/paths";
import { measureName, sharesOf, useCells } from "../../data/results";
import { sideTitle } from "../../data/titles";
import type { ColumnInfo, TextsDocument } from "../../schema";
import { firstSentence, percent, signed } from "../../text/format";
import { Downloads } from "../../ui/Downloads";
import type { Wording } from "./CellPage";

interface ContrastProps {
  readonly slug: string;
  readonly unit: string;
  readonly run: number;
  readonly wordings: readonly Wording[];
}

const SHARES = { low: 0, high: 1, step: 0.25 } as const;
const COLUMNS: readonly ColumnInfo[] = [
  { key: "scenario", head: "Scenario", kind: "id" },
  { key: "side", head: "Side" },
  { key: "value", head: "Value", kind: "number" },
];

/** What the sides of this case differ by, as its analysis counts it, and where each lies. */
export function Contrast({ slug, unit, run, wordings }: ContrastProps) {
  const board = useBoard();
  const cells = useCells();
  const texts = useDocument<TextsDocument>(sharedPath(board, "texts"));
  if (cells?.state !== "ready") return null;
  const fields = texts.state === "ready" ? Object.values(texts.value.rubrics ?? {}).flatMap((rubric) => rubric.fields) : [];
  const field = fields.find(({ name }) => name === cells.value.measure);
  const [first = "", second = ""] = (wordings[0]?.sides ?? []).map((side) => sideTitle(side));
  const { quantity = "", units = [], contrasts = {} } = cells.value;
  const value = contrasts[slug]?.[units.indexOf(unit)] ?? null;
  const share = (scenario: string) => sharesOf(cells.value, slug, scenario)[run - 1] ?? null;
  const shown = (part: number | null) => (part === null ? "no result" : percent(part));
  const [low, high] = [field?.low ?? 0, field?.high ?? 1];
  const points = wordings.flatMap(({ name, sides }) =>
    sides.map((side) => {
      const part = share(side.id);
      const point = part === null ? null : low + part * (high - low);
      return { id: side.id, label: [name, sideTitle(side)].filter((text) => text !== "").join(" · "), value: point };
    }),
  );
  const svg = () =>
    import("../../charts/save").then(({ chartSvg }) =>
      chartSvg({
        kind: "intervals",
        id: `case-${unit}`,
        title: `${board.labels.get(slug) ?? slug}: by side, run ${run}`,
        caption: "",
        scales: [{ head: measureName(cells.value), kind: "signed", digits: 2, span: [low, high], zero: low < 0 }],
        rows: points.map(({ label, value: point }) => ({ label, values: [point === null ? null : { value: point }] })),
      }),
    );
  return (
    <section aria-label="Contrast" className="mb-8 grid gap-x-10 gap-y-4 rounded-md bg-band px-4 py-4 lg:grid-cols-[18rem_minmax(0,1fr)]">
      {quantity !== "" && (
        <div>
          <p className="text-xs text-muted">
            {quantity} of this case, {board.labels.get(slug)}
          </p>
          <p className="text-4xl font-semibold tracking-tight tabular-nums">{value === null ? "—" : signed(value, 2)}</p>
          <p className="text-xs text-muted">
            {value === null ? "Not all of its sides were judged" : `${quantity}: ${contrastWords(quantity).about}`}.
          </p>
        </div>
      )}
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-5 gap-y-1 text-xs text-muted">
          <span className="first-letter:uppercase">{measureName(cells.value)}, run {run}:</span>
          {wordings[0]?.sides.map((side, place) => (
            <span key={side.id}>
              <MarkKey place={place} /> {sideTitle(side)}
            </span>
          ))}
          <span className="ml-auto">
            <Downloads name={`case-${unit}`} columns={COLUMNS} rows={points.map((point) => [point.id, point.label, point.value])} svg={svg} />
          </span>
        </p>
        {wordings.map(({ name, sides }) => {
          const values = sides.map((side) => share(side.id));
          const says = sides.map((side, place) => `${sideTitle(side)} ${shown(values[place] ?? null)}`).join(", ");
          return (
            <div key={name} className="mt-1 grid grid-cols-[8rem_minmax(0,1fr)] items-center gap-3 text-sm max-sm:grid-cols-1 max-sm:gap-0">
              <span className="first-letter:uppercase">{name === "" ? "All sides" : name}</span>
              <EstimateMark span={SHARES} estimate={{ value: values[0] ?? null, others: values.slice(1) }} axis says={`${name}: ${says}`} />
            </div>
          );
        })}
        <p className="mt-1 flex justify-between text-xs text-muted sm:ml-[8.75rem]">
          <span>{signed(field?.low ?? 0, 0)}</span>
          <span>{signed(field?.high ?? 1, 0)}</span>
        </p>
        <p className="mt-1 text-xs text-muted sm:ml-[8.75rem]">
          {quantity === "S" && first !== "" ? `+1: wholly for ${first}. -1: wholly for ${second}.` : firstSentence(field?.about ?? "")}
        </p>
      </div>
    </section>
  );
}
