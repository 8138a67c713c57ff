/** Forms that show what they would do while they are filled in. Each works without this, by its buttons. */

import { isChanged, replaceContent } from "./console.js"

const QUIET_MILLIS = 250

/** The preview that was asked for last: its timer, its request, and whether a part could not show it yet. */
const latest = { timer: 0, request: null, isHeldBack: false }

/** What was asked before somebody changed the form says nothing about the form as it is now. */
const forgetPreview = () => {
  clearTimeout(latest.timer)
  latest.request?.abort()
  latest.request = null
}

/** The page that the server makes of the form; null if somebody changed the form since. */
const ask = async (form) => {
  forgetPreview()
  const mine = new AbortController()
  latest.request = mine
  const fields = new URLSearchParams(new FormData(form))
  fields.set("do", "preview")
  const answer = await fetch(form.action, {
    method: "POST",
    body: fields,
    headers: { accept: "text/html" },
    redirect: "error",
    signal: mine.signal
  })
  const text = await answer.text()
  return latest.request === mine ? new DOMParser().parseFromString(text, "text/html") : null
}

/** The address keeps the fields that `data-kept` names, and no others: Back and a reload show the same form. */
const keepInAddress = (form) => {
  const names = form.dataset.kept?.split(" ")
  if (names === undefined) return
  const fields = [...new FormData(form)].filter(([name]) => names.includes(name))
  history.replaceState(history.state, "", `${form.getAttribute("action")}?${new URLSearchParams(fields)}`)
}

/** A field that somebody types in, or a list that they have open, stays where it is. */
const isInUse = (field) =>
  field.matches("input, textarea") || (CSS.supports("selector(:open)") && field.matches("select:open"))

const swap = (page, id) => {
  const [part, next] = [document.getElementById(id), page.getElementById(id)]
  if (part === null || next === null) return
  const isHeldBack = part.contains(document.activeElement) && isInUse(document.activeElement)
  if (isHeldBack) latest.isHeldBack = true
  else replaceContent(part, next)
}

const showPreview = async (form) => {
  keepInAddress(form)
  const page = await ask(form).catch(() => null)
  if (page === null) return
  latest.isHeldBack = false
  for (const id of form.dataset.preview.split(" ")) swap(page, id)
  dispatchEvent(new Event("peyk:refreshed"))
}

/** The parts that a form's `data-preview` names follow what is typed. */
const previewWhileTyping = (form) => {
  form.addEventListener("input", (event) => {
    if (event.target.type === "file") return
    forgetPreview()
    keepInAddress(form)
    latest.timer = setTimeout(() => showPreview(form), QUIET_MILLIS)
  })
  // after the focus moved
  form.addEventListener("focusout", () => {
    if (latest.isHeldBack) setTimeout(() => latest.isHeldBack && showPreview(form))
  })
  form.addEventListener("submit", forgetPreview)
  const fields = () => [...form.elements].filter((field) => field.matches("input, select, textarea"))
  const showIfChanged = () => fields().some(isChanged) && showPreview(form)
  // Back: the browser has put in what was typed before
  addEventListener("pageshow", showIfChanged)
  // somebody was faster than this script
  if (document.readyState === "complete") showIfChanged()
}

const rowsIn = (form) => [...form.querySelectorAll("[data-step]")]

const numberWords = (number) =>
  new Intl.NumberFormat(document.documentElement.lang === "fa" ? "fa-IR" : "en").format(number)

/** Each step says its place, and its buttons name it. */
const renumber = (form) => {
  const rows = rowsIn(form)
  for (const [index, row] of rows.entries()) {
    const place = numberWords(index + 1)
    row.querySelector("[data-place]").textContent = place
    for (const words of row.querySelectorAll(".hidden")) {
      words.textContent = words.textContent.replace(/[\d۰-۹]+/, place)
    }
    for (const button of row.querySelectorAll("[data-move]")) {
      const verb = button.dataset.move
      button.value = `${verb}:${index}`
      button.disabled = (verb === "up" && index === 0) || (verb === "down" && index === rows.length - 1)
    }
  }
}

const afterMove = (form) => {
  renumber(form)
  form.dispatchEvent(new Event("peyk:changed"))
  showPreview(form)
}

/** After a step was moved, its button stays the one in focus; one that is off now gives it to its neighbour. */
const focusMoved = (form, row, button) => {
  const same = row.isConnected && !button.disabled ? button : null
  const near = row.isConnected ? row : rowsIn(form).at(-1)
  ;(same ?? near?.querySelector("[data-move]:not(:disabled)"))?.focus()
}

const moveStep = (form, button) => {
  const row = button.closest("[data-step]")
  const verb = button.dataset.move
  if (verb === "up") row.previousElementSibling?.before(row)
  else if (verb === "down") row.nextElementSibling?.after(row)
  else row.remove()
  afterMove(form)
  focusMoved(form, row, button)
}

/** Ids of fields that were added: the page's own end with smaller numbers. */
let added = 100

const addStep = (form) => {
  const { content, dataset } = form.querySelector("[data-new-step]")
  const target = form.querySelector('[name="added"]').value
  if (target === "" || rowsIn(form).length >= Number(dataset.most)) return
  const row = content.cloneNode(true).firstElementChild
  added += 1
  for (const element of row.querySelectorAll("[id], [for]")) {
    for (const name of ["id", "for"]) {
      if (element.hasAttribute(name)) {
        element.setAttribute(name, element.getAttribute(name).replace(/\d+$/, String(added)))
      }
    }
  }
  row.querySelector("select").value = target
  form.querySelector("[data-steps]").append(row)
  afterMove(form)
  row.querySelector("select").focus()
}

/** Buttons that change the steps do so at once, whatever else was changed and not saved. */
const moveByButtons = (form) => {
  form.addEventListener("submit", (event) => {
    const button = event.submitter
    if (button?.name !== "do" || button.value === "save") return
    event.preventDefault()
    if (button.value === "add") addStep(form)
    else if (button.dataset.move !== undefined) moveStep(form, button)
    else showPreview(form)
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
      afterMove(form)
    }
    addEventListener("pointermove", follow)
    addEventListener("pointerup", drop, { once: true })
    addEventListener("pointercancel", drop, { once: true })
  })
}

/** What somebody changed and did not save is marked, and not lost without a question. */
const guardUnsaved = (form) => {
  const mark = form.querySelector("[data-unsaved]")
  let isLeaving = false
  const isUnsaved = () => {
    const { saved } = form.dataset
    const fields = [...new FormData(form)].filter(([name]) =>
      ["order", "target", "wait", "template", "on_request"].includes(name)
    )
    return JSON.stringify(fields.map(([, value]) => value)) !== saved
  }
  const show = () => (mark.hidden = !isUnsaved())
  for (const name of ["input", "peyk:changed"]) form.addEventListener(name, show)
  form.addEventListener("submit", (event) => (isLeaving = !event.defaultPrevented))
  form.querySelector("[data-discard]").addEventListener("click", () => (isLeaving = true))
  addEventListener("pageshow", () => ((isLeaving = false), show()))
  addEventListener("beforeunload", (event) => {
    if (!isLeaving && isUnsaved()) event.preventDefault()
  })
}

/** A file with a byte order mark may be in UTF-16, as spreadsheets write it. */
const textOf = (bytes) => {
  const [first, second] = new Uint8Array(bytes)
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8"
  return new TextDecoder(encoding).decode(bytes)
}

/** A file's text goes into the field that the form is sent with. It replaces typed text only if the person agrees. */
const readFiles = () => {
  for (const label of document.querySelectorAll("[data-file-into]")) {
    label.hidden = false
    const into = document.getElementById(label.dataset.fileInto)
    const input = label.querySelector("input")
    let filled = ""
    input.addEventListener("change", async () => {
      const [file] = input.files
      if (file === undefined) return
      const text = textOf(await file.arrayBuffer())
      if (input.files[0] !== file) return
      const isTyped = into.value.trim() !== "" && into.value !== filled
      if (isTyped && !confirm(label.dataset.replaces)) return (input.value = "")
      into.value = text
      filled = into.value
    })
  }
}

const STRONG = /[A-Za-z\u00C0-\u024F\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFF]/

/** A text is written in the direction of its first letter; the names of parameters do not count. */
const followDirection = (field) => {
  const follow = () => {
    const [letter] = STRONG.exec(field.value.replaceAll(/\{\{[^{}]*\}\}/g, "")) ?? []
    field.dir = letter === undefined ? "auto" : /[A-Za-z\u00C0-\u024F]/.test(letter) ? "ltr" : "rtl"
  }
  field.addEventListener("input", follow)
  addEventListener("pageshow", follow)
}

for (const field of document.querySelectorAll("[data-direction]")) followDirection(field)
for (const form of document.querySelectorAll("form[data-preview]")) previewWhileTyping(form)
for (const form of document.querySelectorAll("form[data-reorder]")) {
  moveByButtons(form)
  moveByDragging(form)
  guardUnsaved(form)
}
readFiles()
