import { Link } from "wouter";
import { useBoard } from "../../data/board";
import { useFollowing, useLive } from "../../data/live";
import { useAddress } from "../../route/query";
import { Page } from "../../shell/Page";
import { counted } from "../../text/format";
import { Waiting } from "../../ui/Notice";
import { Failures } from "./Failures";
import { LiveMatrix } from "./LiveMatrix";
import { RunCard } from "./RunCard";

/** What runs are doing now, and how far every dialogue is. */
export default function LivePage() {
  const { info } = useBoard();
  const address = useAddress();
  const { changes, lost } = useFollowing();
  const live = useLive(info.id);
  const runs = changes?.runs ?? [];
  return (
    <Page title="Live" lead="Progress of the runs that write into this store, as it happens.">
      {lost && (
        <p role="alert" className="mb-4 text-open">
          The server does not answer. What is below is the last that was heard.
        </p>
      )}
      <section aria-label="Runs" className="space-y-4">
        {changes === null && !lost && <Waiting what="Asking the server" />}
        {changes !== null && runs.length === 0 && <p className="text-muted">Nothing is running on this store.</p>}
        {changes !== null && runs.map((run) => <RunCard key={run.owner} run={run} now={changes.at} />)}
      </section>
      {live !== null && <Failures failures={live.failures} />}
      <section aria-labelledby="dialogues" className="mt-8">
        <h2 id="dialogues" className="font-semibold">
          Dialogues
        </h2>
        {live === null && !lost && <Waiting />}
        {live !== null && (
          <>
            <p className="text-sm text-muted tabular-nums">
              {counted(live.answers, "answer")}, {counted(live.verdicts, "verdict")} ·{" "}
              <Link href={address("/")} className="link">
                {info.ranked ? "Leaderboard so far" : "Results so far"}
              </Link>
            </p>
            <LiveMatrix live={live} />
          </>
        )}
      </section>
    </Page>
  );
}
