import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import { useKeys } from "../../keys/keys";
import { FeedCard } from "./FeedCard";
import type { FeedRow } from "./rows";

interface FeedProps {
  readonly rows: readonly FeedRow[];
  readonly scenario: string;
  readonly turn: string;
  readonly raw: boolean;
}

const GUESSED = 320; // pixels of a card that was not drawn yet

/** The dialogues; only those near the window are drawn, and only their blocks are fetched. */
export function Feed({ rows, scenario, turn, raw }: FeedProps) {
  const list = useRef<HTMLElement>(null);
  const [top, setTop] = useState(0);
  const at = useRef(-1);
  useEffect(() => {
    const observer = new ResizeObserver(() => { setTop(list.current?.offsetTop ?? 0); });
    observer.observe(document.body);
    return () => { observer.disconnect(); };
  }, []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => GUESSED,
    overscan: 2,
    scrollMargin: top,
    scrollPaddingStart: 64, // the bar at the top
    getItemKey: (place) => `${rows[place]?.slug ?? ""}/${rows[place]?.run ?? 0}`,
  });
  const move = (step: number) => {
    at.current = Math.min(Math.max(at.current + step, 0), rows.length - 1);
    virtual.scrollToIndex(at.current, { align: "start" });
  };
  useKeys({ j: () => { move(1); }, k: () => { move(-1); } });
  return (
    <section ref={list} aria-label="Answers" className="relative" style={{ height: `${virtual.getTotalSize()}px` }}>
      {virtual.getVirtualItems().map((item) => {
        const row = rows[item.index];
        return (
          <div
            key={item.key}
            data-index={item.index}
            ref={virtual.measureElement}
            className="absolute top-0 left-0 w-full"
            style={{ transform: `translateY(${item.start - virtual.options.scrollMargin}px)` }}
          >
            {row !== undefined && <FeedCard row={row} scenario={scenario} turn={turn} raw={raw} />}
          </div>
        );
      })}
    </section>
  );
}
