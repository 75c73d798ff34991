import { openSearch } from "../features/search/opened";
import { useKeys } from "../keys/keys";
import { navigate } from "../route/hash";
import { useAddress } from "../route/query";
import type { BoardInfo } from "../schema";
import { menu } from "./pages";

/** g and a letter lead to the pages of the menu; / opens the search. */
export function MenuKeys({ info, served }: { readonly info: BoardInfo; readonly served: boolean }) {
  const address = useAddress();
  const go = (path: string) => () => {
    navigate(address(path));
  };
  const pages = menu(info, served).map(({ key, path }) => [`g ${key}`, go(path)] as const);
  useKeys({ "/": () => { openSearch(true); }, ...Object.fromEntries(pages) });
  return null;
}
