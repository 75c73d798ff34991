import { useState } from "react";
import { useBoard } from "../data/board";

/** Copies an address of this site that also names the data set. */
export function CopyLink({ to, name = "Copy link" }: { readonly to: string; readonly name?: string }) {
  const { boot } = useBoard();
  const [said, setSaid] = useState<string | null>(null);
  const copy = async () => {
    const dataset = `${to.includes("?") ? "&" : "?"}v=${boot.board_list.dataset}`;
    const address = `${window.location.href.split("#")[0] ?? ""}#${to}${dataset}`;
    try {
      await navigator.clipboard.writeText(address);
      setSaid("Copied");
    } catch {
      setSaid("Copying is not allowed here");
    }
    window.setTimeout(() => { setSaid(null); }, 2000);
  };
  return (
    <button type="button" className="control" onClick={() => { void copy(); }}>
      <span aria-live="polite">{said ?? name}</span>
    </button>
  );
}
