import { Link } from "wouter";
import { useBoard } from "../../data/board";
import { useFollowing, useLive } from "../../data/live";
import { useAddress } from "../../route/query";
import { Page } from "../../shell/Page";
import { counted } from "../../text/format";
import { Waiting } from "../../ui/Notice";
import { Failures } from "./Failures";
import { LiveMatrix } from "./LiveMatrix";
import Runs from "./Runs";

/** What runs are doing now, and how far every dialogue is. */
export default function LivePage() {
  const { info } = useBoard();
  const address = useAddress();
  const { lost } = useFollowing();
  const live = useLive(info.id);
  return (
    <Page title="Live" lead="Progress of the runs that write into this store, as it happens.">
      <Runs />
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
      {live !== null && <Failures failures={live.failures} />}
    </Page>
  );
}
