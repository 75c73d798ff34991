import type { BootConfig } from "../schema";
import { count } from "../text/format";
import { showKeys } from "../keys/keys";

/** What is shown, by whom it was written, and the way to the keys. */
export function Footer({ boot }: { readonly boot: BootConfig | null }) {
  return (
    <footer className="border-t border-faint">
      <div className="mx-auto flex max-w-7xl flex-wrap gap-x-6 gap-y-1 px-4 py-4 text-[0.8125rem] text-muted sm:px-6">
        {boot !== null && (
          <>
            <span>Data set {boot.board_list.dataset}</span>
            <span>{count(boot.board_list.boards.reduce((sum, board) => sum + board.answers, 0))} answers</span>
            <span>independence {boot.board_list.version}</span>
          </>
        )}
        <button type="button" className="link screen-only ml-auto" onClick={showKeys}>
          Keyboard
        </button>
      </div>
    </footer>
  );
}
