import type { ReactNode } from "react";

interface BadgeProps {
  readonly children: ReactNode;
  readonly about?: string;
  readonly warns?: boolean;
}

/** A short mark beside a name; `warns` for what a reader should know before trusting it. */
export function Badge({ children, about, warns = false }: BadgeProps) {
  return (
    <span
      title={about}
      className={`inline-block rounded border px-1.5 text-xs leading-5 whitespace-nowrap ${warns ? "border-open text-open" : "border-faint text-muted"}`}
    >
      {children}
    </span>
  );
}
