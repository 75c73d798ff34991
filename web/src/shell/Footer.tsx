import { Link } from "wouter";
import { SaveView } from "../features/notes/SaveView";
import { showKeys } from "../keys/keys";
import { useAddress } from "../route/query";
import type { BoardInfo, BootConfig } from "../schema";
import { count } from "../text/format";
import { menu } from "./pages";

interface FooterProps {
  readonly boot: BootConfig | null;
  readonly info: BoardInfo | null;
}

/** What is shown, by whom it was written, and the ways to pages that few look for. */
export function Footer({ boot, info }: FooterProps) {
  const address = useAddress();
  const low = menu(info, boot?.served ?? false).filter((entry) => entry.low === true);
  return (
    <footer className={`border-t border-faint ${boot?.served === true ? "max-sm:pb-24" : ""}`}>
      <div className="frame flex flex-wrap gap-x-6 gap-y-1 py-4 text-[0.8125rem] text-muted">
        {boot !== null && (
          <>
            <span>Data set {boot.board_list.dataset}</span>
            <span>{count(boot.board_list.boards.reduce((sum, board) => sum + board.answers, 0))} answers</span>
            <span>independence {boot.board_list.version}</span>
          </>
        )}
        <nav aria-label="More" className="screen-only ml-auto">
          <ul className="flex flex-wrap gap-x-4 gap-y-1.5">
            {low.map((entry) => (
              <li key={entry.path}>
                <Link href={address(entry.path)} className="link">
                  {entry.name}
                </Link>
              </li>
            ))}
            {info !== null && <li><SaveView /></li>}
            <li>
              <button type="button" className="link" onClick={showKeys}>
                Keyboard
              </button>
            </li>
          </ul>
        </nav>
      </div>
    </footer>
  );
}
