/** What pages can do beyond reading and forms: the viewer's time zone, copying, and keeping lists up to date. */

const YEAR_SECONDS = 31_536_000

const keepZone = () => {
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone
  const secure = location.protocol === "https:" ? "; secure" : ""
  document.cookie = `peyk_zone=${zone}; path=/; max-age=${YEAR_SECONDS}; samesite=lax${secure}`
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

/** Only one drawer or question is open; Escape and a click elsewhere close it. */
const closeOnLeave = () => {
  const close = (except) => {
    for (const open of document.querySelectorAll("details:is(.confirm, .nav-drawer)[open]")) {
      if (open === except) continue
      if (open.contains(document.activeElement)) open.querySelector("summary").focus()
      open.open = false
    }
  }
  document.addEventListener("click", (event) => close(event.target.closest("details[open]")))
  document.addEventListener("keydown", (event) => event.key === "Escape" && close(null))
}

/** A page that nobody looks at, or touches for this long, is not kept up to date: its session may end. */
const ATTENTION_MILLIS = 20 * 60_000
let touchedAt = Date.now()

const isWatched = () => document.visibilityState === "visible" && Date.now() - touchedAt < ATTENTION_MILLIS

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

/** Whether somebody is at work in a part: it stays as it is until they leave it. */
const isBusy = (part) =>
  part.contains(document.activeElement) || part.querySelector(".confirm[open]") !== null

/** Replaces the parts with `data-live` (seconds) by what the page has there now; a refused form has another address. */
const refresh = async () => {
  const answer = await fetch(document.documentElement.dataset.address, {
    headers: { accept: "text/html" },
    redirect: "error"
  })
  if (!answer.ok || underWay.size > 0) return
  const now = new DOMParser().parseFromString(await answer.text(), "text/html")
  for (const part of document.querySelectorAll("[data-live]")) {
    const next = now.getElementById(part.id)
    if (next === null || isBusy(part)) continue
    if (contentOf(part) !== contentOf(next)) part.replaceChildren(...next.childNodes)
    if (next.dataset.live === undefined) delete part.dataset.live
  }
  showCopyButtons()
  dispatchEvent(new Event("peyk:refreshed"))
}

const keepUpToDate = () => {
  for (const name of ["pointerdown", "keydown", "scroll"]) {
    addEventListener(name, () => (touchedAt = Date.now()), { passive: true })
  }
  const next = () => {
    const part = document.querySelector("[data-live]")
    if (part === null) return
    setTimeout(
      async () => {
        if (isWatched()) await refresh().catch(() => {})
        next()
      },
      Number(part.dataset.live) * 1000
    )
  }
  next()
}

keepZone()
showCopyButtons()
copyOnClick()
closeOnLeave()
sendOnce()
keepUpToDate()
if (document.querySelector("[data-preview], [data-file-into]") !== null) await import("./forms.js")
if (document.querySelector("[data-chart]") !== null) await import("./charts.js")
