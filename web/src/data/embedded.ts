import { bootConfig } from "./boot";

interface Embedded {
  readonly [path: string]: { readonly schema: number };
}

export const NOT_HERE =
  "This file holds only the dialogues that its report quotes. To have all: independence generate-report --html --with-dialogues.";

let unpacked: Promise<Embedded> | null = null;

/** Documents by their paths, from the block that the page holds: JSON, compressed as gzip, in base64. */
async function unpack(): Promise<Embedded> {
  const packed = Uint8Array.from(atob(document.getElementById("independence-documents")?.textContent ?? ""), (sign) => sign.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return (await new Response(stream).json()) as Embedded;
}

/** A document that the page itself holds. */
export async function embedded(path: string): Promise<{ readonly schema: number }> {
  unpacked ??= unpack().catch(() => {
    throw new Error("The data in this file is damaged, or this browser is too old to read it.");
  });
  const base = bootConfig()?.base ?? "";
  const found = (await unpacked)[path.slice(base.length)];
  if (found === undefined) throw new Error(NOT_HERE);
  return found;
}
