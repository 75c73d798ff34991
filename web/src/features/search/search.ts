import { useMemo } from "react";
import { useBoard } from "../../data/board";
import { useDocument, useDocuments, type Loaded } from "../../data/documents";
import { wordIndexPath } from "../../data/paths";
import type { SearchDocument, WordPlacesDocument, WordsDocument, WordTextsDocument } from "../../schema";
import { wanted } from "../../text/matching";
import { candidates, search, shardsOf } from "./word-index";

export type Searched =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly value: SearchDocument }
  | { readonly state: "failed"; readonly why: string; readonly path: string };

const NOWHERE: readonly string[] = [];

/** Where words stand in the texts of the board: asked of the server, or looked up in the index of a site of files. */
export function useSearch(query: string, whole: boolean): Searched {
  const board = useBoard();
  const asked = useMemo(() => wanted(query, whole), [query, whole]);
  const empty = asked.words.length === 0;
  const served = board.boot.served;
  const parameters = new URLSearchParams({ board: board.info.id, q: query, ...(whole ? { whole: "1" } : {}) });
  const servedPath = served && !empty ? `api/search?${parameters.toString()}` : null;
  const answer = useDocument<SearchDocument>(servedPath);
  const [wordsPath, textsPath] = served || empty ? [null, null] : [wordIndexPath(board, "words"), wordIndexPath(board, "texts")];
  const words = useDocument<WordsDocument>(wordsPath);
  const texts = useDocument<WordTextsDocument>(textsPath);
  const found = useMemo(() => (words.state === "ready" ? candidates(words.value, asked) : []), [words, asked]);
  const shards = useMemo(() => (words.state === "ready" ? shardsOf(words.value, found) : []), [words, found]);
  const paths = useMemo(() => (shards.length === 0 ? NOWHERE : shards.map((shard) => wordIndexPath(board, shard))), [board, shards]);
  const places = useDocuments<WordPlacesDocument>(paths);
  const state = places.map((one) => one.state).join();
  return useMemo((): Searched => {
    if (empty) return { state: "ready", value: { schema: 0, query, found: 0, hits: [] } };
    if (servedPath !== null) return withPath(answer, servedPath);
    for (const [loaded, path] of [[words, wordsPath], [texts, textsPath], ...places.map((one, at) => [one, paths[at]] as const)] as const)
      if (loaded.state === "failed") return { ...loaded, path: path ?? "" };
    const ready = new Map(places.flatMap((one, at) => (one.state === "ready" ? [[shards[at] ?? 0, one.value] as const] : [])));
    if (words.state !== "ready" || texts.state !== "ready" || ready.size < shards.length) return { state: "loading" };
    return { state: "ready", value: search(query, found, { words: words.value, texts: texts.value, shards: ready }) };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `places` is a new list each time; `state` tells when it is another one
  }, [empty, query, servedPath, answer, words, texts, found, shards, paths, state]);
}

function withPath(loaded: Loaded<SearchDocument>, path: string): Searched {
  return loaded.state === "failed" ? { ...loaded, path } : loaded;
}
