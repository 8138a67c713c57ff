/** The elements of the page, made once, and what they show of a state. */
import { groupedPhone, latinDigits, shownDigits } from "./Digits.ts"
import { h, setText } from "./Dom.ts"
import type { State } from "./State.ts"
import type { Words } from "./Words.ts"

/** What the visitor can do. */
export interface Actions {
  readonly send: () => void
  readonly verify: () => void
  readonly other: (channel?: string) => void
  readonly change: () => void
}

export interface View {
  readonly root: HTMLElement
  readonly phone: HTMLInputElement
  readonly code: HTMLInputElement
  readonly show: (state: State, now: number) => void
  readonly focus: (step: State["step"]) => void
}

type Level = "h1" | "h2"

let made = 0

/** The phone is grouped while it is typed. The caret stays behind the digit that it was behind. */
const groupsDigits = (input: HTMLInputElement, isPersian: boolean) => () => {
  const caret = input.selectionStart ?? input.value.length
  const isAtEnd = caret === input.value.length
  const before = latinDigits(input.value.slice(0, caret)).length
  const grouped = groupedPhone(input.value)
  input.value = shownDigits(grouped, isPersian)
  if (isAtEnd) return
  let place = 0
  for (let seen = 0; seen < before && place < grouped.length; place++) if (grouped[place] !== " ") seen++
  input.setSelectionRange(place, place)
}

const button = (kind: string, text: string, run?: () => void): HTMLButtonElement => {
  const made = h("button", { type: run === undefined ? "submit" : "button", class: kind }, text)
  if (run !== undefined) made.addEventListener("click", run)
  return made
}

const form = (submit: () => void, ...children: ReadonlyArray<Node>): HTMLFormElement => {
  const made = h("form", { class: "pk-form", novalidate: "" }, ...children)
  made.addEventListener("submit", (event) => {
    event.preventDefault()
    submit()
  })
  return made
}

/** A page has one heading of the first level. */
const headingIn = (level: Level, text = "") => h(level, { class: "pk-heading" }, text)

const errorText = (id: string) => h("p", { id, class: "pk-error", role: "alert" })

interface Part {
  readonly root: HTMLElement
  readonly input: HTMLInputElement
  readonly show: (state: State, now: number) => void
}

const phonePart = (words: Words, isPersian: boolean, actions: Actions, level: Level): Part => {
  const id = `pk-phone-${made}`
  const input = h("input", {
    id,
    class: "pk-input pk-phone",
    type: "tel",
    name: "phone",
    autocomplete: "tel",
    dir: "ltr",
    required: "",
    enterkeyhint: "send",
    "aria-describedby": `${id}-error`,
    placeholder: shownDigits("0912 123 4567", isPersian)
  })
  input.addEventListener("input", groupsDigits(input, isPersian))
  const error = errorText(`${id}-error`)
  const heading = headingIn(level, words.heading)
  const label = h("label", { class: "pk-label", for: id }, words.phone)
  const root = form(
    actions.send,
    h("div", {}, heading, h("p", { class: "pk-intro" }, words.intro)),
    h("div", {}, label, input, error),
    button("pk-button", words.send)
  )
  return {
    root,
    input,
    show: (state) => {
      setText(error, state.error)
      input.setAttribute("aria-invalid", String(state.error === words.badPhone))
    }
  }
}

/** One field that looks like boxes: the boxes only mirror it. */
const codeField = (id: string, words: Words, isPersian: boolean, verify: () => void) => {
  const input = h("input", {
    id,
    class: "pk-hidden",
    type: "text",
    name: "code",
    autocomplete: "one-time-code",
    inputmode: "numeric",
    dir: "ltr",
    required: "",
    enterkeyhint: "done",
    "aria-describedby": `${id}-error`
  })
  const slots = h("div", { class: "pk-slots", "aria-hidden": "true" })
  const box = h("div", { class: "pk-code" }, slots, input)
  let length = 0
  const mirror = () => {
    const typed = input.value
    Array.from(slots.children).forEach((slot, place) => {
      setText(slot, shownDigits(typed[place] ?? "", isPersian))
      slot.classList.toggle("pk-now", place === Math.min(typed.length, length - 1))
    })
  }
  input.addEventListener("input", () => {
    input.value = latinDigits(input.value).slice(0, length)
    box.classList.remove("pk-bad")
    mirror()
    if (input.value.length === length) verify()
  })
  const resize = (digits: number) => {
    if (digits === length) return
    length = digits
    slots.replaceChildren(...Array.from({ length }, () => h("span", { class: "pk-slot" })))
    slots.style.setProperty("--pk-digits", String(length))
    mirror()
  }
  const label = h("label", { class: "pk-label", for: id }, words.code)
  return { root: h("div", {}, label, box), label, input, box, resize, mirror }
}

const codePart = (words: Words, isPersian: boolean, actions: Actions, level: Level): Part => {
  const id = `pk-code-${made}`
  const field = codeField(id, words, isPersian, actions.verify)
  const heading = headingIn(level)
  const sent = h("p", { role: "status" })
  const number = h("bdi", { dir: "ltr" })
  const error = errorText(`${id}-error`)
  field.root.append(error)
  const notice = h("p", { class: "pk-notice", role: "status" })
  const wait = h("span", { class: "pk-wait" })
  const again = button("pk-link", words.again, actions.send)
  const other = button("pk-link", words.other, () => actions.other())
  const submit = button("pk-button", words.verify)
  const fresh = button("pk-button", words.fresh, actions.send)
  const links = h("div", { class: "pk-links" }, wait, again, other)
  const ways = h("div", { class: "pk-links" })
  let offered = ""
  /** A button for each. They stay as they are while the channels do, so that the focus stays too. */
  const offer = (channels: State["ways"]) => {
    if (String(channels) === offered) return
    offered = String(channels)
    ways.replaceChildren(
      ...channels.map((each) => button("pk-link", words.way(each), () => actions.other(each)))
    )
  }
  const change = button("pk-link", words.change, actions.change)
  const to = h("p", { class: "pk-number" }, number, change)
  const about = h("div", { class: "pk-intro" }, sent, to)
  const root = form(
    () => (submit.hidden ? actions.send() : actions.verify()),
    h("div", {}, heading, about),
    field.root,
    notice,
    submit,
    fresh,
    links,
    ways
  )
  return {
    root,
    input: field.input,
    show: (state, now) => {
      const seconds = Math.max(0, Math.ceil((state.againAt - now) / 1000))
      const isOpen = state.step === "code"
      field.resize(state.codeLength)
      if (state.error === "" || !isOpen) field.box.classList.remove("pk-bad")
      setText(heading, isOpen ? words.codeHeading : words.over)
      sent.hidden = !isOpen
      setText(sent, words.sent(state.channel, state.codeLength))
      setText(number, shownDigits(groupedPhone(state.phone), isPersian))
      setText(error, state.error)
      setText(notice, state.notice)
      setText(wait, words.againIn(seconds))
      field.label.hidden = field.box.hidden = submit.hidden = links.hidden = !isOpen
      fresh.hidden = isOpen
      wait.hidden = seconds === 0
      again.hidden = seconds > 0
      other.hidden = !state.hasOther
      offer(state.ways)
      ways.hidden = !isOpen || offered === ""
      const isWrong = isOpen && state.error !== "" && field.input.value === ""
      field.box.classList.toggle("pk-bad", isWrong)
      field.input.setAttribute("aria-invalid", String(isWrong))
      field.mirror()
    }
  }
}

export const makeView = (words: Words, isPersian: boolean, actions: Actions): View => {
  made++
  const level = document.querySelector("h1") === null ? "h1" : "h2"
  const phone = phonePart(words, isPersian, actions, level)
  const code = codePart(words, isPersian, actions, level)
  const done = h("div", { class: "pk-done", role: "status" })
  const root = h("div", { class: "pk" }, phone.root, code.root, done)
  return {
    root,
    phone: phone.input,
    code: code.input,
    show: (state, now) => {
      phone.root.hidden = state.step !== "phone"
      code.root.hidden = state.step !== "code" && state.step !== "ended"
      done.hidden = state.step !== "done"
      root.setAttribute("aria-busy", String(state.busy))
      if (state.step === "phone") phone.show(state, now)
      else if (state.step !== "done") code.show(state, now)
      else if (done.childElementCount === 0)
        done.append(h("span", { class: "pk-tick" }), headingIn(level, words.done))
    },
    focus: (step) => {
      if (step === "phone") phone.input.focus()
      else if (step === "code") code.input.focus()
      else if (step === "ended") code.root.querySelector<HTMLElement>(".pk-button:not([hidden])")?.focus()
    }
  }
}
