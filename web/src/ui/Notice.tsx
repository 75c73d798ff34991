import type { ReactNode } from "react";
import { IN_FILE } from "../data/boot";
import { refresh } from "../data/documents";

/** Says that something is on its way, to screen readers too. */
export function Waiting({ what = "Loading" }: { readonly what?: string }) {
  return (
    <p role="status" className="py-8 text-muted">
      {what}…
    </p>
  );
}

/** One sentence on what failed, and how to try again. */
export function Failed({ path, why }: { readonly path: string; readonly why: string }) {
  return (
    <p role="alert" className="flex flex-wrap items-center gap-3 rounded-md border border-open bg-band px-3 py-2">
      <span>{why}</span>
      {!IN_FILE && (
        <button type="button" className="control" onClick={() => { refresh(path); }}>
          Try again
        </button>
      )}
    </p>
  );
}

/** A remark beside the content. */
export function Remark({ children }: { readonly children: ReactNode }) {
  return <p className="border-l-2 border-faint pl-3 text-sm text-muted">{children}</p>;
}
