/** The search box: its index is loaded when it is first opened; results are chosen by keyboard. */
import type { FoundPage, FoundPart } from "../../lib/Search.ts"
import type { Part } from "../../lib/SearchParts.ts"

const base = import.meta.env.BASE_URL
const isPersian = document.documentElement.lang === "fa"
const text = isPersian
  ? {
      nothing: (words: string) =>
        `برای «${words}» چیزی پیدا نشد. یک واژه، یک کد خطا یا نام یک فیلد را جست‌وجو کنید.`,
      found: (count: number) => `${count.toLocaleString("fa")} صفحه`,
      failed: "جست‌وجو بارگذاری نشد. صفحه را دوباره باز کنید."
    }
  : {
      nothing: (words: string) =>
        `Nothing found for “${words}”. Try one word, an error code or the name of a field.`,
      found: (count: number) => (count === 1 ? "1 page" : `${count} pages`),
      failed: "The search could not be loaded. Reload the page."
    }

const SHOWN_PAGES = 8
const SHOWN_PARTS = 3

const dialog = document.querySelector<HTMLDialogElement>("[data-search]")
const input = dialog?.querySelector("input")
const list = dialog?.querySelector<HTMLElement>(".search-results")
const status = dialog?.querySelector<HTMLElement>(".search-status")

const read = async (language: string): Promise<ReadonlyArray<Part>> =>
  (await fetch(`${base}search-${language}.json`)).json() as Promise<ReadonlyArray<Part>>

/** Persian readers find the English pages, too: those say more, and not all are translated. */
const readAll = async (): Promise<ReadonlyArray<Part>> =>
  (await Promise.all(isPersian ? [read("fa"), read("en")] : [read("en")])).flat()

const makeFind = async () => {
  const [{ makeSearch, snippetOf }, parts] = await Promise.all([import("../../lib/Search.ts"), readAll()])
  return { find: makeSearch(parts, ({ page }) => page.startsWith(`${base}fa/`) === isPersian), snippetOf }
}
let loading: ReturnType<typeof makeFind> | undefined
const load = () => (loading ??= makeFind())

type SnippetOf = Awaited<ReturnType<typeof makeFind>>["snippetOf"]

const option = (
  url: string,
  title: string,
  part: FoundPart | undefined,
  snippetOf: SnippetOf,
  kind: string
) => {
  const link = document.createElement("a")
  link.href = url
  link.tabIndex = -1
  link.className = kind
  link.setAttribute("role", "option")
  link.setAttribute("aria-selected", "false")
  const name = document.createElement("strong")
  name.textContent = title
  name.dir = "auto"
  link.append(name)
  if (part === undefined || part.text === "") return link
  const snippet = document.createElement("span")
  snippet.dir = "auto"
  for (const piece of snippetOf(part)) {
    const mark = piece.isFound ? document.createElement("mark") : undefined
    if (mark !== undefined) mark.textContent = piece.text
    snippet.append(mark ?? piece.text)
  }
  link.append(snippet)
  return link
}

/** A page, and under it the parts that have the words. */
const optionsOf = ({ page, title, parts }: FoundPage, snippetOf: SnippetOf) => {
  const start = parts.find(({ anchor }) => anchor === "")
  const others = parts.filter(({ anchor }) => anchor !== "").slice(0, SHOWN_PARTS)
  return [
    option(page, title, start, snippetOf, "whole"),
    ...others.map((part) => option(`${page}#${part.anchor}`, part.heading, part, snippetOf, "part"))
  ]
}

const options = () => [...(list?.querySelectorAll<HTMLElement>("[role=option]") ?? [])]

const select = (index: number): void => {
  for (const [each, element] of options().entries()) {
    element.id = `search-option-${each}`
    element.setAttribute("aria-selected", String(each === index))
    if (each !== index) continue
    input?.setAttribute("aria-activedescendant", element.id)
    element.scrollIntoView({ block: "nearest" })
  }
}

const show = (elements: ReadonlyArray<HTMLElement>, message: string, best = 0): void => {
  list?.replaceChildren(...elements)
  if (status) status.textContent = message
  input?.setAttribute("aria-expanded", String(elements.length > 0))
  input?.removeAttribute("aria-activedescendant")
  if (elements.length > 0) select(best)
}

const search = async (words: string): Promise<void> => {
  if (words === "") return show([], "")
  const { find, snippetOf } = await load()
  // another word was typed meanwhile
  if (input?.value.trim() !== words) return
  const pages = find(words)
  show(
    pages.slice(0, SHOWN_PAGES).flatMap((page) => optionsOf(page, snippetOf)),
    pages.length === 0 ? text.nothing(words) : text.found(pages.length),
    // the best part of the best page: its first one, or the page itself
    pages[0]?.parts[0]?.anchor === "" ? 0 : 1
  )
}

const run = (): void => {
  search(input?.value.trim() ?? "").catch(() => show([], text.failed))
}

const open = (): void => {
  if (dialog?.open !== false) return
  dialog.showModal()
  input?.select()
  load().catch(() => show([], text.failed))
}

const onKey = (event: KeyboardEvent): void => {
  const all = options()
  const chosen = all.findIndex((element) => element.getAttribute("aria-selected") === "true")
  if (event.key === "ArrowDown") select((chosen + 1) % all.length)
  else if (event.key === "ArrowUp") select((chosen - 1 + all.length) % all.length)
  else if (event.key === "Enter") all[chosen]?.click()
  // else the first one empties the box
  else if (event.key === "Escape") dialog?.close()
  else return
  event.preventDefault()
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches("input, textarea, select")

for (const button of document.querySelectorAll("[data-search-open]")) button.addEventListener("click", open)
dialog?.querySelector("[data-search-close]")?.addEventListener("click", () => dialog.close())
dialog?.addEventListener("click", (event) => {
  // the backdrop, or a link to a part of this page
  if (event.target === dialog || (event.target as HTMLElement).closest("a") !== null) dialog.close()
})
input?.addEventListener("input", run)
input?.addEventListener("keydown", onKey)
addEventListener("keydown", (event) => {
  const isShortcut = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k"
  if (!isShortcut && (event.key !== "/" || isTyping(event.target))) return
  event.preventDefault()
  open()
})
