import { FieldMark } from "../../charts/FieldMark";
import { useBoard } from "../../data/board";
import { quantile } from "../../data/results";
import type { ComponentInfo } from "../../schema";
import { meaning } from "../../data/parts";
import { decimal, percent } from "../../text/format";
import { FieldHead } from "./FieldHead";

/** The parts of the index beside those of the other subjects; each counts from its worst value to its best. */
export function Dimensions({ slug }: { readonly slug: string }) {
  const { index } = useBoard();
  if (index.components.length === 0) return null;
  return (
    <section aria-labelledby="parts">
      <h2 id="parts" className="font-semibold">
        Parts of the index
      </h2>
      <p className="text-sm text-muted">The further right, the more a part adds to the index. Dot: this subject. Bar: the middle half of all subjects. Line: their median.</p>
      <table className="mt-2 w-full max-w-5xl table-fixed text-sm">
        <FieldHead first="Part" low="adds nothing" high="adds all" />
        <tbody>
          {index.components.map((component, place) => (
            <Part
              key={component.key}
              component={component}
              own={index.parts[slug]?.[place] ?? null}
              field={Object.values(index.parts).flatMap((values) => values[place] ?? [])}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface PartProps {
  readonly component: ComponentInfo;
  readonly own: number | null;
  readonly field: readonly number[];
}

function Part({ component: { head, about, weight, worst, best }, own, field }: PartProps) {
  const share = (value: number) => (value - worst) / (best - worst);
  const middle = quantile(field, 0.5);
  const shares = field.map(share);
  const [low, high] = [quantile(shares, 0.25), quantile(shares, 0.75)];
  if (middle === null || low === null || high === null) return null;
  return (
    <tr title={about} className="hover:bg-band">
      <th scope="row" className="py-1 pr-3 text-left leading-tight font-normal">
        {head} <span className="text-xs whitespace-nowrap text-muted">{percent(weight)} of the index</span>
        <span className="block text-xs text-muted">{meaning(head, about)}</span>
      </th>
      <td className="px-2 py-0.5">
        <FieldMark
          value={own === null ? null : share(own)}
          low={low}
          middle={share(middle)}
          high={high}
          says={`${head}: ${own === null ? "no value" : decimal(own)}, median ${decimal(middle)}`}
        />
      </td>
      <td className="w-16 py-0.5 text-right font-medium">{own === null ? "—" : decimal(own)}</td>
      <td className="w-16 py-0.5 text-right text-muted">{decimal(middle)}</td>
    </tr>
  );
}
