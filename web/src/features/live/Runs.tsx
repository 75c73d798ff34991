import { useFollowing } from "../../data/live";
import { Waiting } from "../../ui/Notice";
import { RunCard } from "./RunCard";

/** Every process that works on the store, or that the server does not answer. */
export default function Runs() {
  const { changes, lost } = useFollowing();
  return (
    <>
      {lost && (
        <p role="alert" className="mb-4 text-open">
          The server does not answer. What is below is the last that was heard.
        </p>
      )}
      <section aria-label="Runs" className="space-y-4">
        {changes === null && !lost && <Waiting what="Asking the server" />}
        {changes?.runs.length === 0 && <p className="text-muted">Nothing is running on this store.</p>}
        {changes?.runs.map((run) => <RunCard key={run.owner} run={run} now={changes.at} />)}
      </section>
    </>
  );
}
