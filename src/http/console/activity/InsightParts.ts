import {
  addedSums,
  type CodeSums,
  conversionOfSums,
  costPerVerified,
  fallbackShare,
  type KeyedSums,
  noCodeSums,
  secondsOfSums
} from "../../../domain/Insights.ts"
import type { Instant } from "../../../domain/Instant.ts"
import { html, type Html, type Part } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import { chart } from "../parts/Chart.ts"
import { type Column, table } from "../parts/Lists.ts"
import { type Tile, tiles } from "../parts/Panels.ts"

/** A figure of a period and of the one before it; null where there is none. */
interface Compared {
  readonly now: number | null
  readonly before: number | null
}

/** Whether more of it is good. */
type Wanted = "more" | "less"

const toneOf = (difference: number, wanted: Wanted): "good" | "bad" =>
  difference > 0 === (wanted === "more") ? "good" : "bad"

const signed = (value: number, { number }: Locale): string =>
  `${value > 0 ? "+" : "−"}${number(Math.abs(value))}`

const points = ({ now, before }: Compared): number | null =>
  now === null || before === null ? null : Math.round((now - before) * 1000) / 10

/** How many points of a share it is more or less than before. */
const delta = (compared: Compared, wanted: Wanted, locale: Locale): Html | null => {
  const difference = points(compared)
  if (difference === null || difference === 0) return null
  return html`<span class="delta ${toneOf(difference, wanted)}" dir="ltr"
    >${signed(difference, locale)}</span
  >`
}

const before = (text: string, { say }: Locale): string => say(`${text} before`, `قبلاً ${text}`)

const shareTile = (label: string, compared: Compared, wanted: Wanted, locale: Locale): Tile => {
  const { percent, say } = locale
  const difference = points(compared)
  const note =
    compared.before === null
      ? say("nothing to compare with", "چیزی برای مقایسه نیست")
      : difference === null || difference === 0
        ? before(percent(compared.before), locale)
        : html`${delta(compared, wanted, locale)} ${say("points", "واحد درصد")} ·
          ${before(percent(compared.before), locale)}`
  return { label, value: compared.now === null ? "–" : percent(compared.now), note }
}

const amountTile = (
  label: string,
  compared: Compared,
  format: (value: number) => string,
  locale: Locale
): Tile => ({
  label,
  value: compared.now === null ? "–" : format(compared.now),
  note:
    compared.before === null
      ? locale.say("nothing to compare with", "چیزی برای مقایسه نیست")
      : before(format(compared.before), locale)
})

const compared = (now: CodeSums, earlier: CodeSums, of: (sums: CodeSums) => number | null): Compared => ({
  now: of(now),
  before: of(earlier)
})

const codesOf = ({ codes }: CodeSums): number | null => codes
const medianOf = (sums: CodeSums): number | null => secondsOfSums(sums, 0.5)
const percentile95Of = (sums: CodeSums): number | null => secondsOfSums(sums, 0.95)

export interface ComparedSums {
  readonly data: CodeSums
  readonly previous: CodeSums
}

/** The figures that the page begins with. */
export const insightTiles = ({ data, previous }: ComparedSums, locale: Locale): Html => {
  const { say, number, duration, rials } = locale
  const of = (figure: (sums: CodeSums) => number | null) => compared(data, previous, figure)
  return tiles([
    shareTile(say("Conversion", "نرخ تأیید"), of(conversionOfSums), "more", locale),
    amountTile(say("Codes", "کدها"), of(codesOf), number, locale),
    amountTile(say("Median time to verify", "میانهٔ زمان تأیید"), of(medianOf), duration, locale),
    amountTile(say("95th percentile", "صدک ۹۵"), of(percentile95Of), duration, locale),
    shareTile(say("Verified by fallback", "تأیید با کانال بعدی"), of(fallbackShare), "less", locale),
    amountTile(
      say("Cost per verified user", "هزینهٔ هر کاربر تأییدشده"),
      of(costPerVerified),
      (amount) => rials(Math.round(amount)),
      locale
    )
  ])
}

/** The sums of each point of a chart, of this time and of the time before. */
export interface Series {
  readonly unit: "day" | "hour"
  readonly begins: ReadonlyArray<Instant>
  readonly data: ReadonlyArray<CodeSums>
  readonly previous: ReadonlyArray<CodeSums>
}

const inPercent = (share: number | null): number | null =>
  share === null ? null : Math.round(share * 1000) / 10

interface Figure {
  readonly title: string
  readonly of: (sums: CodeSums) => number | null
  readonly format: (value: number) => string
  readonly isPercent?: boolean
}

const figuresOf = ({ say, percent, duration, rials }: Locale): ReadonlyArray<Figure> => {
  const asShare = (value: number) => percent(value / 100)
  return [
    {
      title: say("Conversion", "نرخ تأیید"),
      of: (sums) => inPercent(conversionOfSums(sums)),
      format: asShare,
      isPercent: true
    },
    { title: say("Median time to verify (s)", "میانهٔ زمان تأیید (ثانیه)"), of: medianOf, format: duration },
    {
      title: say("Verified by fallback", "تأیید با کانال بعدی"),
      of: (sums) => inPercent(fallbackShare(sums)),
      format: asShare,
      isPercent: true
    },
    {
      title: say("Cost per verified user (IRR)", "هزینهٔ هر کاربر تأییدشده (ریال)"),
      of: (sums) => {
        const cost = costPerVerified(sums)
        return cost === null ? null : Math.round(cost)
      },
      format: rials
    }
  ]
}

/** One small chart for each figure: this time, and the time before. */
export const insightCharts = ({ unit, begins, data, previous }: Series, locale: Locale): Html => {
  const { say } = locale
  const sumsAt = (all: ReadonlyArray<CodeSums>, index: number) => all[index] ?? noCodeSums
  return html`<div class="multiples">
    ${figuresOf(locale).map(
      ({ title, of, format, isPercent = false }) =>
        html`<section class="panel">
          <div class="panel-head"><h2>${title}</h2></div>
          <div class="panel-body">
            ${chart(
              {
                title,
                unit: unit === "hour" ? say("Hour", "ساعت") : say("Day", "روز"),
                isSmall: true,
                series: [
                  { label: say("This period", "این بازه"), kind: "line" },
                  { label: say("Before", "قبل"), kind: "dashed" }
                ],
                points: begins.map((begin, index) => ({
                  label: unit === "hour" ? locale.hour(begin) : locale.localDay(begin),
                  values: [of(sumsAt(data, index)), of(sumsAt(previous, index))]
                })),
                format,
                isPercent
              },
              locale
            )}
          </div>
        </section>`
    )}
  </div>`
}

interface Row extends ComparedSums {
  readonly key: string
}

const rowsOf = (data: ReadonlyArray<KeyedSums>, previous: ReadonlyArray<KeyedSums>): ReadonlyArray<Row> => {
  const earlier = new Map(previous.map((sums) => [sums.key, sums]))
  return data.map((sums) => ({ key: sums.key, data: sums, previous: earlier.get(sums.key) ?? noCodeSums }))
}

const dash = (value: number | null, format: (value: number) => string): string =>
  value === null ? "–" : format(value)

const columnsOf = (locale: Locale): ReadonlyArray<Column<Row>> => {
  const { say, number, percent, duration, rials } = locale
  const column = (header: string, cell: (row: Row) => Part) => ({ header, kind: "number" as const, cell })
  return [
    column(say("Codes", "کدها"), ({ data }) => number(data.codes)),
    column(
      say("Conversion", "نرخ تأیید"),
      ({ data, previous }) =>
        html`${delta(compared(data, previous, conversionOfSums), "more", locale)}
        ${dash(conversionOfSums(data), percent)}`
    ),
    column(say("Median", "میانه"), ({ data }) => dash(medianOf(data), duration)),
    column(say("95th percentile", "صدک ۹۵"), ({ data }) => dash(percentile95Of(data), duration)),
    column(say("Fallbacks", "با کانال بعدی"), ({ data }) => number(data.fallbacks)),
    column(say("Cost", "هزینه"), ({ data }) => (data.cost === 0 ? "–" : rials(data.cost))),
    column(say("Per user", "هر کاربر"), ({ data }) =>
      data.cost === 0 ? "–" : dash(costPerVerified(data), (cost) => rials(Math.round(cost)))
    )
  ]
}

/** How codes are grouped, and how a group is called. */
export interface GroupTable {
  readonly title: string
  readonly header: string
  readonly name: (key: string) => Part
  readonly data: ReadonlyArray<KeyedSums>
  readonly previous: ReadonlyArray<KeyedSums>
}

const MAX_ROWS = 20

/** The groups with the most codes; the file has all of them. */
export const groupTable = ({ title, header, name, data, previous }: GroupTable, locale: Locale): Html => {
  const rows = rowsOf(data, previous)
  const more = rows.length - MAX_ROWS
  const { say, number } = locale
  return html`<section class="panel figures">
    <div class="panel-head"><h2>${title}</h2></div>
    ${table<Row>(
      title,
      [{ header, kind: "title", cell: ({ key }) => name(key) }, ...columnsOf(locale)],
      rows.slice(0, MAX_ROWS)
    )}
    ${
      more > 0 &&
      html`<p class="panel-body muted">
        ${say(`and ${number(more)} more, in the CSV file`, `و ${number(more)} مورد دیگر، در فایل CSV`)}
      </p>`
    }
  </section>`
}

const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0"))

/** Codes and conversion by the hour of the day. */
export const hourCharts = (
  data: ReadonlyArray<KeyedSums>,
  previous: ReadonlyArray<KeyedSums>,
  locale: Locale
): Html => {
  const { say, number, percent } = locale
  const at = (all: ReadonlyArray<KeyedSums>) => new Map(all.map((sums) => [sums.key, sums]))
  const [now, earlier] = [at(data), at(previous)]
  const label = (hour: string) => `${number(Number(hour)).padStart(2, number(0))}`
  const title = say("By hour of the day", "به تفکیک ساعت روز")
  const unit = say("Hour", "ساعت")
  return html`<section class="panel">
    <div class="panel-head"><h2>${title}</h2></div>
    <div class="panel-body multiples">
      ${chart(
        {
          title: say("Codes by hour of the day", "کدها به تفکیک ساعت روز"),
          unit,
          isSmall: true,
          series: [
            { label: say("Codes verified", "کدهای تأییدشده"), kind: "bar" },
            { label: say("Codes not verified", "کدهای تأییدنشده"), kind: "bar" }
          ],
          points: HOURS.map((hour) => {
            const { codes, verified } = now.get(hour) ?? noCodeSums
            return { label: label(hour), values: [verified, codes - verified] }
          })
        },
        locale
      )}
      ${chart(
        {
          title: say("Conversion by hour of the day", "نرخ تأیید به تفکیک ساعت روز"),
          unit,
          isSmall: true,
          series: [
            { label: say("Conversion", "نرخ تأیید"), kind: "line" },
            { label: say("Before", "قبل"), kind: "dashed" }
          ],
          points: HOURS.map((hour) => ({
            label: label(hour),
            values: [now, earlier].map((all) => inPercent(conversionOfSums(all.get(hour) ?? noCodeSums)))
          })),
          format: (value) => percent(value / 100),
          isPercent: true
        },
        locale
      )}
    </div>
  </section>`
}

/** Sums of all groups together. */
export const totalOf = (all: ReadonlyArray<CodeSums>): CodeSums => all.reduce(addedSums, noCodeSums)
