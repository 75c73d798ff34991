import { useEffect } from "react";
import { Link } from "wouter";
import { useBoard } from "../../data/board";
import { refresh, useDocument } from "../../data/documents";
import { useFollowing } from "../../data/live";
import { useAddress } from "../../route/query";
import type { LiveDocument } from "../../schema";
import { Page } from "../../shell/Page";
import { count } from "../../text/format";
import { Failed, Waiting } from "../../ui/Notice";
import { LiveMatrix } from "./LiveMatrix";
import { RunCard } from "./RunCard";

/** What runs are doing now, and how far every dialogue is. */
export default function LivePage() {
  const { info } = useBoard();
  const address = useAddress();
  const { changes, lost } = useFollowing();
  const path = `api/live/${info.id}`;
  const loaded = useDocument<LiveDocument>(path);
  const shown = loaded.state === "ready" ? loaded.value.version : "";
  const version = changes?.version ?? "";
  useEffect(() => {
    if (version !== "" && shown !== "" && version !== shown) refresh(path);
  }, [version, shown, path]);
  const runs = changes?.runs ?? [];
  return (
    <Page title="Live" lead="Progress of the runs that write into this store, updated once a second.">
      {lost && (
        <p role="alert" className="mb-4 text-open">
          The server does not answer. What is below is the last that was heard.
        </p>
      )}
      <section aria-label="Runs" className="space-y-4">
        {changes === null ? <Waiting what="Asking the server" /> : null}
        {changes !== null && runs.length === 0 && <p className="text-muted">Nothing is running on this store.</p>}
        {changes !== null && runs.map((run) => <RunCard key={run.owner} run={run} now={changes.at} />)}
      </section>
      <section aria-labelledby="dialogues" className="mt-8">
        <h2 id="dialogues" className="font-semibold">
          Dialogues
        </h2>
        {loaded.state === "loading" && <Waiting />}
        {loaded.state === "failed" && <Failed path={path} why={loaded.why} />}
        {loaded.state === "ready" && (
          <>
            <p className="text-sm text-muted tabular-nums">
              {count(loaded.value.answers)} answers, {count(loaded.value.verdicts)} verdicts ·{" "}
              <Link href={address("/")} className="link">
                {info.ranked ? "Leaderboard so far" : "Results so far"}
              </Link>
            </p>
            <LiveMatrix live={loaded.value} />
          </>
        )}
      </section>
    </Page>
  );
}
