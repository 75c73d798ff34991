interface SideValue {
  readonly name: string;
  readonly share: number | null;
}

interface SidesMarkProps {
  readonly sides: readonly SideValue[];
  readonly says: string;
}

const MIDDLE = 12;
const LOOKS = ["fill-accent stroke-accent", "fill-paper stroke-accent", "fill-muted stroke-muted"] as const;

/** What the mark of each side looks like, beside its name. */
export function SideKey({ place }: { readonly place: number }) {
  return (
    <svg aria-hidden="true" className="inline-block size-3 align-[-1px]">
      <circle cx="6" cy="6" r="4.5" strokeWidth="1.5" className={LOOKS[place] ?? LOOKS[2]} />
    </svg>
  );
}

/** Where each side lies on one scale; the tick is its middle. */
export function SidesMark({ sides, says }: SidesMarkProps) {
  return (
    <svg role="img" aria-label={says} className="block h-6 w-full overflow-visible">
      <line x1="0" x2="100%" y1={MIDDLE} y2={MIDDLE} className="stroke-faint" strokeWidth="2" />
      <line x1="50%" x2="50%" y1={MIDDLE - 7} y2={MIDDLE + 7} className="stroke-muted" />
      {sides.map(({ name, share }, place) =>
        share === null ? null : (
          <circle key={name} cx={`${100 * share}%`} cy={MIDDLE} r={5} strokeWidth={1.5} className={LOOKS[place] ?? LOOKS[2]} />
        ),
      )}
    </svg>
  );
}
