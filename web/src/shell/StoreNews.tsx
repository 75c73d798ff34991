import { showChanges, useFollowing } from "../data/live";

/** Says that the store has changed, or that nobody answers; nothing moves until the reader asks. */
export function StoreNews() {
  const { changes, shownVersion, lost } = useFollowing();
  const changed = changes !== null && changes.version !== shownVersion;
  if (!lost && !changed) return null;
  return (
    <div role="status" className="screen-only fixed right-4 bottom-16 z-40 rounded-md border border-accent bg-paper px-3 py-2 text-sm shadow-lg">
      {lost ? (
        "The server does not answer; what is shown stays."
      ) : (
        <span className="flex items-center gap-3">
          New results
          <button type="button" className="control" onClick={showChanges}>
            Show
          </button>
        </span>
      )}
    </div>
  );
}
