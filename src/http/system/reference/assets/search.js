/** The search box: it finds operations, fields and error codes. What it knows is loaded when it is first opened. */

const MOST = 24

const dialog = document.querySelector("[data-search]")
const input = dialog.querySelector("input")
const list = dialog.querySelector(".search-results")
const status = dialog.querySelector(".search-status")

let entries
const load = () =>
  (entries ??= fetch("/docs/api/search.json").then((response) => {
    if (!response.ok) throw new Error(String(response.status))
    return response.json()
  }))

const wordsOf = (text) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}_.+-]+/u)
    .filter((word) => word !== "")

/** How well an entry has a word: whole names first, then their beginnings, then parts, then where it is and its text. */
const weightOf = ({ name, at, text }, word) => {
  const own = name.toLowerCase()
  if (own === word) return 100
  if (own.startsWith(word)) return 60
  if (own.split(/[^a-z0-9]+/).some((part) => part.startsWith(word))) return 40
  if (own.includes(word)) return 25
  if (at.toLowerCase().includes(word)) return 15
  return text.toLowerCase().includes(word) ? 6 : 0
}

const KIND = { operation: 8, error: 6, field: 0 }

const find = (all, question) => {
  const words = wordsOf(question)
  return all
    .map((entry) => {
      const weights = words.map((word) => weightOf(entry, word))
      const isFound = weights.length > 0 && weights.every((weight) => weight > 0)
      return { entry, weight: isFound ? weights.reduce((sum, each) => sum + each, KIND[entry.kind]) : 0 }
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ entry }) => entry)
}

const part = (tag, text) => Object.assign(document.createElement(tag), { textContent: text })

/** Fields of responses are named by their status. */
const shortened = (text) => (text.length > 140 ? `${text.slice(0, 140).trimEnd()} …` : text)

const optionOf = ({ kind, name, at, text, url }) => {
  const link = document.createElement("a")
  link.href = url
  link.tabIndex = -1
  link.className = kind
  link.setAttribute("role", "option")
  link.setAttribute("aria-selected", "false")
  const said = kind === "operation" ? text.replace(/^\S+ ?/, "") : text
  link.append(
    part("strong", name),
    part("small", at),
    ...(said === "" ? [] : [part("span", shortened(said))])
  )
  return link
}

const options = () => [...list.querySelectorAll("[role=option]")]

const select = (index) => {
  for (const [each, element] of options().entries()) {
    element.id = `search-option-${each}`
    element.setAttribute("aria-selected", String(each === index))
    if (each !== index) continue
    input.setAttribute("aria-activedescendant", element.id)
    element.scrollIntoView({ block: "nearest" })
  }
}

const show = (found, message) => {
  list.replaceChildren(...found.slice(0, MOST).map(optionOf))
  status.textContent = message
  input.setAttribute("aria-expanded", String(found.length > 0))
  input.removeAttribute("aria-activedescendant")
  select(0)
}

const search = async () => {
  const question = input.value.trim()
  if (question === "") return show([], "")
  const all = await load()
  // another word was typed meanwhile
  if (input.value.trim() !== question) return
  const found = find(all, question)
  const count = found.length === 1 ? "1 result" : `${found.length} results`
  const more = found.length > MOST ? `The best ${MOST} of ${found.length} results` : count
  const nothing = `Nothing found for “${question}”. Try the name of an operation or a field, a path, or an error code.`
  show(found, found.length === 0 ? nothing : more)
}

const run = () => {
  search().catch(() => {
    entries = undefined
    show([], "The search could not be loaded. Try again.")
  })
}

export const open = () => {
  if (dialog.open) return
  dialog.showModal()
  input.select()
  run()
}

const onKey = (event) => {
  const all = options()
  const chosen = all.findIndex((element) => element.getAttribute("aria-selected") === "true")
  if (event.key === "ArrowDown") select((chosen + 1) % all.length)
  else if (event.key === "ArrowUp") select((chosen - 1 + all.length) % all.length)
  else if (event.key === "Enter") all[chosen]?.click()
  // else the first one empties the box
  else if (event.key === "Escape") dialog.close()
  else return
  event.preventDefault()
}

dialog.querySelector("[data-search-close]").addEventListener("click", () => dialog.close())
dialog.addEventListener("click", (event) => {
  // the backdrop, or a link to a part of this page
  if (event.target === dialog || event.target.closest("a") !== null) dialog.close()
})
input.addEventListener("input", run)
input.addEventListener("keydown", onKey)
