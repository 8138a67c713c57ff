/** The search: Pagefind's index, loaded when the search is first opened; results by keyboard. */
interface Part {
  readonly title: string
  readonly url: string
  readonly excerpt: string
}
interface Found {
  readonly url: string
  readonly excerpt: string
  readonly meta: { readonly title?: string }
  readonly sub_results: ReadonlyArray<Part>
}
interface Pagefind {
  readonly options: (options: object) => Promise<void>
  readonly init: () => Promise<void>
  readonly debouncedSearch: (
    term: string,
    options: object,
    millis: number
  ) => Promise<{ readonly results: ReadonlyArray<{ readonly data: () => Promise<Found> }> } | null>
}

const isPersian = document.documentElement.lang === "fa"
const text = isPersian
  ? {
      nothing: (term: string) =>
        `برای «${term}» چیزی پیدا نشد. نام انگلیسی فیلد یا کد خطا را هم امتحان کنید.`,
      found: (count: number) => `${count.toLocaleString("fa")} نتیجه`,
      failed: "جستجو بارگذاری نشد. صفحه را دوباره باز کنید."
    }
  : {
      nothing: (term: string) =>
        `Nothing found for “${term}”. Try one word, an error code or the name of a field.`,
      found: (count: number) => (count === 1 ? "1 result" : `${count} results`),
      failed: "The search could not be loaded. Reload the page."
    }

const SHOWN_PAGES = 8
const SHOWN_PARTS = 3
const DEBOUNCE_MILLIS = 120

const dialog = document.querySelector<HTMLDialogElement>("[data-search]")
const input = dialog?.querySelector("input")
const list = dialog?.querySelector<HTMLElement>(".search-results")
const status = dialog?.querySelector<HTMLElement>(".search-status")

let loading: Promise<Pagefind> | undefined
const load = (): Promise<Pagefind> =>
  (loading ??= (async () => {
    const path = `${import.meta.env.BASE_URL}pagefind/pagefind.js`
    const pagefind = (await import(/* @vite-ignore */ path)) as Pagefind
    await pagefind.options({ excerptLength: 22, baseUrl: "/" })
    await pagefind.init()
    return pagefind
  })())

const option = (url: string, title: string, excerpt: string | undefined, isPart: boolean) => {
  const link = document.createElement("a")
  link.href = url
  link.tabIndex = -1
  link.setAttribute("role", "option")
  link.setAttribute("aria-selected", "false")
  link.className = isPart ? "part" : "whole"
  const name = document.createElement("strong")
  name.textContent = title
  name.dir = "auto"
  link.append(name)
  if (excerpt !== undefined) {
    const snippet = document.createElement("span")
    snippet.dir = "auto"
    // Pagefind escapes the text, and adds nothing but <mark>.
    snippet.innerHTML = excerpt
    link.append(snippet)
  }
  return link
}

/** A page, and under it the parts that have the words. */
const optionsOf = ({ url, meta, excerpt, sub_results }: Found) => {
  const parts = sub_results.filter((part) => part.url !== url).slice(0, SHOWN_PARTS)
  const whole = sub_results.find((part) => part.url === url)
  const isExcerptOfPart = whole === undefined && parts.length > 0
  return [
    option(url, meta.title ?? url, isExcerptOfPart ? undefined : (whole?.excerpt ?? excerpt), false),
    ...parts.map((part) => option(part.url, part.title, part.excerpt, true))
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

const show = (elements: ReadonlyArray<HTMLElement>, message: string): void => {
  list?.replaceChildren(...elements)
  if (status) status.textContent = message
  input?.setAttribute("aria-expanded", String(elements.length > 0))
  input?.removeAttribute("aria-activedescendant")
  if (elements.length > 0) select(0)
}

const search = async (term: string): Promise<void> => {
  if (term === "") return show([], "")
  const found = await (await load()).debouncedSearch(term, {}, DEBOUNCE_MILLIS)
  if (found === null) return
  const pages = await Promise.all(found.results.slice(0, SHOWN_PAGES).map((result) => result.data()))
  // another search began meanwhile
  if (input?.value.trim() !== term) return
  show(pages.flatMap(optionsOf), pages.length === 0 ? text.nothing(term) : text.found(found.results.length))
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
