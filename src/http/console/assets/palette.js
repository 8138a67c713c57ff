/** Ctrl+K: the page of the search as a dialog. The server finds; this shows what it found, and follows it. */

const isPersian = document.documentElement.lang === "fa"
const say = (english, persian) => (isPersian ? persian : english)
const QUIET_MILLIS = 140

const make = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...children)
  return element
}

const input = make("input", {
  type: "text",
  className: "palette-input",
  autocomplete: "off",
  spellcheck: false
})
input.placeholder = say("Phone, id, name, page or action", "شماره، شناسه، نام، صفحه یا کار")
for (const [name, value] of [
  ["role", "combobox"],
  ["aria-expanded", "true"],
  ["aria-autocomplete", "list"],
  ["aria-controls", "palette-list"],
  ["aria-label", say("Search for", "جست‌وجوی")]
])
  input.setAttribute(name, value)
const list = make("div", { id: "palette-list" })
list.setAttribute("role", "listbox")
list.setAttribute("aria-label", say("Results", "نتیجه‌ها"))
const status = make("p", { className: "palette-status" })
status.setAttribute("role", "status")
const dialog = make("dialog", { className: "palette" }, input, list, status)
dialog.setAttribute("aria-label", say("Search", "جست‌وجو"))
document.body.append(dialog)

const latest = { timer: 0, request: null, before: null, searched: null }
const options = () => [...list.children]
const active = () => list.querySelector('[aria-selected="true"]')

const select = (option) => {
  active()?.setAttribute("aria-selected", "false")
  if (option === undefined || option === null) return input.removeAttribute("aria-activedescendant")
  option.setAttribute("aria-selected", "true")
  input.setAttribute("aria-activedescendant", option.id)
  option.scrollIntoView({ block: "nearest" })
}

const optionOf = (link, nth) => {
  const option = make(
    "div",
    { id: `palette-${nth}` },
    ...[...link.children].map((each) => each.cloneNode(true))
  )
  option.setAttribute("role", "option")
  option.setAttribute("aria-selected", "false")
  option.dataset.href = link.getAttribute("href")
  return option
}

const countText = (count) => {
  const shown = new Intl.NumberFormat(isPersian ? "fa-IR" : "en-GB").format(count)
  if (count === 0) return say("Nothing found", "چیزی پیدا نشد")
  return count === 1 ? say("1 result", "۱ نتیجه") : say(`${shown} results`, `${shown} نتیجه`)
}

const find = async () => {
  latest.request?.abort()
  const mine = new AbortController()
  latest.request = mine
  const wanted = input.value
  const address = `/console/search?${new URLSearchParams({ q: wanted })}`
  const answer = await fetch(address, {
    headers: { accept: "text/html" },
    redirect: "error",
    signal: mine.signal
  })
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`)
  const page = new DOMParser().parseFromString(await answer.text(), "text/html")
  if (latest.request !== mine) return
  latest.searched = wanted
  const found = [...page.querySelectorAll("[data-hit]")]
  list.replaceChildren(...found.map(optionOf))
  status.textContent = countText(found.length)
  select(options()[0])
}

/** An interrupted search says nothing: another takes its place. */
const search = () =>
  find().catch((error) => {
    if (error.name !== "AbortError")
      status.textContent = say("The search failed. Try again.", "جست‌وجو انجام نشد. دوباره امتحان کنید.")
  })

const follow = (option, isNew) => {
  if (option === null) return
  if (isNew) return window.open(option.dataset.href, "_blank", "noopener")
  location.assign(option.dataset.href)
}

const step = (by) => {
  const all = options()
  const at = all.indexOf(active())
  select(all[(at + by + all.length) % all.length])
}

input.addEventListener("input", () => {
  clearTimeout(latest.timer)
  latest.timer = setTimeout(search, QUIET_MILLIS)
})
input.addEventListener("keydown", async (event) => {
  if (event.isComposing) return
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault()
    step(event.key === "ArrowDown" ? 1 : -1)
  }
  if (event.key !== "Enter") return
  event.preventDefault()
  const isNew = event.ctrlKey || event.metaKey
  // what was typed last has been searched
  clearTimeout(latest.timer)
  if (latest.searched !== input.value) await search()
  // a search that failed leaves the results of another one
  if (latest.searched === input.value) follow(active(), isNew)
})
list.addEventListener("click", (event) =>
  follow(event.target.closest("[role=option]"), event.ctrlKey || event.metaKey)
)
dialog.addEventListener("click", (event) => event.target === dialog && dialog.close())
dialog.addEventListener("close", () => latest.before?.focus())

export const openPalette = () => {
  if (dialog.open) return dialog.close()
  latest.before = document.activeElement
  input.value = ""
  list.replaceChildren()
  status.textContent = ""
  dialog.showModal()
  input.focus()
  return search()
}
