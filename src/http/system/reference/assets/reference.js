/** What each page of the reference does: the theme, the search, and opening what an address names. */
import { markScrolling, remember } from "./code.js"

const THEME_KEY = "starlight-theme"

/* The theme */

const isDark = () => {
  const { theme } = document.documentElement.dataset
  return theme === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : theme === "dark"
}

const markTheme = () => {
  document.documentElement.dataset.shows = isDark() ? "dark" : "light"
}

const switchTheme = () => {
  const theme = isDark() ? "light" : "dark"
  document.documentElement.dataset.theme = theme
  remember(THEME_KEY, theme)
  markTheme()
}

/* Addresses */

/** Old addresses have all operations on one page: `/docs/api#otp.send`. Without this script the link is marked there. */
const openNamed = () => {
  const id = decodeURIComponent(location.hash.slice(1))
  const target = id === "" ? null : document.getElementById(id)
  if (target === null) return
  if (target.matches("a[data-full]")) return location.replace(target.href)
  for (let part = target; part !== null; part = part.parentElement?.closest("details") ?? null)
    if (part.matches("details")) part.open = true
  target.scrollIntoView()
}

/** The part of the page that is read is marked in the list. */
const markRead = () => {
  const links = new Map(
    [...document.querySelectorAll(".side li li a")].map((link) => [link.hash.slice(1), link])
  )
  if (links.size === 0) return
  const seen = new Set()
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries)
        if (isIntersecting) seen.add(target.id)
        else seen.delete(target.id)
      const current = [...links.keys()].find((id) => seen.has(id))
      for (const [id, link] of links)
        if (id === current) link.setAttribute("aria-current", "location")
        else link.removeAttribute("aria-current")
    },
    { rootMargin: "-80px 0px -60% 0px" }
  )
  for (const article of document.querySelectorAll("main > article")) observer.observe(article)
}

/** The examples name the address that the page came from. */
const showOrigin = () => {
  const given = "http://127.0.0.1:8080"
  if (location.origin === given) return
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
    if (node.data.includes(given)) node.data = node.data.replaceAll(given, location.origin)
}

const onKey = (event) => {
  const isTyping = event.target instanceof HTMLElement && event.target.matches("input, textarea, select")
  const isShortcut = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k"
  if (!isShortcut && (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey)) return
  event.preventDefault()
  openSearch()
}

const openSearch = async () => (await import("./search.js")).open()

markTheme()
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", markTheme)
for (const button of document.querySelectorAll("[data-theme-switch]")) {
  button.hidden = false
  button.addEventListener("click", switchTheme)
}
for (const button of document.querySelectorAll("[data-search-open]")) {
  button.hidden = false
  button.addEventListener("click", openSearch)
}
for (const part of document.querySelectorAll("[data-with-scripts]")) part.hidden = false
for (const link of document.querySelectorAll(".drawer a"))
  link.addEventListener("click", () => (document.querySelector(".drawer").open = false))
addEventListener("keydown", onKey)
addEventListener("hashchange", openNamed)
showOrigin()
markScrolling()
markRead()
openNamed()
if (document.querySelector("[data-try]") !== null) await import("./try.js")
