// The common part of the pages of nets and of systems.

const byId = (id) => document.getElementById(id);

/** Creates the buttons for the dark and light theme, and for printing. */
const setUpTheme = () => {
  const root = document.documentElement;
  const dark = () => (root.dataset.theme
    ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  const show = () => { byId("theme").textContent = dark() ? "Light" : "Dark"; };
  byId("theme").addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    show();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  show();
  byId("print")?.addEventListener("click", () => print());
};
