/** What each page of the reference does: the language of examples, copying, the theme, and opening what an address names. */

const LANGUAGE_KEY = "peyk-docs-language"
const THEME_KEY = "starlight-theme"

/** What the browser keeps; nothing where it may not. */
const remembered = (key) => {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

const remember = (key, value) => {
  try {
    localStorage.setItem(key, value)
  } catch {
    // then the choice ends with the page
  }
}

/* The language: the radio buttons decide what is shown, also without this script. Tabs at each example set them. */

const radios = [...document.querySelectorAll(".language-choice input")]
const tabLists = []

const markTabs = (language) => {
  for (const buttons of tabLists)
    for (const button of buttons) {
      const isChosen = button.dataset.language === language
      button.setAttribute("aria-selected", String(isChosen))
      button.tabIndex = isChosen ? 0 : -1
    }
}

const choose = (language) => {
  const radio = radios.find(({ value }) => value === language)
  if (radio === undefined) return
  radio.checked = true
  markTabs(language)
  markScrolling()
}

/** The example stays where it is on the screen. */
const chooseAt = (button) => {
  const before = button.getBoundingClientRect().top
  remember(LANGUAGE_KEY, button.dataset.language)
  choose(button.dataset.language)
  const shown = tabLists
    .flat()
    .find(
      (each) =>
        each.closest(".languages") === button.closest(".languages") &&
        each.tabIndex === 0 &&
        each.offsetParent !== null
    )
  scrollBy({ top: (shown ?? button).getBoundingClientRect().top - before, behavior: "instant" })
  shown?.focus({ preventScroll: true })
}

const onTabKey = (event, buttons) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
  if (step === undefined) return
  event.preventDefault()
  chooseAt(buttons[(buttons.indexOf(event.target) + step + buttons.length) % buttons.length])
}

/** Each language's example has the tabs of all: only one is shown. */
const addTabs = (group) => {
  const figures = [...group.querySelectorAll(".code")]
  for (const figure of figures) {
    const caption = figure.querySelector("figcaption")
    const note = /\(.*\)/.exec(caption.textContent)?.[0]
    const list = document.createElement("div")
    list.className = "tab-list"
    list.setAttribute("role", "tablist")
    list.setAttribute("aria-label", "Language")
    const buttons = radios.map(({ value }) => {
      const button = document.createElement("button")
      button.type = "button"
      button.textContent = value
      button.dataset.language = value
      button.setAttribute("role", "tab")
      button.addEventListener("click", () => chooseAt(button))
      return button
    })
    list.addEventListener("keydown", (event) => onTabKey(event, buttons))
    list.append(...buttons)
    caption.replaceChildren(
      list,
      ...(note === undefined ? [] : [Object.assign(document.createElement("small"), { textContent: note })])
    )
    figure.classList.add("with-tabs")
    tabLists.push(buttons)
  }
}

/* Copying */

/** Copies through a selection. Works over plain http, where pages have no clipboard. */
const copyBySelection = (text) => {
  const field = document.createElement("textarea")
  field.className = "hidden"
  field.value = text
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand("copy")
  field.remove()
  return isCopied
}

const copyText = async (text) => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

export const addCopyButton = (figure) => {
  const button = document.createElement("button")
  button.type = "button"
  button.className = "copy"
  button.textContent = "Copy"
  button.addEventListener("click", async () => {
    const isCopied = await copyText(figure.querySelector("pre").textContent)
    button.textContent = isCopied ? "Copied" : "Press Ctrl+C"
    setTimeout(() => (button.textContent = "Copy"), 1500)
  })
  figure.querySelector("figcaption").append(button)
}

/** What scrolls must be reachable by keyboard; what does not scroll need not stop it. */
export const markScrolling = () => {
  for (const pre of document.querySelectorAll(".code pre")) {
    const isScrolling = pre.scrollWidth > pre.clientWidth || pre.scrollHeight > pre.clientHeight
    if (isScrolling) pre.tabIndex = 0
    else pre.removeAttribute("tabindex")
  }
}

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

for (const group of document.querySelectorAll(".languages")) addTabs(group)
for (const figure of document.querySelectorAll(".code")) addCopyButton(figure)
choose(remembered(LANGUAGE_KEY) ?? "curl")
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
addEventListener("resize", markScrolling)
// a folded part that is opened may have code that scrolls
document.addEventListener("toggle", markScrolling, true)
showOrigin()
markScrolling()
markRead()
openNamed()
if (document.querySelector("[data-try]") !== null) await import("./try.js")
