import { afterEach, expect, it, vi } from "vitest";
import { refresh, request } from "../src/data/documents";
import { SCHEMA } from "../src/schema";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("asks once again for a document that is behind, however often it has come", async () => {
  vi.useFakeTimers();
  const asked = vi.fn(() => Promise.resolve(new Response(JSON.stringify({ schema: SCHEMA }), { headers: { "X-Independence-Behind": "1" } })));
  vi.stubGlobal("fetch", asked);
  request("a.json");
  await vi.advanceTimersByTimeAsync(100);
  for (let show = 0; show < 5; show++) {
    refresh("a.json");
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(asked).toHaveBeenCalledTimes(6);
  expect(vi.getTimerCount()).toBe(1);
});
