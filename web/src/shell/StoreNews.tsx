import { setFollows, showChanges, useFollowing } from "../data/live";

/** Says that the store has changed, or that nobody answers; nothing moves until the reader asks, or follows. */
export function StoreNews() {
  const { changes, shownVersion, lost, follows } = useFollowing();
  const changed = changes !== null && changes.version !== shownVersion;
  const running = changes?.runs.some((run) => run.state === "running") ?? false;
  const waits = changed && follows !== true;
  if (!lost && !changed && !running && follows === null) return null;
  return (
    <aside aria-label="New results" className="screen-only fixed right-4 bottom-16 z-40 flex items-center gap-3 rounded-md border border-accent bg-paper px-3 py-1.5 text-sm shadow-lg">
      <span role="status" className="empty:hidden">
        {lost ? "The server does not answer; what is shown stays." : waits ? "New results" : ""}
      </span>
      {!lost && waits && (
        <button type="button" className="control" onClick={showChanges}>
          Show
        </button>
      )}
      {!lost && (
        <label className="flex items-center gap-1.5" title="Show new results as they come">
          <input type="checkbox" checked={follows === true} onChange={(event) => { setFollows(event.target.checked); }} />
          Follow
        </label>
      )}
    </aside>
  );
}
