/** A calendar for fields of times: that of Iran on Persian pages. The fields are typed in without it, too. */

const isPersian = document.documentElement.lang === "fa"
const isRtl = document.documentElement.dir === "rtl"
const DAY = 86_400_000
/** Persian weeks begin on Saturday. */
const FIRST_DAY = isPersian ? 6 : 1
const say = (english, persian) => (isPersian ? persian : english)

const parts = new Intl.DateTimeFormat(isPersian ? "en-u-ca-persian-nu-latn" : "en-u-ca-gregory-nu-latn", {
  timeZone: "UTC",
  year: "numeric",
  month: "numeric",
  day: "numeric"
})
const tag = isPersian ? "fa-IR-u-ca-persian-nu-arabext" : "en-GB"
const format = (options) => new Intl.DateTimeFormat(tag, { timeZone: "UTC", ...options })
const monthFormat = format({ month: "long", year: "numeric" })
/** The month before the year, in either language. */
const monthText = (day) => {
  const found = Object.fromEntries(monthFormat.formatToParts(day).map(({ type, value }) => [type, value]))
  return `${found.month} ${found.year}`
}
const wholeFormat = format({ weekday: "long", day: "numeric", month: "long", year: "numeric" })
const dayFormat = new Intl.NumberFormat(isPersian ? "fa-IR-u-nu-arabext" : "en-GB", { useGrouping: false })
const weekdayFormat = format({ weekday: "narrow" })
const weekdayLong = format({ weekday: "long" })

/** Days are their beginnings in UTC. */
const partsOf = (day) => {
  const found = Object.fromEntries(parts.formatToParts(day).map(({ type, value }) => [type, Number(value)]))
  return { year: found.year, month: found.month, date: found.day }
}

const firstOfMonth = (day) => day - (partsOf(day).date - 1) * DAY
const nextMonth = (day) => firstOfMonth(firstOfMonth(day) + 32 * DAY)
const lastMonth = (day) => firstOfMonth(firstOfMonth(day) - DAY)
const sameDateIn = (month, date) => Math.min(month + (date - 1) * DAY, nextMonth(month) - DAY)

const pad = (number, length = 2) => String(number).padStart(length, "0")
const toPersian = (text) => text.replaceAll(/\d/g, (digit) => String.fromCharCode(0x06f0 + Number(digit)))
const toLatin = (text) =>
  text
    .replaceAll(/[۰-۹]/g, (digit) => String(digit.charCodeAt(0) - 0x06f0))
    .replaceAll(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x0660))

const textOf = (day) => {
  const { year, month, date } = partsOf(day)
  const text = [pad(year, 4), pad(month), pad(date)].join(isPersian ? "/" : "-")
  return isPersian ? toPersian(text) : text
}

/** The day and the time that a field has; a day of the other calendar is none here: the server shows its own. */
const read = (field) => {
  const [, year, month, date, time = ""] =
    /^\s*(\d{4})[/-](\d{1,2})[/-](\d{1,2})(?:[T\s]+(\d{1,2}:\d\d))?/.exec(toLatin(field.value)) ?? []
  if (year === undefined) return { day: null, time: "" }
  const wanted = { year: Number(year), month: Number(month), date: Number(date) }
  // near the day, then to it
  const near = isPersian
    ? Date.UTC(wanted.year + 621, 2, 21) + ((wanted.month - 1) * 30.44 + wanted.date - 1) * DAY
    : Date.UTC(wanted.year, wanted.month - 1, wanted.date)
  const begin = Math.floor(near / DAY) * DAY
  for (let off = -4; off <= 4; off++) {
    const found = partsOf(begin + off * DAY)
    if (found.year === wanted.year && found.month === wanted.month && found.date === wanted.date)
      return { day: begin + off * DAY, time }
  }
  return { day: null, time }
}

const today = () => {
  const local = new Intl.DateTimeFormat("en-CA", {
    timeZone: "Asia/Tehran",
    year: "numeric",
    month: "2-digit",
    day: "2-digit"
  })
  return Date.parse(`${local.format(Date.now())}T00:00:00Z`)
}

const make = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...children)
  return element
}

const dialog = make("dialog", { className: "calendar" })
const state = { field: null, day: 0, button: null }

/** The other end of the range. */
const otherOf = (field) =>
  field.form?.querySelector(`[data-date="${field.dataset.date === "from" ? "to" : "from"}"]`) ?? null

const isBetween = (day) => {
  const other = otherOf(state.field)
  const [own, end] = [read(state.field).day, other === null ? null : read(other).day]
  if (own === null || end === null) return false
  return day >= Math.min(own, end) && day <= Math.max(own, end)
}

const choose = (day) => {
  const { time } = read(state.field)
  const kept = time === "" ? "" : ` ${isPersian ? toPersian(time) : time}`
  state.field.value = `${textOf(day)}${kept}`
  state.field.dispatchEvent(new Event("change", { bubbles: true }))
  dialog.close()
}

const move = (day, isFocused = true) => {
  state.day = day
  draw()
  if (isFocused) dialog.querySelector('[tabindex="0"][data-day]')?.focus()
}

const dayButton = (day) => {
  const button = make("button", {
    type: "button",
    className: "day",
    textContent: dayFormat.format(partsOf(day).date)
  })
  button.dataset.day = String(day)
  button.tabIndex = day === state.day ? 0 : -1
  button.setAttribute("aria-label", wholeFormat.format(day))
  if (day === read(state.field).day) button.setAttribute("aria-pressed", "true")
  if (day === today()) button.setAttribute("aria-current", "date")
  if (isBetween(day)) button.classList.add("between")
  button.addEventListener("click", () => choose(day))
  return button
}

const weekRows = () => {
  const first = firstOfMonth(state.day)
  const end = nextMonth(state.day)
  const lead = (new Date(first).getUTCDay() - FIRST_DAY + 7) % 7
  const cells = [...Array(lead).fill(null)]
  for (let day = first; day < end; day += DAY) cells.push(day)
  const rows = []
  while (cells.length > 0) {
    const week = cells.splice(0, 7)
    rows.push(
      make(
        "tr",
        {},
        ...Array.from({ length: 7 }, (_, nth) =>
          make("td", {}, ...(week[nth] == null ? [] : [dayButton(week[nth])]))
        )
      )
    )
  }
  return rows
}

const weekHead = () => {
  const saturday = Date.UTC(2026, 10, 28)
  return Array.from({ length: 7 }, (_, nth) => {
    const day = saturday + ((FIRST_DAY - 6 + 7 + nth) % 7) * DAY
    return make("th", { scope: "col", abbr: weekdayLong.format(day), textContent: weekdayFormat.format(day) })
  })
}

const step = (label, className, to) => {
  const button = make("button", { type: "button", className: `button small quiet ${className}` })
  button.setAttribute("aria-label", label)
  button.addEventListener("click", () => {
    move(to(), false)
    dialog.querySelector(`.${className}`)?.focus()
  })
  return button
}

const draw = () => {
  const { date } = partsOf(state.day)
  const title = make("strong", { textContent: monthText(state.day), ariaLive: "polite" })
  title.id = "calendar-title"
  const todayButton = make("button", {
    type: "button",
    className: "button small",
    textContent: say("Today", "امروز")
  })
  todayButton.addEventListener("click", () => choose(today()))
  const clear = make("button", {
    type: "button",
    className: "button small quiet",
    textContent: say("Clear", "پاک کردن")
  })
  clear.addEventListener("click", () => {
    state.field.value = ""
    dialog.close()
  })
  const cancel = make("button", {
    type: "button",
    className: "button small quiet",
    textContent: say("Cancel", "انصراف")
  })
  cancel.addEventListener("click", () => dialog.close())
  dialog.replaceChildren(
    make(
      "div",
      { className: "calendar-head" },
      step(say("Previous month", "ماه قبل"), "earlier", () => sameDateIn(lastMonth(state.day), date)),
      title,
      step(say("Next month", "ماه بعد"), "later", () => sameDateIn(nextMonth(state.day), date))
    ),
    make("table", {}, make("thead", {}, make("tr", {}, ...weekHead())), make("tbody", {}, ...weekRows())),
    make("div", { className: "calendar-foot" }, todayButton, clear, cancel)
  )
}

const weekday = (day) => (new Date(day).getUTCDay() - FIRST_DAY + 7) % 7

const onKey = (event) => {
  if (event.target.dataset.day === undefined) return
  const { day } = state
  const { date } = partsOf(day)
  const side = isRtl ? -1 : 1
  const to = {
    ArrowLeft: day - side * DAY,
    ArrowRight: day + side * DAY,
    ArrowUp: day - 7 * DAY,
    ArrowDown: day + 7 * DAY,
    Home: day - weekday(day) * DAY,
    End: day + (6 - weekday(day)) * DAY,
    PageUp: sameDateIn(lastMonth(day), date),
    PageDown: sameDateIn(nextMonth(day), date)
  }[event.key]
  if (to === undefined) return
  event.preventDefault()
  move(to)
}

const open = (button) => {
  state.button = button
  state.field = document.getElementById(button.dataset.dateOpen)
  dialog.setAttribute("aria-label", button.textContent.trim())
  state.day = read(state.field).day ?? today()
  draw()
  const { left, right, bottom, top } = state.field.getBoundingClientRect()
  dialog.showModal()
  const { offsetWidth, offsetHeight } = dialog
  const start = isRtl ? right - offsetWidth : left
  const below = bottom + 6 + offsetHeight > innerHeight ? Math.max(8, top - offsetHeight - 6) : bottom + 6
  dialog.style.left = `${Math.min(Math.max(8, start), innerWidth - offsetWidth - 8)}px`
  dialog.style.top = `${below}px`
  dialog.querySelector('[tabindex="0"][data-day]').focus()
}

document.body.append(dialog)
dialog.addEventListener("keydown", onKey)
dialog.addEventListener("click", (event) => event.target === dialog && dialog.close())
dialog.addEventListener("close", () => state.button?.focus())
for (const button of document.querySelectorAll("[data-date-open]")) button.hidden = false
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-date-open]")
  if (button !== null) open(button)
})
