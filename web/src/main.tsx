import "./app.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { bootConfig } from "./data/boot";
import { request } from "./data/documents";
import { indexPath } from "./data/paths";
import { followAddress, useHashPath, useHashQuery } from "./route/hash";
import { App } from "./shell/App";
import { chosenBoard } from "./shell/chosen";

const root = document.getElementById("root");
const boot = bootConfig();
followAddress();
if (boot !== null) {
  const { info, judge } = chosenBoard(boot, new URLSearchParams(window.location.hash.split("?")[1]));
  if (info !== undefined) request(indexPath(boot, info, judge));
}
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <Router hook={useHashPath} searchHook={useHashQuery} hrefs={(href) => `#${href}`}>
        <App boot={boot} />
      </Router>
    </StrictMode>,
  );
