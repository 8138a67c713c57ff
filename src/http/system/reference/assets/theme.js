/* Before the first paint: the theme that the reader chose here or on the site. Without a choice it is the system's. */
try {
  const theme = localStorage.getItem("starlight-theme")
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme
} catch {
  // a browser that keeps nothing has no choice either
}
