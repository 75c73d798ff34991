import { useEffect, useRef } from "react";
import type { BoardInfo, BootConfig } from "../schema";
import { menu } from "./pages";
import { allowLetters, hideKeys, KEYS, showKeys, useKeys, useKeySettings } from "../keys/keys";

interface KeyHelpProps {
  readonly boot: BootConfig | null;
  readonly info: BoardInfo | null;
}

/** The list of keys, and the switch for single letters. */
export function KeyHelp({ boot, info }: KeyHelpProps) {
  const { open, letters } = useKeySettings();
  const dialog = useRef<HTMLDialogElement>(null);
  useKeys({ "?": showKeys });
  useEffect(() => {
    const element = dialog.current;
    if (open && element?.open === false) element.showModal();
    if (!open && element?.open === true) element.close();
  }, [open]);
  return (
    <dialog
      ref={dialog}
      onClose={hideKeys}
      aria-labelledby="keys-title"
      className="m-auto max-h-[90vh] w-[min(26rem,calc(100vw-2rem))] rounded-lg border border-faint bg-paper p-5 text-ink backdrop:bg-[rgb(0_0_0/0.4)]"
    >
      <h2 id="keys-title">
        Keyboard
      </h2>
      <dl className="mt-3 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 text-sm">
        {[...KEYS, ...menu(info, boot?.served ?? false).map(({ key, name }) => [`g ${key}`, name] as const)].map(([key, does]) => (
          <div key={key} className="contents">
            <dt className="font-mono whitespace-pre">{key}</dt>
            <dd className="text-muted">{does}</dd>
          </div>
        ))}
      </dl>
      <label className="mt-4 flex items-center gap-2 text-sm">
        <input type="checkbox" checked={letters} onChange={(event) => { allowLetters(event.target.checked); }} />
        Single-key shortcuts are on
      </label>
      <div className="mt-4 text-right">
        <button type="button" className="control" onClick={hideKeys}>
          Close
        </button>
      </div>
    </dialog>
  );
}
