import { renderHook, act } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { followAddress, navigate, useHashPath, useHashQuery } from "../src/route/hash";

beforeEach(() => {
  window.location.hash = "";
});

it("keeps the query inside the hash, apart from the path", () => {
  followAddress();
  const path = renderHook(() => useHashPath()[0]);
  const query = renderHook(() => useHashQuery());
  act(() => { navigate("/s/direct?run=2&q=a b"); });
  expect(path.result.current).toBe("/s/direct");
  expect(new URLSearchParams(query.result.current).get("run")).toBe("2");
  expect(window.location.hash.startsWith("#/s/direct?run=2")).toBe(true);
});

it("replaces the address without a step for Back", () => {
  const before = window.history.length;
  navigate("/heat", { replace: true });
  expect(window.history.length).toBe(before);
  expect(window.location.hash).toBe("#/heat");
});
