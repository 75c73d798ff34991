// Ratings stay in this browser until they are downloaded or sent.
import type { RatingsFile } from "../../schema";
import type { Pair, Place } from "./queue";

/** What is kept of a session. */
export interface Session {
  readonly seed: number;
  readonly length: number;
  readonly mode: "rubric" | "pairs";
  readonly from: string; // which dialogues: `drawn`, `disputed`, `notes`, `tag:NAME`
  readonly file: RatingsFile;
  readonly places?: readonly Place[]; // as drawn, kept from the first rating on: the store may change meanwhile
  readonly pairs?: readonly Pair[];
}

const LATER = { from: "drawn" }; // what earlier versions did not keep
const DATABASE = "independence";
const STORE = "ratings";

function opened(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => { request.result.createObjectStore(STORE); };
    request.onsuccess = () => { resolve(request.result); };
    request.onerror = () => { reject(new Error("This browser keeps no data here.")); };
  });
}

function answered<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => { resolve(request.result); };
    request.onerror = () => { reject(new Error("This browser keeps no data here.")); };
  });
}

/** The session of a board; null where there is none. */
export async function load(board: string): Promise<Session | null> {
  const store = (await opened()).transaction(STORE).objectStore(STORE);
  const found = (await answered(store.get(board) as IDBRequest<unknown>)) as Session | undefined;
  return found === undefined ? null : { ...LATER, ...found };
}

/** Keeps a session; null forgets it. Resolves once a reload would find it so. */
export async function keep(board: string, session: Session | null): Promise<void> {
  const transaction = (await opened()).transaction(STORE, "readwrite");
  const store = transaction.objectStore(STORE);
  if (session === null) store.delete(board);
  else store.put(session, board);
  await new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => { resolve(); };
    transaction.onabort = () => { reject(new Error("This browser keeps no data here.")); };
  });
}
