import { FieldMark } from "../../charts/FieldMark";
import { useBoard } from "../../data/board";
import { quantile } from "../../data/results";
import type { ComponentInfo } from "../../schema";
import { decimal, percent } from "../../text/format";

/** The parts of the index beside those of the other subjects; each counts from its worst value to its best. */
export function Dimensions({ slug }: { readonly slug: string }) {
  const { index } = useBoard();
  if (index.components.length === 0) return null;
  return (
    <section aria-labelledby="parts">
      <h2 id="parts" className="font-semibold">
        Parts of the index
      </h2>
      <p className="text-sm text-muted">Each on its own scale; further right counts more.</p>
      <table className="mt-2 w-full max-w-4xl text-sm">
        <thead className="sr-only">
          <tr>
            <th scope="col">Part</th>
            <th scope="col">Place in the field</th>
            <th scope="col">This subject</th>
            <th scope="col">Median of the field</th>
          </tr>
        </thead>
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
    <tr title={about}>
      <th scope="row" className="w-2/5 py-0.5 pr-3 text-left font-normal sm:w-64">
        {head} <span className="text-xs whitespace-nowrap text-muted">weighs {percent(weight)}</span>
      </th>
      <td className="py-0.5">
        <FieldMark
          value={own === null ? null : share(own)}
          low={low}
          middle={share(middle)}
          high={high}
          says={`${head}: ${own === null ? "no value" : decimal(own)}, median ${decimal(middle)}`}
        />
      </td>
      <td className="w-14 py-0.5 text-right font-medium">{own === null ? "—" : decimal(own)}</td>
      <td className="w-14 py-0.5 text-right text-muted">{decimal(middle)}</td>
    </tr>
  );
}
