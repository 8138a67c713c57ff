/** Code in the pages: its language, which all examples share and the browser remembers, its copy button, and scrolling. */

const LANGUAGE_KEY = "peyk-docs-language"

/** What the browser keeps; nothing where it may not. */
export const remembered = (key) => {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

export const remember = (key, value) => {
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

for (const group of document.querySelectorAll(".languages")) addTabs(group)
for (const figure of document.querySelectorAll(".code")) addCopyButton(figure)
choose(remembered(LANGUAGE_KEY) ?? "curl")
addEventListener("resize", markScrolling)
// a folded part that is opened may have code that scrolls
document.addEventListener("toggle", markScrolling, true)
