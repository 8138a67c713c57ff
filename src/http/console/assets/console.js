/** What pages can do beyond reading and forms: the viewer's time zone, copying, and keeping lists up to date. */

const YEAR_SECONDS = 31_536_000

const keepZone = () => {
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone
  const secure = location.protocol === "https:" ? "; secure" : ""
  document.cookie = `peyk_zone=${zone}; path=/console; max-age=${YEAR_SECONDS}; samesite=lax${secure}`
}

/** `data-copy` is copied; `data-copied` then says so. */
const copyOnClick = () => {
  for (const button of document.querySelectorAll("button[data-copy]")) button.hidden = false
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button[data-copy]")
    if (button === null) return
    await navigator.clipboard.writeText(button.dataset.copy)
    const label = button.textContent
    button.textContent = button.dataset.copied
    setTimeout(() => {
      button.textContent = label
    }, 1500)
  })
}

/** `data-confirm` is asked before a form is sent. */
const confirmForms = () => {
  document.addEventListener("submit", (event) => {
    const question = event.submitter?.dataset.confirm ?? event.target.dataset.confirm
    if (question !== undefined && !confirm(question)) event.preventDefault()
  })
}

/** A page that nobody looks at, or touches for this long, is not kept up to date: its session may end. */
const ATTENTION_MILLIS = 20 * 60_000
let touchedAt = Date.now()

const isWatched = () => document.visibilityState === "visible" && Date.now() - touchedAt < ATTENTION_MILLIS

/** Replaces the parts with `data-live` (seconds) by what the page has there now, unless somebody is at work in one. */
const refresh = async () => {
  const answer = await fetch(location.href, { headers: { accept: "text/html" }, redirect: "error" })
  if (!answer.ok) return
  const now = new DOMParser().parseFromString(await answer.text(), "text/html")
  for (const part of document.querySelectorAll("[data-live]")) {
    const next = now.getElementById(part.id)
    if (next === null || part.contains(document.activeElement)) continue
    if (part.innerHTML !== next.innerHTML) part.replaceChildren(...next.childNodes)
    if (next.dataset.live === undefined) delete part.dataset.live
  }
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
copyOnClick()
confirmForms()
keepUpToDate()
