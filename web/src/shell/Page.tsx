import { useEffect, useRef, type ReactNode } from "react";
import { useLocation } from "wouter";
import { takeArrival } from "../route/hash";

interface PageProps {
  readonly title: string;
  readonly heading?: ReactNode; // where the heading says more than the title
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page with its one h1, which takes the focus when the reader comes from another page. */
export function Page({ title, heading, lead, actions, children }: PageProps) {
  const [path] = useLocation();
  const first = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · AI Independence Bench`;
  }, [title]);
  useEffect(() => {
    const arrival = takeArrival();
    if (arrival.kind === "first") return;
    first.current?.focus({ preventScroll: true });
    window.scrollTo({ top: arrival.top, behavior: "instant" });
  }, [path]);
  return (
    <>
      <div className="mb-4 flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
        <div className="min-w-0">
          <h1 ref={first} tabIndex={-1} className="text-2xl font-semibold tracking-tight text-balance">
            {heading ?? title}
          </h1>
          {lead !== undefined && <div className="mt-1 max-w-3xl text-muted">{lead}</div>}
        </div>
        {actions !== undefined && <div className="screen-only flex max-w-full min-w-0 flex-wrap gap-2">{actions}</div>}
      </div>
      {children}
    </>
  );
}
