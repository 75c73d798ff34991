import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { type Plugin } from "vite";
import { defineConfig, type ViteUserConfig as UserConfig } from "vitest/config";

// The browser waits for this script before it reads on: what stands before it is fetched meanwhile.
const THEME = /\s*<script src="[^"]*theme\.js"><\/script>/;

function themeLast(): Plugin {
  return {
    name: "theme-last",
    transformIndexHtml: {
      order: "post",
      handler: (page) => page.replace(THEME, "").replace("</head>", `  ${THEME.exec(page)?.[0].trim() ?? ""}\n  </head>`),
    },
  };
}

// What the first page and others share is one file, small parts included: on a phone a request costs more than bytes.
const BASE =
  /preload-helper|node_modules\/(react|react-dom|scheduler|wouter|@tanstack\/query-core|@tanstack\/react-query)\/|src\/((?:data|keys|route|ui)\/[A-Za-z-]+|text\/(Markdown|MarkedText)|charts\/(heat|marks|paint|scale|shapes|share)|features\/(compare\/CompareButton|scenario\/Script|trajectory\/(dialogue|conversation-steps)))\./;
const CHARTS = /src\/charts\/(Chart|bars|draw|heatmap|intervals|lines|scatter)\./;

// The whole page as one script, which `generate-report --html` writes into its file; its style is that of the page.
function oneScript(): UserConfig {
  return {
    publicDir: false,
    plugins: [react(), tailwindcss(), { name: "script-only", enforce: "post", generateBundle: (_, made) => { for (const name in made) if (name.endsWith(".css")) Reflect.deleteProperty(made, name); } }],
    build: {
      emptyOutDir: true,
      cssCodeSplit: false,
      modulePreload: false,
      assetsInlineLimit: () => true, // the typeface
      rolldownOptions: { input: "src/main.tsx", output: { entryFileNames: "report.js", codeSplitting: false } },
    },
  };
}

// Files keep their names from build to build, so that a change of one file is a change of one file.
export default defineConfig(({ mode }) => (mode === "file" ? oneScript() : {
  base: "./",
  plugins: [react(), tailwindcss(), themeLast()],
  build: {
    outDir: "../src/independence/viewer/bundle",
    emptyOutDir: true,
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        entryFileNames: "app/[name].js",
        chunkFileNames: "app/[name].js",
        assetFileNames: "app/[name][extname]",
        advancedChunks: { groups: [{ name: "base", test: BASE }, { name: "charts", test: CHARTS }] },
      },
    },
  },
  // Some tests read every published answer, on machines that do other things meanwhile.
  test: { environment: "happy-dom", include: ["test/**/*.test.{ts,tsx}"], testTimeout: 120_000 },
}));
