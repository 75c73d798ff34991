// The typeface of the pages, Source Sans 3: I, l and 1 differ, as names of models need, and its digits are of one width.
import url from "@fontsource-variable/source-sans-3/files/source-sans-3-latin-wght-normal.woff2?url";
import { isFetching } from "../data/documents";

const NAME = "Source Sans 3";
const PAUSE = 200; // milliseconds in which a page asks for what it shows first

/** Fetches it once everything else is there: the first text never waits for it. */
export function fetchTypeface(): void {
  if (typeof FontFace === "undefined") return;
  const fetched = () => {
    if (isFetching()) {
      afterwards();
      return;
    }
    const face = new FontFace(NAME, `url(${url})`, { weight: "200 900" });
    face.load().then(
      (loaded) => document.fonts.add(loaded),
      () => undefined, // the pages are read in the reader's own
    );
  };
  const afterwards = () => { window.setTimeout(fetched, PAUSE); };
  if (document.readyState === "complete") afterwards();
  else window.addEventListener("load", afterwards, { once: true });
}
