import { useState } from "react";
import { Link } from "wouter";
import { useBoard } from "../../data/board";
import { useDocument } from "../../data/documents";
import { fieldName } from "../../data/fields";
import { sharedPath } from "../../data/paths";
import { scenarioTitle } from "../../data/titles";
import { trajectoryPage } from "../../route/paths";
import { useAddress } from "../../route/query";
import { Downloads } from "../../ui/Downloads";
import type { ColumnInfo, DialogueDisagreement, DisagreementsDocument } from "../../schema";
import { count } from "../../text/format";
import { Failed, Waiting } from "../../ui/Notice";
import { SubjectLabel } from "../../ui/SubjectName";

const FIRST = 50;
const COLUMNS: readonly ColumnInfo[] = ["subject", "scenario", "run", "field", "low_judge", "low", "high_judge", "high", "gap"].map((key) => ({
  key,
  head: key,
}));

/** The dialogues on which judges lie furthest apart, each the way to its text and both verdicts. */
export function Disagreements() {
  const board = useBoard();
  const path = sharedPath(board, "disagreements");
  const loaded = useDocument<DisagreementsDocument>(path);
  const address = useAddress();
  const [all, setAll] = useState(false);
  if (loaded.state === "loading") return <Waiting />;
  if (loaded.state === "failed") return <Failed path={path} why={loaded.why} />;
  const found = loaded.value.dialogues;
  const shown = all ? found : found.slice(0, FIRST);
  return (
    <section aria-labelledby="disagreements">
      <div className="head">
        <h2 id="disagreements">
          Dialogues on which judges disagree most
        </h2>
        <Downloads
          name="disagreements"
          columns={COLUMNS}
          rows={found.map((one) => [one.subject, one.scenario, one.run, one.field, one.low_judge, one.low, one.high_judge, one.high, one.gap])}
        />
      </div>
      <p className="note">
        {count(loaded.value.shared)} dialogues were judged by more than one judge. Those that differ on fields of the index come first.{" "}
        {found.length > 0 && <Link href={address("/rate", { from: "disputed" })} className="link">Rate them yourself, the largest differences first</Link>}
      </p>
      <div className="mt-2 overflow-x-auto">
        <table className="data-table">
          <thead>
            <tr>
              <th scope="col">Dialogue</th>
              <th scope="col">Field</th>
              <th scope="col">Lowest</th>
              <th scope="col">Highest</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((one) => (
              <Row key={`${one.subject}/${one.scenario}/${one.run}`} found={one} />
            ))}
          </tbody>
        </table>
      </div>
      {shown.length < found.length && (
        <button type="button" className="control mt-2" onClick={() => { setAll(true); }}>
          Show all {found.length}
        </button>
      )}
    </section>
  );
}

function value(one: number | boolean): string {
  return typeof one === "boolean" ? (one ? "yes" : "no") : String(one);
}

function Row({ found }: { readonly found: DialogueDisagreement }) {
  const board = useBoard();
  const address = useAddress();
  return (
    <tr>
      <th scope="row">
        <Link href={address(trajectoryPage(found.subject, found.run, found.scenario))} className="link">
          <SubjectLabel slug={found.subject} />
        </Link>
        <span className="text-muted">
          {" "}
          {scenarioTitle(board, found.scenario)}, run {found.run}
        </span>
      </th>
      <td>
        {fieldName(found.field)}
        {!found.counts && <span className="text-muted"> (not in the index)</span>}
      </td>
      <td>
        <span className="font-medium">{value(found.low)}</span> <span className="text-muted">{found.low_judge}</span>
      </td>
      <td>
        <span className="font-medium">{value(found.high)}</span> <span className="text-muted">{found.high_judge}</span>
      </td>
    </tr>
  );
}
