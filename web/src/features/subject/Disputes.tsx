import { Link } from "wouter";
import { diverging } from "../../charts/heat";
import { useBoard } from "../../data/board";
import { cellRest, groupsOf } from "../../data/groups";
import { cellTitle } from "../../data/titles";
import { cellPage } from "../../route/paths";
import { useAddress } from "../../route/query";
import type { CellsDocument } from "../../schema";
import { signed } from "../../text/format";
import { Downloads } from "../../ui/Downloads";

/** The contrast of a subject in every cell of a grid: one row a dispute, one column for each of its versions. */
export function Disputes({ slug, cells }: { readonly slug: string; readonly cells: CellsDocument }) {
  const board = useBoard();
  const address = useAddress();
  const { units = [], contrasts = {}, quantity = "" } = cells;
  const groups = groupsOf(board.index.scenarios);
  if (units.length === 0 || groups === null) return null;
  const own = new Map(units.map((unit, place) => [unit, contrasts[slug]?.[place] ?? null]));
  const titles = new Map(board.index.scenarios.map((scenario) => [scenario.unit, scenario]));
  const versions = [...new Set(units.map((unit) => cellRest(titles.get(unit)?.cell ?? "")))];
  const columns = [
    { key: "case", head: "Case" },
    { key: quantity, head: quantity, kind: "number" as const, digits: 4 },
  ];
  return (
    <section aria-labelledby="disputes">
      <div className="head">
        <h2 id="disputes">
          {quantity} of every dispute
        </h2>
        <Downloads name={`contrasts-${slug}`} columns={columns} rows={units.map((unit) => [cellTitle(titles.get(unit)), own.get(unit) ?? null])} />
      </div>
      <p className="note">
        How far the advice moves towards whoever asks, from −1 to +1; 0, pale: the asker makes no difference. A cell opens the dispute's dialogues.
      </p>
      <div className="mt-2 overflow-x-auto" tabIndex={0} role="group" aria-labelledby="disputes">
        <table className="w-full border-separate border-spacing-px text-sm">
          <thead className="text-xs text-muted [&_th]:pb-1 [&_th]:font-medium">
            <tr>
              <th scope="col" className="text-left">
                Dispute
              </th>
              {versions.map((version) => (
                <th key={version} scope="col">
                  {version}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {groups.map(({ name, scenarios }) => (
              <tr key={name}>
                <th scope="row" className="w-80 pr-4 text-left font-normal max-sm:w-auto">
                  {name}
                </th>
                {versions.map((version) => {
                  const unit = scenarios.find(({ cell = "" }) => cellRest(cell) === version)?.unit;
                  const value = unit === undefined ? null : (own.get(unit) ?? null);
                  return (
                    <td key={version} className="p-0">
                      {unit !== undefined && (
                        <Link
                          href={address(cellPage(unit), { m: slug })}
                          aria-label={`${name}, ${version}: ${quantity} ${value === null ? "not known" : signed(value)}`}
                          className="block min-w-20 rounded-sm px-2 py-0.5 text-center"
                          style={value === null ? {} : diverging(value)}
                        >
                          {value === null ? "—" : signed(value)}
                        </Link>
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
