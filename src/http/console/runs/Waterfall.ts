import type { Instant } from "../../../domain/Instant.ts"
import { html, type Html, type Part } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import type { Tone } from "../parts/Badge.ts"

/** Something that takes time: a call to a provider or to this API, or a wait. */
export interface Bar {
  readonly kind: "call" | "wait"
  readonly from: Instant
  /** Null: it goes on. */
  readonly to: Instant | null
  readonly tone: Tone
}

/** Something that happens at one time. */
export interface Mark {
  readonly at: Instant
  readonly tone: Tone
}

/** One row of the chart. */
export interface Lane {
  readonly name: Part
  readonly tone: Tone
  readonly bars: ReadonlyArray<Bar>
  readonly marks: ReadonlyArray<Mark>
  /** What the row shows, in words; next to it, and for those who hear the page. */
  readonly text: string
}

interface Axis {
  readonly from: Instant
  readonly millis: number
  readonly isRtl: boolean
}

const MAX_TICKS = 6
const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400]
/** So that the shortest call is seen. */
const LEAST_PERCENT = 0.7
/** So that nothing touches the edge. */
const WIDTH_PERCENT = 98

const round = (percent: number): number => Math.round(percent * 100) / 100

const offsetOf = ({ from, millis }: Axis, at: Instant): number =>
  (Math.min(Math.max(at - from, 0), millis) / millis) * WIDTH_PERCENT

const place = (axis: Axis, at: Instant): string =>
  `${round(axis.isRtl ? 100 - offsetOf(axis, at) : offsetOf(axis, at))}%`

const barPart = (axis: Axis, { kind, from, to, tone }: Bar): Html => {
  const end = to ?? axis.from + axis.millis
  const start = offsetOf(axis, from)
  const width = Math.max(LEAST_PERCENT, offsetOf(axis, end) - start)
  const x = axis.isRtl ? 100 - start - width : start
  const [y, height] = kind === "call" ? [4, 14] : [9, 4]
  return html`<rect
    class="${kind} ${tone}"
    x="${round(x)}%"
    y="${y}"
    width="${round(width)}%"
    height="${height}"
    rx="2"
  ></rect>`
}

const markPart = (axis: Axis, { at, tone }: Mark): Html =>
  html`<circle class="at ${tone}" cx="${place(axis, at)}" cy="11" r="5"></circle>`

const ticksOf = (millis: number): ReadonlyArray<number> => {
  const seconds = millis / 1000
  const step = STEPS.find((each) => seconds / each < MAX_TICKS) ?? Math.ceil(seconds / MAX_TICKS)
  return Array.from({ length: Math.floor(seconds / step) + 1 }, (_, index) => index * step)
}

const axisPart = (axis: Axis, ticks: ReadonlyArray<number>, { duration, number }: Locale): Html =>
  html`<svg class="axis" aria-hidden="true">
    ${ticks.map(
      (seconds) =>
        html`<text class="${seconds === 0 && "first"}" x="${place(axis, axis.from + seconds * 1000)}" y="12">
          ${seconds === 0 ? number(0) : duration(seconds)}
        </text>`
    )}
  </svg>`

const gridPart = (axis: Axis, ticks: ReadonlyArray<number>): ReadonlyArray<Html> =>
  ticks.map((seconds) => {
    const x = place(axis, axis.from + seconds * 1000)
    return html`<line x1="${x}" x2="${x}" y1="0" y2="22"></line>`
  })

const lanePart = (axis: Axis, ticks: ReadonlyArray<number>, { name, tone, bars, marks, text }: Lane): Html =>
  html`<li>
    <span class="lane-name"><span class="mark ${tone}"></span><span>${name}</span></span>
    <svg class="lane" aria-hidden="true">
      ${gridPart(axis, ticks)} ${bars.map((bar) => barPart(axis, bar))}
      ${marks.map((mark) => markPart(axis, mark))}
    </svg>
    <span class="lane-text">${text}</span>
  </li>`

const legend = ({ say }: Locale): Html =>
  html`<p class="waterfall-legend muted">
    <span class="key call"></span>${say("call", "درخواست به سرویس‌دهنده")}
    <span class="key wait"></span>${say("wait", "انتظار")}
    <span class="key at"></span>${say("event", "رویداد")}
  </p>`

/** The least that the axis shows: else a send that failed at once would seem to take long. */
const LEAST_MILLIS = 500

const beginOf = ({ bars, marks }: Lane): Instant =>
  Math.min(...bars.map(({ from }) => from), ...marks.map(({ at }) => at))

/** What took how long, on one axis of time; in Persian it runs to the left. */
export const waterfall = (lanes: ReadonlyArray<Lane>, now: Instant, locale: Locale): Html | null => {
  const times = lanes.flatMap(({ bars, marks }) => [
    ...bars.flatMap(({ from, to }) => [from, to ?? now]),
    ...marks.map(({ at }) => at)
  ])
  if (times.length === 0) return null
  const from = Math.min(...times)
  const axis: Axis = {
    from,
    millis: Math.max(LEAST_MILLIS, Math.max(...times) - from),
    isRtl: locale.direction === "rtl"
  }
  const ticks = ticksOf(axis.millis)
  const inOrder = lanes.toSorted((one, other) => beginOf(one) - beginOf(other))
  const title = locale.say("Where the time went", "زمان صرف چه شد")
  return html`<section class="panel" aria-labelledby="waterfall-title">
    <div class="panel-head"><h2 id="waterfall-title">${title}</h2></div>
    <div class="panel-body">
      <div class="waterfall">
        ${axisPart(axis, ticks, locale)}
        <ol>
          ${inOrder.map((lane) => lanePart(axis, ticks, lane))}
        </ol>
      </div>
      ${legend(locale)}
    </div>
  </section>`
}
