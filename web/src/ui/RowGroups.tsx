import { useDeferredValue, useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from "react";

interface RowGroupsProps {
  readonly count: number;
  readonly row: (place: number) => ReactNode;
  readonly many?: number; // rows up to which all are drawn
}

const MANY = 150; // rows of a page up to which all are drawn
const FIRST = 20; // rows that fill a window: they are shown before the rest is drawn
const SIZE = 10; // rows of a group
const GUESSED = 28; // pixels of a row that was not drawn yet

function subscribe(listener: () => void): () => void {
  const print = window.matchMedia("print");
  print.addEventListener("change", listener);
  return () => { print.removeEventListener("change", listener); };
}

/** The rows of a table; of many only those near the window are drawn, and all of them on paper. */
export function RowGroups({ count, row, many = MANY }: RowGroupsProps) {
  const drawn = Math.min(count, useDeferredValue(count, FIRST));
  const rows = (from: number, to: number) => Array.from({ length: to - from }, (_, place) => row(from + place));
  if (count <= many) return <tbody>{rows(0, drawn)}</tbody>;
  return Array.from({ length: Math.ceil(count / SIZE) }, (_, group) => {
    const [from, to] = [group * SIZE, Math.min((group + 1) * SIZE, count)];
    return <RowGroup key={from} size={to - from} rows={() => rows(from, to)} />;
  });
}

interface RowGroupProps {
  readonly size: number;
  readonly rows: () => ReactNode;
}

function RowGroup({ size, rows }: RowGroupProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [near, setNear] = useState(false);
  const [height, setHeight] = useState(size * GUESSED);
  const printing = useSyncExternalStore(subscribe, () => window.matchMedia("print").matches);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (seen) => {
        const last = seen.at(-1);
        if (last === undefined) return;
        if (!last.isIntersecting) setHeight(last.boundingClientRect.height);
        setNear(last.isIntersecting);
      },
      { rootMargin: "30% 0px" },
    );
    if (body.current !== null) observer.observe(body.current);
    return () => { observer.disconnect(); };
  }, []);
  return (
    <tbody ref={body}>
      {near || printing ? (
        rows()
      ) : (
        <tr aria-hidden="true">
          <td style={{ height: `${height}px` }} />
        </tr>
      )}
    </tbody>
  );
}
