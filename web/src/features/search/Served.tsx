import { useBoard } from "../../data/board";
import { useDocument } from "../../data/documents";
import type { SearchDocument, SearchHit } from "../../schema";
import { Failed, Waiting } from "../../ui/Notice";
import { Hits } from "./Hits";

/** What the server finds. */
export function Served({ words, role }: { readonly words: string; readonly role: SearchHit["role"] | null }) {
  const { info } = useBoard();
  const asked = new URLSearchParams({ board: info.id, q: words });
  if (role !== null) asked.set("role", role);
  const path = `api/search?${asked.toString()}`;
  const loaded = useDocument<SearchDocument>(path);
  if (loaded.state === "loading") return <Waiting what="Searching" />;
  if (loaded.state === "failed") return <Failed path={path} why={loaded.why} />;
  return <Hits hits={loaded.value.hits} found={loaded.value.found} />;
}
