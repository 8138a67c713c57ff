/** Forms that show what they would do while they are filled in. Each works without this, by its buttons. */

const QUIET_MILLIS = 250

let running = null

/** What the server makes of the form with this button; null where something newer was asked since. */
const ask = async (form, button) => {
  running?.abort()
  const mine = new AbortController()
  running = mine
  const fields = new URLSearchParams(new FormData(form))
  fields.set("do", button)
  const answer = await fetch(form.action, {
    method: "POST",
    body: fields,
    headers: { accept: "text/html" },
    redirect: "error",
    signal: mine.signal
  })
  const text = await answer.text()
  return running === mine ? new DOMParser().parseFromString(text, "text/html") : null
}

const swap = (page, selector) => {
  const now = document.querySelector(selector)
  const next = page.querySelector(selector)
  const isTypedIn = now?.contains(document.activeElement) && document.activeElement.matches("input, textarea")
  if (now !== null && next !== null && !isTypedIn) now.replaceChildren(...next.childNodes)
}

const swapParts = (form, page) => {
  for (const id of form.dataset.preview.split(" ")) swap(page, `#${id}`)
  dispatchEvent(new Event("peyk:refreshed"))
}

const showPreview = async (form) => {
  const page = await ask(form, "preview").catch(() => null)
  if (page !== null) swapParts(form, page)
}

/** The parts that a form's `data-preview` names follow what is typed. */
const previewWhileTyping = (form) => {
  let timer = 0
  form.addEventListener("input", (event) => {
    if (event.target.type === "file") return
    clearTimeout(timer)
    timer = setTimeout(() => showPreview(form), QUIET_MILLIS)
  })
}

const rowsIn = (form) => [...form.querySelectorAll("[data-step]")]

/** After a step was moved, its button stays the one in focus; one that is off now gives it to its neighbour. */
const focusMoved = (form, button) => {
  const [verb, place] = button.split(":")
  const rows = rowsIn(form)
  const at = verb === "up" ? Number(place) - 1 : verb === "down" ? Number(place) + 1 : Number(place)
  const row = rows[Math.min(at, rows.length - 1)]
  const same = row?.querySelector(`[data-move="${verb}"]`)
  const other = row?.querySelector("[data-move]:not(:disabled)")
  ;(same === null || same === undefined || same.disabled ? other : same)?.focus()
}

const showOrder = async (form, button) => {
  const page = await ask(form, button)
  if (page === null) return
  swap(page, "[data-steps]")
  swapParts(form, page)
}

/** Buttons that change the steps do so without leaving the page. */
const moveByButtons = (form) => {
  form.addEventListener("submit", async (event) => {
    const button = event.submitter?.value ?? "preview"
    if (event.submitter?.name !== "do" || button === "save") return
    event.preventDefault()
    try {
      await showOrder(form, button)
      if (button === "add") rowsIn(form).at(-1)?.querySelector("select")?.focus()
      else if (button !== "preview") focusMoved(form, button)
    } catch (error) {
      if (error.name !== "AbortError") form.submit()
    }
  })
}

/** Steps are dragged by their grip, with a mouse or a finger. */
const moveByDragging = (form) => {
  form.addEventListener("pointerdown", (event) => {
    const step = event.target.closest("[data-grip]")?.closest("[data-step]")
    if (step === null || step === undefined || event.button !== 0) return
    event.preventDefault()
    step.classList.add("dragged")
    const follow = ({ clientY }) => {
      const over = rowsIn(form).find((row) => {
        const { top, bottom } = row.getBoundingClientRect()
        return row !== step && clientY > top && clientY < bottom
      })
      if (over === undefined) return
      const { top, height } = over.getBoundingClientRect()
      over.parentElement.insertBefore(step, clientY < top + height / 2 ? over : over.nextSibling)
    }
    const drop = () => {
      removeEventListener("pointermove", follow)
      step.classList.remove("dragged")
      showOrder(form, "preview").catch(() => {})
    }
    addEventListener("pointermove", follow)
    addEventListener("pointerup", drop, { once: true })
    addEventListener("pointercancel", drop, { once: true })
  })
}

/** A file with a byte order mark may be in UTF-16, as spreadsheets write it. */
const textOf = (bytes) => {
  const [first, second] = new Uint8Array(bytes)
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8"
  return new TextDecoder(encoding).decode(bytes)
}

/** A file's text goes into the field that the form is sent with. */
const readFiles = () => {
  for (const label of document.querySelectorAll("[data-file-into]")) {
    label.hidden = false
    const into = document.getElementById(label.dataset.fileInto)
    label.querySelector("input").addEventListener("change", async ({ target }) => {
      const [file] = target.files
      if (file !== undefined) into.value = textOf(await file.arrayBuffer())
    })
  }
}

for (const form of document.querySelectorAll("form[data-preview]")) previewWhileTyping(form)
for (const form of document.querySelectorAll("form[data-reorder]")) {
  moveByButtons(form)
  moveByDragging(form)
}
readFiles()
