(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const kept = { read() { try { return localStorage.getItem("theme"); } catch { return null; } },
                 write(theme) { try { localStorage.setItem("theme", theme); } catch { /* a file may keep nothing */ } } };
  const theme = () => root.dataset.theme ?? (dark.matches ? "dark" : "light");
  if (["light", "dark"].includes(prediction.read())) root.dataset.theme = prediction.read();

  addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector("button.theme");
    const other = () => (theme() === "dark" ? "light" : "dark");
    const label = () => {
      button.textContent = other() === "dark" ? "Dark" : "Light";
      button.setAttribute("aria-label", `Switch to the ${other()} theme`);
    };
    button.hidden = false;
    button.addEventListener("click", () => { root.dataset.theme = other(); prediction.write(root.dataset.theme); label(); });
    dark.addEventListener("change", label);
    label();

    const links = new Map([...document.querySelectorAll(".contents a")].map((a) => [a.hash.slice(1), a]));
    const seen = new IntersectionObserver((entries) => {
      for (const entry of entries.filter((one) => one.isIntersecting)) {
        for (const link of links.values()) link.removeAttribute("aria-current");
        links.get(entry.target.id)?.setAttribute("aria-current", "true");
      }
    }, { rootMargin: "-10% 0px -80% 0px" });
    for (const section of document.querySelectorAll("main > section")) seen.observe(section);
  });
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const fold of opened) fold.open = true;
  });
  addEventListener("afterprint", () => { for (const fold of opened) fold.open = false; });
})();
