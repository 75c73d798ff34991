import { useState } from "react";
import { useBoard } from "../data/board";

interface SubjectChoiceProps {
  readonly name: string; // for screen readers
  readonly value: string;
  readonly order: readonly string[]; // slugs
  readonly empty?: string; // what stands where nobody is chosen
  readonly taken?: readonly string[]; // cannot be chosen a second time
  readonly className?: string;
  readonly onChange: (slug: string) => void;
}

const MANY = 150; // subjects up to which all are in the list before it is used

/** A choice among the subjects of the board. */
export function SubjectChoice({ name, value, order, empty, taken = [], className = "", onChange }: SubjectChoiceProps) {
  const { labels } = useBoard();
  const [used, setUsed] = useState(false);
  const use = () => { setUsed(true); };
  const offered = used || order.length <= MANY ? order : order.filter((slug) => slug === value);
  return (
    <select
      aria-label={name}
      className={`control ${className}`}
      value={value}
      onPointerDown={use}
      onFocus={use}
      onChange={(event) => { onChange(event.target.value); }}
    >
      {empty !== undefined && <option value="">{empty}</option>}
      {offered.map((slug) => (
        <option key={slug} value={slug} disabled={slug !== value && taken.includes(slug)}>
          {labels.get(slug)}
        </option>
      ))}
    </select>
  );
}
