import { toggle, useTray } from "./tray";

/** Sets a subject aside for the comparison. */
export function CompareButton({ slug }: { readonly slug: string }) {
  const chosen = useTray().includes(slug);
  return (
    <button type="button" className="control" aria-pressed={chosen} onClick={() => { toggle(slug); }}>
      {chosen ? "In the comparison" : "Compare"}
    </button>
  );
}
