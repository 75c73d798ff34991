import { useEffect, useRef, type ReactNode } from "react";
import { useLocation } from "wouter";
import { arrive } from "../route/hash";

interface PageProps {
  readonly title: string;
  readonly heading?: ReactNode; // where the heading says more than the title
  readonly lead?: ReactNode;
  readonly beside?: ReactNode; // the lead, where there is room
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page with its one h1, which takes the focus when the reader comes from another page. */
export function Page({ title, heading, lead, beside, actions, children }: PageProps) {
  const [path] = useLocation();
  const first = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · AI Independence Bench`;
  }, [title]);
  useEffect(() => {
    if (arrive()) first.current?.focus({ preventScroll: true });
  }, [path]);
  return (
    <>
      <div className="mb-6 flex flex-wrap items-start justify-between gap-x-10 gap-y-3">
        <div className="max-w-text min-w-0">
          <h1 ref={first} tabIndex={-1}>
            {heading ?? title}
          </h1>
          {lead !== undefined && <div className="mt-1.5 text-muted">{lead}</div>}
        </div>
        {actions !== undefined && <div className="bar max-w-full min-w-0 max-sm:w-full">{actions}</div>}
        {beside}
      </div>
      {children}
    </>
  );
}
