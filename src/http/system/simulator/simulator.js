const SOURCE = "/simulator/messages",
  LIMIT = 200,
  EVERY = 2000,
  GAP = 10 * 60000,
  STORE = "peyk.simulator.seen"
const NAMES = {
  eitaa: "Eitaa",
  bale: "Bale",
  soroushplus: "Soroush+",
  rubika: "Rubika",
  telegram: "Telegram",
  sms: "SMS"
}
const $ = (id) => document.getElementById(id),
  make = (tag) => document.createElement(tag)
const clone = (id) => $(id).content.firstElementChild.cloneNode(true)
const put = (el, text) => {
  if (el.textContent !== text) el.textContent = text
}
const paint = (el, channel) => {
  if (el.dataset.ch !== channel) el.dataset.ch = channel
}
let all = [],
  history = [],
  chosen = null,
  known = null,
  seen = null,
  shown = [],
  shownFor = null
let busy = false,
  again = false,
  timer = 0

// Time, always in Tehran
const zone = (locale, options) =>
  new Intl.DateTimeFormat(locale, Object.assign({ timeZone: "Asia/Tehran" }, options))
const fTime = zone("en-GB", { timeStyle: "medium" }),
  fHour = zone("en-GB", { timeStyle: "short" }),
  fKey = zone("en-CA", { dateStyle: "short" })
const fDay = zone("en-GB", { weekday: "long", day: "numeric", month: "long" })
const fFull = zone("en-GB", { dateStyle: "full", timeStyle: "medium" }),
  fJalali = zone("fa-IR-u-ca-persian", { dateStyle: "long" })
function day(t) {
  const key = fKey.format(t),
    now = Date.now()
  return key === fKey.format(now) ? "Today" : key === fKey.format(now - 864e5) ? "Yesterday" : fDay.format(t)
}
function ago(t, short) {
  const s = Math.max(0, Math.round((Date.now() - t) / 1000))
  if (s < 10) return short ? "now" : "just now"
  const n =
    s < 60
      ? [s, "s", "s"]
      : s < 3600
        ? [s / 60, "m", " min"]
        : s < 86400
          ? [s / 3600, "h", " h"]
          : [s / 86400, "d", " d"]
  return Math.floor(n[0]) + (short ? n[1] : n[2] + " ago")
}
function tick(el) {
  const t = Number(el.dataset.at),
    mode = el.dataset.mode
  put(
    el,
    mode === "short" ? ago(t, true) : (mode === "day" ? day(t) + " " : "") + fTime.format(t) + " · " + ago(t)
  )
}
function stamp(el, t, mode) {
  if (el.dataset.at !== String(t)) {
    el.dateTime = new Date(t).toISOString()
    el.title = fFull.format(t) + " (Tehran) · " + fJalali.format(t)
    Object.assign(el.dataset, { at: t, mode })
  }
  tick(el)
}

// Phones and channels
const pretty = (phone) => phone.replace(/^\+98(\d{3})(\d{3})(\d{4})$/, "+98 $1 $2 $3")
const digits = (s) => s.replace(/[۰-۹٠-٩]/g, (c) => c.charCodeAt(0) & 15).replace(/\D/g, "")
const whole = (s) => {
  const m = /^(?:0098|98|0)?(9\d{9})$/.exec(digits(s))
  return m ? "+98" + m[1] : null
}
const fromHash = () => whole(location.hash.replace(/%2B/gi, ""))
function badge(el, channel, extra) {
  el.className = "badge"
  paint(el, channel)
  el.textContent = (Object.hasOwn(NAMES, channel) ? NAMES[channel] : channel) + (extra || "")
  return el
}

// Copying: the clipboard API is missing on plain http, hence the fallback
function viaSelection(text) {
  const area = make("textarea"),
    focus = document.activeElement
  area.value = text
  area.className = "sr"
  document.body.append(area)
  area.select()
  const ok = document.execCommand("copy")
  area.remove()
  focus?.focus({ preventScroll: true })
  return ok
}
function copyable(button, what, text) {
  button.append(clone("t-copy"))
  const label = button.querySelector(".label")
  let back = 0
  const show = (ok, word, spoken) => {
    button.classList.toggle("ok", ok)
    label.textContent = word
    $("say").textContent = spoken
  }
  button.addEventListener("click", async () => {
    const ok = await Promise.resolve()
      .then(() => navigator.clipboard.writeText(text()))
      .then(
        () => true,
        () => viaSelection(text())
      )
    show(ok, ok ? "Copied" : "Failed", ok ? what + " copied" : "Copying failed")
    clearTimeout(back)
    back = setTimeout(() => show(false, "Copy", ""), 1800)
  })
}
// Only a plain number goes into a command that people paste into a shell
const curl = (phone) =>
  [
    "curl -X POST " + location.origin + "/v1/otp/send",
    '-H "X-API-Key: $PEYK_API_KEY"',
    '-H "Idempotency-Key: $(uuidgen)"',
    '-H "Content-Type: application/json"',
    '-d \'{"phone":"' +
      (/^\+\d+$/.test(phone) ? phone : "09121234567") +
      '",\n       "channels":["bale","eitaa"]}\''
  ].join(" \\\n  ")
document.querySelectorAll(".curl").forEach((box) => {
  const pre = box.querySelector("pre")
  pre.textContent = curl("")
  copyable(box.querySelector("button"), "Request", () => pre.textContent)
})
$("all-channels").append(...Object.keys(NAMES).map((c) => badge(make("span"), c)))

// Unread marks, kept across reloads where storage is allowed
try {
  seen = JSON.parse(localStorage.getItem(STORE))
} catch {
  seen = null
}
function markRead(phone, t) {
  if (t <= (seen[phone] || 0)) return
  seen[phone] = t
  try {
    localStorage.setItem(STORE, JSON.stringify(seen))
  } catch {
    return
  }
}

// Data: oldest first from here on; equal messages get a running number
async function get(url) {
  const answer = await fetch(url, {
    cache: "no-store",
    headers: { accept: "application/json" },
    signal: AbortSignal.timeout(10000)
  })
  if (!answer.ok) throw new Error("HTTP " + answer.status)
  const body = await answer.json(),
    times = new Map()
  return body.data.toReversed().map((m) => {
    const t = Date.parse(m.at) || 0,
      key = JSON.stringify([t, m.phone, m.channel, m.text]),
      n = times.get(key) || 0
    times.set(key, n + 1)
    return {
      key: key + n,
      t,
      phone: String(m.phone),
      channel: String(m.channel),
      text: String(m.text),
      code: m.code ? String(m.code) : ""
    }
  })
}
function status(state, text) {
  $("status").dataset.state = state
  put($("status").lastElementChild, text)
}
async function poll() {
  clearTimeout(timer)
  if (busy) {
    again = true
    return
  }
  if (document.hidden) {
    status("paused", "Paused")
    return
  }
  busy = true
  try {
    const list = await get(SOURCE),
      phone = chosen
    // A busy server cuts the list at LIMIT: then ask for the open phone's own messages too
    const own = phone && list.length >= LIMIT ? await get(SOURCE + "?phone=" + encodeURIComponent(phone)) : []
    all = list
    if (phone === chosen) history = own
    status("live", "Live")
    render()
  } catch (error) {
    if (!known) $("hero").hidden = false
    status(
      "error",
      error.message.startsWith("HTTP") ? "Server answered " + error.message : "Server unreachable, retrying"
    )
  }
  busy = false
  timer = setTimeout(poll, again ? 0 : EVERY)
  again = false
}

// Drawing
function render() {
  const fresh = known ? all.filter((m) => !known.has(m.key)) : [],
    last = fresh.at(-1)
  const union = history.length > 0 ? all.filter((m) => m.phone !== chosen).concat(history) : all
  const phones = Map.groupBy(union, (m) => m.phone),
    order = [...phones.values()].sort((a, b) => b.at(-1).t - a.at(-1).t)
  known = new Set(all.map((m) => m.key))
  $("hero").hidden = order.length > 0
  $("app").hidden = order.length === 0
  if (seen === null || typeof seen !== "object") {
    seen = {}
    order.forEach((list) => markRead(list[0].phone, list.at(-1).t))
  }
  if (order.length === 0) {
    chosen = fromHash()
    return
  }
  chosen ??= order[0][0].phone
  const mine = phones.get(chosen) || []
  if (mine.length > 0 && !document.hidden) markRead(chosen, mine.at(-1).t)
  drawList(order)
  drawChat(mine, new Set(fresh.map((m) => m.key)))
  put($("clock"), fHour.format(Date.now()))
  if (last)
    $("say").textContent = "New message for " + pretty(last.phone) + (last.code ? ", code " + last.code : "")
}
function drawList(order) {
  const ul = $("list"),
    want = digits($("filter").value),
    focus = document.activeElement,
    rows = new Map([...ul.children].map((li) => [li.dataset.phone, li]))
  let waiting = 0,
    hits = 0
  for (const list of order) {
    const last = list.at(-1),
      phone = last.phone,
      bare = digits(phone),
      unread = list.filter((m) => m.t > (seen[phone] || 0)).length
    if (unread > 0) waiting += 1
    if (!(bare + " " + bare.replace(/^98/, "0") + " 00" + bare).includes(want)) continue
    const li = rows.get(phone) || clone("t-row"),
      row = li.firstElementChild,
      [face, number, time, preview, dot] = row.children
    if (!rows.delete(phone)) {
      li.dataset.phone = phone
      row.addEventListener("click", () => choose(phone))
    }
    row.setAttribute("aria-current", String(phone === chosen))
    row.classList.toggle("unread", unread > 0)
    paint(face, last.channel)
    put(face, phone.slice(-2))
    put(number, pretty(phone))
    stamp(time, last.t, "short")
    put(preview, last.text.split("\n").find((line) => line.trim() !== "") || "")
    dot.hidden = unread === 0
    put(dot, unread > 99 ? "99+" : String(unread))
    dot.setAttribute("aria-label", unread + " unread")
    if (ul.children[hits] !== li) ul.insertBefore(li, ul.children[hits] || null)
    hits += 1
  }
  rows.forEach((li) => li.remove())
  if (focus !== document.activeElement && focus.isConnected) focus.focus({ preventScroll: true })
  const full = whole($("filter").value)
  $("none").hidden = hits > 0
  put(
    $("none"),
    hits > 0
      ? ""
      : full
        ? "Nothing recent for " + pretty(full) + ". Press Enter to look it up."
        : "No phone matches this filter."
  )
  document.title = (waiting > 0 ? "(" + waiting + ") " : "") + "Peyk simulator"
}
function drawChat(mine, fresh) {
  const chat = $("chat"),
    last = mine.at(-1),
    same = shownFor === chosen,
    count = mine.length + (mine.length === 1 ? " message" : " messages")
  const near = !same || chat.scrollHeight - chat.scrollTop - chat.clientHeight < 80
  put($("title"), pretty(chosen))
  put($("count"), count)
  put($("face"), chosen.slice(-2))
  paint($("face"), last ? last.channel : "")
  if (!same || shown.length === 0 || shown.some((m, i) => mine[i]?.key !== m.key)) {
    chat.replaceChildren()
    shown = []
    if (!last)
      chat.append(Object.assign(make("p"), { className: "quiet", textContent: "No messages for this phone" }))
  }
  if (!same || mine.length !== shown.length) details(mine, last)
  for (const m of mine.slice(shown.length)) {
    const before = shown.at(-1)
    if (!before || m.t - before.t > GAP || day(m.t) !== day(before.t))
      chat.append(
        Object.assign(make("h3"), { className: "sep", textContent: day(m.t) + ", " + fHour.format(m.t) }),
        make("ol")
      )
    shown.push(m)
    chat.lastElementChild.append(bubble(m, fresh.has(m.key)))
  }
  shownFor = chosen
  if (near) chat.scrollTop = chat.scrollHeight
  else if (mine.some((m) => fresh.has(m.key))) $("jump").hidden = false
}
function bubble(m, isNew) {
  const li = clone("t-msg"),
    code = li.querySelector(".code")
  li.firstElementChild.classList.toggle("new", isNew)
  badge(li.querySelector(".badge"), m.channel)
  li.querySelector(".body").textContent = m.text
  stamp(li.querySelector("time"), m.t, "full")
  code.firstElementChild.textContent = m.code
  code.setAttribute("aria-label", "Copy code " + m.code)
  if (m.code) copyable(code, "Code " + m.code, () => m.code)
  else code.remove()
  return li
}
function details(mine, last) {
  const time = make("time")
  if (last) stamp(time, last.t, "day")
  else time.textContent = "never"
  $("d-count").textContent = String(mine.length)
  $("d-last").replaceChildren(time)
  $("d-ch").replaceChildren(
    ...[...Map.groupBy(mine, (m) => m.channel)].map(([channel, list]) =>
      badge(make("span"), channel, " " + list.length)
    )
  )
  document.querySelector(".info pre").textContent = curl(chosen)
}

// Events
function choose(phone) {
  if (phone !== chosen) {
    chosen = phone
    history = []
    $("jump").hidden = true
  }
  window.history.replaceState(null, "", "#" + encodeURIComponent(phone))
  if (known) render()
  poll()
}
$("filter").addEventListener("input", () => {
  if (known) render()
})
$("filter").addEventListener("keydown", (e) => {
  const first = $("list").firstElementChild
  if (e.key === "ArrowDown" && first) {
    e.preventDefault()
    first.firstElementChild.focus()
  }
  const phone = first ? first.dataset.phone : whole(e.target.value)
  if (e.key === "Enter" && phone) choose(phone)
})
$("list").addEventListener("keydown", (e) => {
  const li = e.target.closest("li"),
    to = /^Arrow(Down|Right)$/.test(e.key)
      ? li?.nextElementSibling
      : /^Arrow(Up|Left)$/.test(e.key)
        ? li?.previousElementSibling
        : null
  if (to) {
    e.preventDefault()
    to.firstElementChild.focus()
  }
})
$("chat").addEventListener("scroll", (e) => {
  if (e.target.scrollHeight - e.target.scrollTop - e.target.clientHeight < 80) $("jump").hidden = true
})
$("jump").addEventListener("click", () => {
  $("chat").scrollTop = $("chat").scrollHeight
  $("chat").focus({ preventScroll: true })
})
document.addEventListener("visibilitychange", poll)
window.addEventListener("hashchange", () => {
  const phone = fromHash()
  if (phone) choose(phone)
})
setInterval(() => {
  if (!document.hidden) document.querySelectorAll("time[data-at]").forEach(tick)
}, 5000)
chosen = fromHash()
poll()
