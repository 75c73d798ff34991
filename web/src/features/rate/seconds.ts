import { useCallback, useEffect, useRef } from "react";

/** Seconds since a component was first shown, in tenths. */
export function useSeconds(): () => number {
  const began = useRef(0);
  useEffect(() => {
    began.current = performance.now();
  }, []);
  return useCallback(() => Math.round((performance.now() - began.current) / 100) / 10, []);
}
