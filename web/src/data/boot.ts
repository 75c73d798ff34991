import type { BootConfig } from "../schema";

/** What the page itself says of its data, or null where nobody has written it in. */
export function bootConfig(): BootConfig | null {
  const text = document.getElementById("independence-config")?.textContent ?? "";
  try {
    const config = JSON.parse(text) as Partial<BootConfig>;
    return config.board_list === undefined ? null : (config as BootConfig);
  } catch {
    return null;
  }
}

/** Whether this page is a report's file, with all documents that it can show in it. */
export const IN_FILE = bootConfig()?.embedded === true;
