// -- light and dark: as the system has it, until somebody chooses -----------------------------------------------------

const THEME_KEY = "lookalike-theme";

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
}

/** The button that changes the theme; what was chosen before holds from now on. */
function themeButton() {
  const draw = () => {
    button.textContent = isDark() ? "Light theme" : "Dark theme";
  };
  const button = h("button", { type: "button", id: "theme", onclick: () => {
    const name = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = name;
    memory.set(THEME_KEY, name);
    draw();
  } });
  const kept = memory.get(THEME_KEY);
  if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
  return button;
}
