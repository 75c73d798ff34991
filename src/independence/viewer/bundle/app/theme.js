// Before the first paint: the theme that the reader chose, else that of the system.
try {
  const theme = localStorage.getItem("independence.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden; the system's theme stays.
}
