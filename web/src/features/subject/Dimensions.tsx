import { EstimateMark } from "../../charts/marks";
import { useBoard } from "../../data/board";
import type { ColumnInfo, ComponentInfo } from "../../schema";
import { meaning } from "../../data/parts";
import { decimal, percent } from "../../text/format";
import { Downloads } from "../../ui/Downloads";
import { estimateOf, fieldChart, SHARES, type FieldRow } from "./fieldChart";
import { FieldHead } from "./FieldHead";

const COLUMNS: readonly ColumnInfo[] = [
  { key: "part", head: "Part", kind: "id" },
  { key: "weight", head: "Weight", kind: "number" },
  { key: "value", head: "Value", kind: "number" },
  { key: "median", head: "Median", kind: "number" },
];

/** The parts of the index beside those of the other subjects; each counts from its worst value to its best. */
export function Dimensions({ slug }: { readonly slug: string }) {
  const { index, labels } = useBoard();
  if (index.components.length === 0) return null;
  const rows = index.components.flatMap((component, place) => {
    const own = index.parts[slug]?.[place] ?? null;
    return partRow(component, own, index.part_quartiles[place] ?? null) ?? [];
  });
  return (
    <section aria-labelledby="parts">
      <div className="head">
        <h2 id="parts">
          Parts of the index
        </h2>
        <Downloads
          name={`parts-${slug}`}
          columns={COLUMNS}
          rows={rows.map(({ component, own, median }) => [component.key, component.weight, own, median])}
          svg={() => import("../../charts/save").then(({ chartSvg }) => chartSvg(fieldChart(`parts-${slug}`, `${labels.get(slug) ?? slug}, parts of the index as shares of what each can add`, rows)))}
        />
      </div>
      <p className="note">The further right, the more a part adds to the index. Dot: this subject. Bar: the middle half of all subjects. Line: their median.</p>
      <table className="data-table mt-2 table-fixed">
        <FieldHead first="Part" low="worst" high="best" />
        <tbody>
          {rows.map((row) => (
            <Part key={row.component.key} row={row} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface PartRow extends FieldRow {
  readonly component: ComponentInfo;
  readonly own: number | null; // on its own scale, as is the median
  readonly median: number;
}

function partRow(component: ComponentInfo, own: number | null, quartiles: readonly [number, number, number] | null): PartRow | null {
  if (quartiles === null) return null;
  const share = (value: number) => (value - component.worst) / (component.best - component.worst);
  const [one, median, other] = quartiles;
  const ends = [share(one), share(other)];
  return {
    component, own, median, label: component.head, value: own === null ? null : share(own),
    low: Math.min(...ends), middle: share(median), high: Math.max(...ends),
  };
}

function Part({ row }: { readonly row: PartRow }) {
  const { component, own, median } = row;
  const { head, about, weight } = component;
  return (
    <tr title={about}>
      <th scope="row" className="leading-tight">
        {head} <span className="text-xs whitespace-nowrap text-muted">{percent(weight)} of the index</span>
        <span className="block text-xs text-muted">{meaning(head, about)}</span>
      </th>
      <td className="py-0">
        <EstimateMark
          span={SHARES}
          estimate={estimateOf(row)}
          says={`${head}: ${own === null ? "no value" : decimal(own)}, median ${decimal(median)}`}
        />
      </td>
      <td className="text-right font-medium">{own === null ? "—" : decimal(own)}</td>
      <td className="text-right text-muted">{decimal(median)}</td>
    </tr>
  );
}
