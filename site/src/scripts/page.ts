/** What each page does: its theme, copy buttons, tabs of code, and tables that a keyboard can scroll. */
const isPersian = document.documentElement.lang === "fa"
const text = isPersian
  ? { copy: "کپی", copied: "کپی شد", code: "کد", table: "جدول" }
  : { copy: "Copy", copied: "Copied", code: "Code", table: "Table" }

for (const button of document.querySelectorAll("[data-theme-switch]"))
  button.addEventListener("click", () => {
    const { dataset } = document.documentElement
    dataset["theme"] = dataset["theme"] === "dark" ? "light" : "dark"
    localStorage.setItem("starlight-theme", dataset["theme"])
  })

const addCopyButton = (pre: HTMLElement): void => {
  const frame = document.createElement("div")
  frame.className = "frame"
  pre.replaceWith(frame)
  const button = document.createElement("button")
  button.type = "button"
  button.className = "copy"
  button.textContent = text.copy
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(pre.textContent)
    button.textContent = text.copied
    setTimeout(() => (button.textContent = text.copy), 1500)
  })
  frame.append(pre, button)
}

for (const pre of document.querySelectorAll<HTMLElement>("pre.code")) addCopyButton(pre)

/** What scrolls must be reachable by keyboard; what does not scroll need not stop it. */
const markScrolling = (): void => {
  for (const part of document.querySelectorAll<HTMLElement>("pre.code, .sl-markdown-content table")) {
    if (part.scrollWidth > part.clientWidth) part.tabIndex = 0
    else part.removeAttribute("tabindex")
  }
}

const LANGUAGE_KEY = "peyk-docs-language"
const tabGroups = [...document.querySelectorAll<HTMLElement>(".tabs")]

const choose = (group: HTMLElement, label: string): void => {
  const buttons = [...group.querySelectorAll<HTMLElement>("[role=tab]")]
  if (!buttons.some(({ textContent }) => textContent === label)) return
  const panels = group.querySelectorAll<HTMLElement>("[role=tabpanel]")
  for (const [index, button] of buttons.entries()) {
    const isChosen = button.textContent === label
    button.setAttribute("aria-selected", String(isChosen))
    button.tabIndex = isChosen ? 0 : -1
    panels[index]?.toggleAttribute("hidden", !isChosen)
  }
}

/** All groups of a page show the language that was chosen in one, and it stays where it was on the screen. */
const chooseAll = (button: HTMLElement): void => {
  const before = button.getBoundingClientRect().top
  localStorage.setItem(LANGUAGE_KEY, button.textContent)
  for (const group of tabGroups) choose(group, button.textContent)
  scrollBy({ top: button.getBoundingClientRect().top - before, behavior: "instant" })
  markScrolling()
}

const moveBetween = (event: KeyboardEvent, buttons: ReadonlyArray<HTMLElement>): void => {
  const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 }
  const step = steps[event.key]
  if (step === undefined) return
  const next =
    buttons[(buttons.indexOf(event.target as HTMLElement) + step + buttons.length) % buttons.length]
  if (next === undefined) return
  chooseAll(next)
  next.focus()
}

for (const [group, element] of tabGroups.entries()) {
  const list = document.createElement("div")
  list.className = "tab-list"
  list.dir = "ltr"
  list.setAttribute("role", "tablist")
  list.setAttribute("aria-label", text.code)
  const buttons = (element.dataset["labels"] ?? "").split("|").map((label, index) => {
    const button = document.createElement("button")
    button.type = "button"
    button.id = `tab-${group}-${index}`
    button.textContent = label
    button.setAttribute("role", "tab")
    button.setAttribute("aria-controls", `panel-${group}-${index}`)
    button.addEventListener("click", () => chooseAll(button))
    return button
  })
  list.addEventListener("keydown", (event) => moveBetween(event, buttons))
  list.append(...buttons)
  for (const [index, panel] of [...element.querySelectorAll<HTMLElement>(".frame")].entries()) {
    panel.id = `panel-${group}-${index}`
    panel.setAttribute("role", "tabpanel")
    panel.setAttribute("aria-labelledby", `tab-${group}-${index}`)
  }
  element.prepend(list)
  choose(element, buttons[0]?.textContent ?? "")
  choose(element, localStorage.getItem(LANGUAGE_KEY) ?? "")
}

markScrolling()
addEventListener("resize", markScrolling)
