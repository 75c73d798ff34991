import "./app.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { bootConfig, IN_FILE } from "./data/boot";
import { followStore } from "./data/live";
import { followAddress, useHashPath, useHashQuery } from "./route/hash";
import { App } from "./shell/App";
import { printLight } from "./shell/theme";
import { startEarly } from "./shell/early";
import { fetchTypeface } from "./shell/typeface";

const root = document.getElementById("root");
const boot = bootConfig();
if (IN_FILE && window.location.hash === "") window.history.replaceState(null, "", "#/report");
followAddress();
printLight();
fetchTypeface();
if (boot !== null) {
  startEarly(boot, window.location.hash);
  if (boot.served) followStore();
}
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <Router hook={useHashPath} searchHook={useHashQuery} hrefs={(href) => `#${href}`}>
        <App boot={boot} />
      </Router>
    </StrictMode>,
  );
