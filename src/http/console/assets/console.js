/** What pages can do beyond reading and forms: the viewer's time zone, copying, and keeping lists up to date. */

const YEAR_SECONDS = 31_536_000

const keepZone = () => {
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone
  const secure = location.protocol === "https:" ? "; secure" : ""
  document.cookie = `peyk_zone=${zone}; path=/; max-age=${YEAR_SECONDS}; samesite=lax${secure}`
}

/** A token that signs somebody in does not stay in the address bar, nor in the browser's history. */
const hideQuery = () => {
  if (document.querySelector("[data-hide-query]") !== null)
    history.replaceState(history.state, "", location.pathname)
}

/** `data-copy` is copied; `data-copied` then says so. */
const showCopyButtons = () => {
  for (const button of document.querySelectorAll("button[data-copy]")) button.hidden = false
}

/** Copies through a selection. Works over plain http, where pages have no clipboard. */
const copyBySelection = (text) => {
  const before = document.activeElement
  const field = document.createElement("textarea")
  field.className = "hidden"
  field.value = text
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand("copy")
  field.remove()
  before.focus()
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

/** If the browser refuses to copy, a dialog shows the text for copying by hand. */
const copyOnClick = () => {
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button[data-copy]")
    if (button === null) return
    if (!(await copyText(button.dataset.copy))) return prompt(button.textContent.trim(), button.dataset.copy)
    const said = button.querySelector(".copied") ?? button.appendChild(document.createElement("span"))
    said.className = "copied"
    said.role = "status"
    said.textContent = button.dataset.copied
    setTimeout(() => said.remove(), 1500)
  })
}

const printOnClick = () => {
  for (const button of document.querySelectorAll("button[data-print]")) {
    button.hidden = false
    button.addEventListener("click", () => print())
  }
}

/** A drawer closes with Escape, and with a click elsewhere. */
const closeDrawers = () => {
  const close = (except) => {
    for (const open of document.querySelectorAll("details.nav-drawer[open]")) {
      if (open === except) continue
      if (open.contains(document.activeElement)) open.querySelector("summary").focus()
      open.open = false
    }
  }
  document.addEventListener("click", (event) => close(event.target.closest("details[open]")))
  document.addEventListener("keydown", (event) => event.key === "Escape" && close(null))
}

/** The question of a button, as a dialog: it keeps the focus until it is answered, and Escape leaves it. */
const ask = (question) => {
  const dialog = question.querySelector("dialog")
  question.open = true
  // as it stands in the page it is open, for those without scripts
  dialog.removeAttribute("open")
  dialog.showModal()
  dialog.querySelector("[data-dismiss]").focus()
}

const askInDialogs = () => {
  document.addEventListener("click", (event) => {
    const summary = event.target.closest(".confirm > summary")
    const dismiss = event.target.closest("[data-dismiss]")
    if (summary === null && dismiss === null && !event.target.matches("dialog.confirm-panel:modal")) return
    event.preventDefault()
    if (summary !== null) return ask(summary.parentElement)
    event.target.closest("dialog").close()
  })
  const putAway = ({ target }) => {
    if (!target.matches("dialog.confirm-panel")) return
    const question = target.parentElement
    question.open = false
    target.setAttribute("open", "")
    question.querySelector("summary").focus()
  }
  // it does not bubble
  document.addEventListener("close", putAway, true)
}

/** A page that nobody looks at, or touches for this long, is not kept up to date: its session may end. */
const ATTENTION_MILLIS = 20 * 60_000
let [touchedAt, refreshedAt] = [Date.now(), Date.now()]

/** A page that nobody touched for this long is kept up to date less often. */
const CLOSE_MILLIS = 2 * 60_000
const REST_MILLIS = 15_000

const isWatched = () => document.visibilityState === "visible" && Date.now() - touchedAt < ATTENTION_MILLIS

const isDue = () =>
  isWatched() && (Date.now() - touchedAt < CLOSE_MILLIS || Date.now() - refreshedAt >= REST_MILLIS)

/** After so long, a form whose answer never came can be sent again. */
const ANSWER_MILLIS = 30_000
/** The forms that were sent, and whose answers have not come. */
const underWay = new Set()

/** A second click sends nothing while the first is under way. */
const sendOnce = () => {
  document.addEventListener("submit", (event) => {
    const form = event.target
    if (event.defaultPrevented || form.getAttribute("method") !== "post") return
    if (underWay.has(form)) return event.preventDefault()
    underWay.add(form)
    setTimeout(() => underWay.delete(form), ANSWER_MILLIS)
  })
  addEventListener("pageshow", () => underWay.clear())
}

/** What a part has, apart from the keys of its forms, which are others each time. */
const contentOf = ({ innerHTML }) => innerHTML.replaceAll(/name="once" value="[^"]*"/g, "")

/** What the server sent last for each live part: scripts and people change the part itself. */
const shown = new Map()

const isSelectedIn = (part) => {
  const { isCollapsed, anchorNode, focusNode } = getSelection()
  return !isCollapsed && (part.contains(anchorNode) || part.contains(focusNode))
}

/** Whether somebody is at work in a part: it stays as it is until they leave it. */
const isBusy = (part) =>
  part.contains(document.activeElement) ||
  part.matches(":active") ||
  part.querySelector(".confirm[open]") !== null ||
  isSelectedIn(part)

/** Those that match, by their name and their place among those with the same name. */
const byName = (part, selector, nameOf) => {
  const counts = new Map()
  return new Map(
    [...part.querySelectorAll(selector)].map((element) => {
      const name = nameOf(element)
      const place = counts.get(name) ?? 0
      counts.set(name, place + 1)
      return [`${name}\n${place}`, element]
    })
  )
}

const fieldsIn = (part) => byName(part, "input:not([type=hidden]), select, textarea", ({ name }) => name)
const detailsIn = (part) =>
  byName(part, "details", (each) => each.querySelector("summary")?.textContent.trim())
const scrollersIn = (part) => byName(part, ".table-scroll, pre", () => "")

/** A list whose page selects nothing begins with its first entry. */
const isListChanged = ({ options, selectedIndex }) =>
  selectedIndex !==
  Math.max(
    0,
    [...options].findLastIndex(({ defaultSelected }) => defaultSelected)
  )

/** Whether a field of a form has another value than the page gave it. */
export const isChanged = (field) =>
  field.matches("select")
    ? isListChanged(field)
    : field.matches("[type=checkbox], [type=radio]")
      ? field.checked !== field.defaultChecked
      : field.value !== field.defaultValue

/** Gives a field a value; a list takes only one that it has. */
const fill = (field, { value, checked }) => {
  if (field.matches("[type=checkbox], [type=radio]")) field.checked = checked
  else if (!field.matches("select") || [...field.options].some((option) => option.value === value))
    field.value = value
}

/**
 * Fills a field as another of its name was. What the page gave there stays its default: an answer that repeats what was
 * typed does not make it untouched.
 */
const fillAs = (field, changed) => {
  const { value, checked, defaultValue, defaultChecked, options } = changed
  if (field.matches("select")) {
    const before = new Map(Array.from(options, (option) => [option.value, option.defaultSelected]))
    for (const option of field.options) option.defaultSelected = before.get(option.value) ?? false
  } else Object.assign(field, { defaultValue, defaultChecked })
  fill(field, { value, checked })
}

/** Calls `keep` with each element that both parts have. */
const keepEach = (find, part, next, keep) => {
  const found = find(next)
  for (const [name, element] of find(part)) {
    const same = found.get(name)
    if (same !== undefined) keep(element, same)
  }
}

/** Replaces what is in a part. What a person changed there stays: fields, what is open, scrolled and in focus. */
export const replaceContent = (part, next) => {
  const focused = [...fieldsIn(part)].find(([, field]) => field === document.activeElement)?.[0]
  keepEach(fieldsIn, part, next, (field, same) => isChanged(field) && fillAs(same, field))
  keepEach(detailsIn, part, next, (each, same) => (same.open = each.open))
  const scrolled = [...scrollersIn(part)].map(([name, { scrollLeft, scrollTop }]) => [
    name,
    { scrollLeft, scrollTop }
  ])
  part.replaceChildren(...next.childNodes)
  const scrollers = scrollersIn(part)
  for (const [name, places] of scrolled) Object.assign(scrollers.get(name) ?? {}, places)
  if (focused !== undefined) fieldsIn(part).get(focused)?.focus({ preventScroll: true })
  showCopyButtons()
}

/** What somebody typed in a form. Secrets are never kept, and codes are not. */
const typedIn = (form) =>
  [...fieldsIn(form)]
    .filter(
      ([, field]) =>
        isChanged(field) && !field.matches("[type=password], [type=file], [autocomplete=one-time-code]")
    )
    .map(([name, field]) => [name, field.value, field.checked])

const putBack = (form, typed) => {
  const fields = fieldsIn(form)
  for (const [name, value, checked] of typed) {
    const field = fields.get(name)
    if (field !== undefined && !isChanged(field)) fill(field, { value, checked })
  }
}

const TYPED = "peyk.typed"
const MAX_PAGES = 50

/** What this user typed in this tab: of each page as its history entry names it, of each form. */
const readTyped = (who) => {
  try {
    const kept = JSON.parse(sessionStorage.getItem(TYPED))
    if (kept?.who === who) return kept
  } catch {
    // the browser keeps nothing, or somebody else wrote there
  }
  return { who, pages: [] }
}

const writeTyped = (kept) => {
  try {
    sessionStorage.setItem(TYPED, JSON.stringify(kept))
  } catch {
    // full, or not allowed: then the page forgets
  }
}

const forgetTyped = () => {
  try {
    sessionStorage.removeItem(TYPED)
  } catch {
    // nothing was kept
  }
}

/** Forms by their action, and their place among those with the same. The address keeps those that can be reordered. */
const typedForms = () =>
  byName(document, 'form[method="post"]:not([data-reorder])', (form) => form.getAttribute("action"))

/**
 * Browsers forget fields without autocomplete when somebody leaves a page and comes back. This tab keeps them for the same
 * entry of its history, the same page, form and user, until that user signs out.
 */
const keepTyped = () => {
  const { who } = document.body.dataset
  if (who === undefined) return
  const kept = readTyped(who)
  // what another user typed goes
  writeTyped(kept)
  const page = `${location.pathname} ${history.state?.page ?? Math.random()}`
  const found = kept.pages.find(([name]) => name === page)
  const forms = new Map(found?.[1])
  for (const [name, form] of typedForms()) putBack(form, forms.get(name) ?? [])
  document.addEventListener("change", () => {
    history.replaceState({ ...history.state, page: page.split(" ")[1] }, "")
    const typed = Array.from(typedForms(), ([name, form]) => [name, typedIn(form)])
    const { pages } = readTyped(who)
    const others = pages.filter(([name]) => name !== page)
    writeTyped({ who, pages: [...others, [page, typed]].slice(-MAX_PAGES) })
  })
  document.addEventListener("submit", ({ target }) => {
    // on this device or everywhere
    if (target.getAttribute("action")?.startsWith("/console/sign-out")) forgetTyped()
  })
}

const rowsIn = (part) => [...part.querySelectorAll("tr[id]")]

/** Whether somebody looks into a list: its rows keep their places, and new ones wait. */
const isRead = (part) =>
  part.dataset.new !== undefined &&
  rowsIn(part).length > 0 &&
  (part.matches(":hover") || part.getBoundingClientRect().top < 0 || isBusy(part))

/** Changes the rows that both have where they are. */
const updateRows = (part, next) => {
  for (const row of rowsIn(part)) {
    const same = next.querySelector(`tr[id="${CSS.escape(row.id)}"]`)
    const isOwn = isSelectedIn(row) || row.contains(document.activeElement) || row.matches(":hover")
    if (same !== null && !isOwn && row.innerHTML !== same.innerHTML)
      row.replaceChildren(...same.cloneNode(true).childNodes)
  }
}

/** Of each list that is read: the button over it that says how many rows are new, and what shows them. */
const newRows = new Map()

const forgetNew = (part) => {
  newRows.get(part)?.button.remove()
  newRows.delete(part)
}

const newRowsButton = (part) => {
  const button = document.createElement("button")
  button.type = "button"
  button.className = "new-rows"
  button.addEventListener("click", () => {
    newRows.get(part).show()
    scrollTo({ top: Math.max(0, part.getBoundingClientRect().top + scrollY - 80) })
  })
  part.before(button)
  return button
}

const numberText = (count) =>
  new Intl.NumberFormat(document.documentElement.lang === "fa" ? "fa-IR" : "en-GB").format(count)

/** Says how many rows came meanwhile; a click shows them. */
const sayNew = (part, next, show) => {
  const known = new Set(rowsIn(part).map(({ id }) => id))
  const count = rowsIn(next).filter(({ id }) => !known.has(id)).length
  if (count === 0) return
  const button = newRows.get(part)?.button ?? newRowsButton(part)
  button.textContent = part.dataset.new.replace("{count}", numberText(count))
  newRows.set(part, { button, show })
}

/** As the server says it, which knows the time of the response only. */
const tellAgo = () => {
  const tag = document.documentElement.lang === "fa" ? "fa-IR-u-nu-arabext" : "en-GB"
  const relative = new Intl.RelativeTimeFormat(tag, { style: "short" })
  for (const time of document.querySelectorAll("time[data-ago]")) {
    const seconds = Math.max(0, (Date.now() - Date.parse(time.dateTime)) / 1000)
    const [length, unit] = seconds < 60 ? [1, "second"] : seconds < 3600 ? [60, "minute"] : [3600, "hour"]
    const text = relative.format(-Math.floor(seconds / length), unit)
    if (time.textContent !== text) time.textContent = text
  }
}

const AGO_MILLIS = 20_000

/** Of the page that all live parts have; null: some part was left as it was. */
let shownVersion = null

/** Replaces the parts with `data-live` (seconds) by what the page has there now; a refused form has another address. */
const refresh = async () => {
  refreshedAt = Date.now()
  const answer = await fetch(document.documentElement.dataset.address, {
    headers: { accept: "text/html", ...(shownVersion !== null && { "if-none-match": shownVersion }) },
    redirect: "error"
  })
  if (!answer.ok) return
  const now = new DOMParser().parseFromString(await answer.text(), "text/html")
  if (underWay.size > 0) return
  shownVersion = answer.headers.get("etag")
  for (const part of document.querySelectorAll("[data-live]")) {
    const next = now.getElementById(part.id)
    if (next === null) continue
    const content = contentOf(next)
    const show = () => {
      forgetNew(part)
      shown.set(part, content)
      replaceContent(part, next)
    }
    if (isRead(part) || isBusy(part)) shownVersion = null
    if (isRead(part)) {
      updateRows(part, next)
      sayNew(part, next, show)
      continue
    }
    if (isBusy(part)) continue
    if (next.dataset.live === undefined) delete part.dataset.live
    if (shown.get(part) !== content) show()
  }
  dispatchEvent(new Event("peyk:refreshed"))
}

const keepUpToDate = () => {
  for (const name of ["pointerdown", "keydown", "scroll"]) {
    addEventListener(name, () => (touchedAt = Date.now()), { passive: true })
  }
  for (const part of document.querySelectorAll("[data-live]")) shown.set(part, contentOf(part))
  const next = () => {
    const part = document.querySelector("[data-live]")
    if (part === null) return
    setTimeout(
      async () => {
        if (isDue()) await refresh().catch(() => {})
        next()
      },
      Number(part.dataset.live) * 1000
    )
  }
  next()
}

/** Ctrl+K, or ⌘K, and the link to the search open it as a dialog. */
const openPaletteByKey = () => {
  const link = document.querySelector("[data-palette]")
  if (link === null) return
  const isMac = /mac|iphone|ipad/i.test(navigator.userAgentData?.platform ?? navigator.platform)
  const keys = link.querySelector("kbd")
  keys.hidden = false
  if (isMac) keys.textContent = "⌘K"
  const open = async () => (await import("./palette.js")).openPalette()
  addEventListener("keydown", (event) => {
    const isAsked =
      (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.code === "KeyK"
    if (!isAsked) return
    event.preventDefault()
    open()
  })
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    open()
  })
}

const say = (english, persian) => (document.documentElement.lang === "fa" ? persian : english)

/** What the browser would say in its own language: the page says it in its own. */
const validityText = (field) => {
  const { valueMissing, typeMismatch } = field.validity
  if (valueMissing)
    return field.type === "checkbox"
      ? say("Tick this box.", "این گزینه را علامت بزنید.")
      : say("Fill in this field.", "این فیلد را پر کنید.")
  if (typeMismatch && field.type === "email")
    return say("Enter an email address.", "نشانی ایمیل را وارد کنید.")
  return say("This value is not valid.", "این مقدار معتبر نیست.")
}

const speakOfErrors = () => {
  const clear = ({ target }) => target.setCustomValidity?.("")
  addEventListener(
    "invalid",
    ({ target }) => {
      target.setCustomValidity("")
      if (!target.validity.valid) target.setCustomValidity(validityText(target))
    },
    true
  )
  for (const name of ["input", "change"]) addEventListener(name, clear, true)
}

speakOfErrors()
keepZone()
setInterval(tellAgo, AGO_MILLIS)
hideQuery()
keepUpToDate()
keepTyped()
showCopyButtons()
copyOnClick()
printOnClick()
openPaletteByKey()
closeDrawers()
askInDialogs()
sendOnce()
// not awaited: they import this file
if (document.querySelector("[data-preview], [data-file-into]") !== null) import("./forms.js")
if (document.querySelector("[data-date]") !== null) import("./dates.js")
/** A page can get its first chart when it is brought up to date. The script that draws them is loaded once. */
const loadCharts = () => {
  if (document.querySelector("[data-chart]") !== null) import("./charts.js")
}
loadCharts()
addEventListener("peyk:refreshed", loadCharts)
