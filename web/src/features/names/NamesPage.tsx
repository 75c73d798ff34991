import { useState } from "react";
import { Link } from "wouter";
import { isNamed, useBoard } from "../../data/board";
import { useDocument } from "../../data/documents";
import { sharedPath } from "../../data/paths";
import { trajectoryPage } from "../../route/paths";
import { useAddress, useQuery } from "../../route/query";
import type { NamesDocument, NameUse } from "../../schema";
import { Page } from "../../shell/Page";
import { count } from "../../text/format";
import { Downloads } from "../../ui/Downloads";
import { Failed, Waiting } from "../../ui/Notice";
import { FilterField } from "../../ui/FilterField";
import { SubjectLabel } from "../../ui/SubjectName";

/** The names that subjects took, each with the answers in which they did. */
export default function NamesPage() {
  const board = useBoard();
  const path = sharedPath(board, "names");
  const loaded = useDocument<NamesDocument>(path);
  return (
    <Page title="Names" lead="What subjects call themselves when they are free to choose.">
      {loaded.state === "loading" && <Waiting what="Loading the names" />}
      {loaded.state === "failed" && <Failed path={path} why={loaded.why} />}
      {loaded.state === "ready" && <Names found={loaded.value} />}
    </Page>
  );
}

const FIRST = 100; // names that are drawn at once

function times(uses: readonly NameUse[]): number {
  return uses.reduce((sum, use) => sum + use.runs.length, 0);
}

function Names({ found }: { readonly found: NamesDocument }) {
  const board = useBoard();
  const [all, setAll] = useState(false);
  const [query] = useQuery();
  const text = query.get("q") ?? "";
  if (found.extractor === null)
    return (
      <p className="text-muted">
        No names have been extracted yet; <code>independence extract-names</code> does that.
      </p>
    );
  const asked = found.names.filter(
    ({ name, uses }) => name.toLowerCase().includes(text.toLowerCase()) || uses.some((use) => isNamed(board.subjects.get(use.slug), text)),
  );
  const most = Math.max(...found.names.map(({ uses }) => times(uses)), 1);
  const columns = [
    { key: "name", head: "Name" },
    { key: "times", head: "Times", kind: "count" as const },
    { key: "subjects", head: "Subjects", kind: "count" as const },
  ];
  return (
    <>
      <div className="bar mb-3">
        <FilterField label="Filter by name or subject" hint="Name or subject" />
        <span role="status" className="text-sm text-muted tabular-nums">
          {count(asked.length)} of {count(found.names.length)} names
        </span>
        <span className="ml-auto">
          <Downloads
            name="names"
            columns={columns}
            rows={asked.map(({ name, uses }) => [name, times(uses), uses.length])}
            svg={() => 
              import("../../charts/save").then(({ chartSvg }) =>
                chartSvg({
                  kind: "bars",
                  id: "names",
                  title: "Names by how many runs chose them",
                  caption: "",
                  head: "runs",
                  bars: asked.map(({ name, uses }) => ({ label: name, count: times(uses) })),
                }),
              )
            }
          />
        </span>
      </div>
      <ol>
        {(all ? asked : asked.slice(0, FIRST)).map(({ name, uses }) => (
          <li key={name} className="border-t border-faint">
            <Entry name={name} uses={uses} most={most} scenario={found.scenarios[0] ?? ""} />
          </li>
        ))}
        {found.declined.length > 0 && text === "" && (
          <li className="border-t border-faint">
            <Entry name="took no name" uses={found.declined} most={most} scenario={found.scenarios[0] ?? ""} />
          </li>
        )}
      </ol>
      {!all && asked.length > FIRST && (
        <button type="button" className="control mt-3" onClick={() => { setAll(true); }}>
          Show all {count(asked.length)} names
        </button>
      )}
      <p className="note mt-4">
        Read by {found.extractor}. Each name counts once a run.
        {found.unread > 0 && ` ${count(found.unread)} answers were not read yet.`}
      </p>
    </>
  );
}

interface EntryProps {
  readonly name: string;
  readonly uses: readonly NameUse[];
  readonly most: number;
  readonly scenario: string;
}

function Entry({ name, uses, most, scenario }: EntryProps) {
  const address = useAddress();
  const [open, setOpen] = useState(false);
  const own = times(uses);
  return (
    <details onToggle={(event) => { setOpen(event.currentTarget.open); }}>
      <summary className="grid grid-cols-[auto_minmax(5rem,12rem)_1fr_auto] items-center gap-3 py-1.5 text-sm hover:bg-band">
        <span className="truncate font-medium">{name}</span>
        <svg aria-hidden="true" className="block h-2.5 w-full">
          <rect width={`${(100 * own) / most}%`} height="10" rx="2" className="fill-soft" />
        </svg>
        <span className="text-muted tabular-nums">
          {count(own)}× by {uses.length} {uses.length === 1 ? "subject" : "subjects"}
        </span>
      </summary>
      <ul className="grid gap-x-6 py-2 pl-4 text-sm sm:grid-cols-2">
        {(open ? uses : []).map((use) => (
          <li key={use.slug}>
            <SubjectLabel slug={use.slug} />
            <span className="text-muted">
              run{" "}
              {use.runs.map((run, place) => (
                <span key={run}>
                  {place > 0 && ", "}
                  <Link href={address(trajectoryPage(use.slug, run, scenario))} className="link">
                    {run}
                  </Link>
                </span>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
