/** Draws what the tables of `[data-chart]` say. The tables stay, for those who read them. */

/** uPlot draws later series over earlier ones: of stacked bars, the whole stack comes first. */
const stacked = (bars) => bars.map((_, index) => bars[0].map((_, x) => sumUpTo(bars, index, x))).toReversed()
const sumUpTo = (bars, index, x) =>
  bars.slice(0, index + 1).reduce((sum, values) => sum + (values[x] ?? 0), 0)

const readTable = (table) => {
  const series = [...table.tHead.rows[0].cells].slice(1).map((header, index) => ({
    label: header.textContent.trim(),
    kind: header.dataset.kind,
    index
  }))
  const rows = [...table.tBodies[0].rows]
  const column = (index) =>
    rows.map((row) => {
      const { value } = row.cells[index + 1].dataset
      return value === undefined ? null : Number(value)
    })
  return {
    series: series.map((each) => ({ ...each, values: column(each.index) })),
    labels: rows.map((row) => row.cells[0].textContent.trim()),
    texts: rows.map((row) => [...row.cells].slice(1).map((cell) => cell.textContent.trim()))
  }
}

/** Colours are those of the legend, so that a theme changes both. */
const colourOf = (figure, index) =>
  getComputedStyle(figure.querySelectorAll(".swatch")[index] ?? figure).color

/** Steps of an axis of counts: there is no half code. */
const WHOLE_STEPS = Array.from({ length: 13 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power)
).flat()
const isWhole = ({ series }) => series.every(({ values }) => values.every(Number.isInteger))

/** The height of a bar is its value. A line shows change: its axis begins near the lowest value. */
const fromZero = (max) => [0, max > 0 ? max * 1.1 : 1]
const around = (min, max, most) => {
  if (min === null || max === null) return [0, Math.min(most, 1)]
  // one point, or a level line: nothing to magnify
  if (min === max && most < Infinity) return [0, most]
  const room = Math.max((max - min) * 0.25, max * 0.05, 1)
  return [Math.max(0, min - room), Math.min(most, max + room)]
}

/** A value between gaps has no line to either side: without a point it could not be seen. */
const alone = (values) =>
  [...values.keys()].filter(
    (x) => values[x] !== null && (values[x - 1] ?? null) === null && (values[x + 1] ?? null) === null
  )

const axisFont = () => `12px ${getComputedStyle(document.body).fontFamily}`

const showTip = (tip, data, colours) => (plot) => {
  const { idx, left } = plot.cursor
  tip.hidden = idx === null || idx === undefined || left < 0
  if (tip.hidden) return
  const title = document.createElement("strong")
  title.textContent = data.labels[idx]
  const lines = data.series.map(({ label, index }) => {
    const line = document.createElement("span")
    line.style.setProperty("--mark", colours[index])
    line.textContent = `${label}: ${data.texts[idx][index]}`
    return line
  })
  tip.replaceChildren(title, ...lines)
  const x = plot.valToPos(idx, "x") + plot.bbox.left / devicePixelRatio
  tip.style.left = `${Math.min(Math.max(0, x + 12), plot.width - tip.offsetWidth)}px`
}

const draw = (figure) => {
  const plot = figure.querySelector(".chart-plot")
  const data = readTable(figure.querySelector("table"))
  if (data.labels.length === 0) return
  const style = getComputedStyle(figure)
  const [ink, line] = [style.getPropertyValue("color"), style.getPropertyValue("outline-color")]
  const colours = data.series.map(({ index }) => colourOf(figure, index))
  const bars = data.series.filter(({ kind }) => kind === "bar")
  const lines = data.series.filter(({ kind }) => kind !== "bar").toReversed()
  const isPercent = figure.dataset.chart === "percent"
  const isPersian = document.documentElement.lang === "fa"
  // after the mark of a Persian letter a percent sign is at the left, as in the page's texts
  const before = isPersian && isPercent ? "\u061c" : ""
  const compact = new Intl.NumberFormat(isPersian ? "fa-IR" : "en", {
    notation: "compact",
    ...(isPercent ? { style: "unit", unit: "percent" } : {})
  })
  const tip = Object.assign(document.createElement("div"), { className: "chart-tip", hidden: true })
  const axis = { stroke: ink, font: axisFont(), ticks: { show: false }, grid: { stroke: line, width: 1 } }
  const made = new globalThis.uPlot(
    {
      width: plot.clientWidth,
      height: plot.clientHeight,
      legend: { show: false },
      padding: [10, 8, 0, 0],
      cursor: { y: false, drag: { x: false, y: false }, points: { show: bars.length === 0 } },
      scales: {
        x: { time: false, range: [-0.6, data.labels.length - 0.4] },
        y: {
          range: (_, min, max) =>
            bars.length > 0 ? fromZero(max) : around(min, max, isPercent ? 100 : Infinity)
        }
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 30,
          space: 70,
          incrs: [1, 2, 3, 5, 7, 10, 15, 30],
          values: (_, splits) => splits.map((split) => data.labels[split] ?? "")
        },
        {
          ...axis,
          size: 52,
          space: 40,
          ...(isWhole(data) ? { incrs: WHOLE_STEPS } : {}),
          values: (_, splits) => splits.map((split) => `${before}${compact.format(split)}`)
        }
      ],
      series: [
        {},
        ...bars.toReversed().map(({ label, index }) => ({
          label,
          fill: colours[index],
          width: 0,
          points: { show: false },
          paths: globalThis.uPlot.paths.bars({ size: [0.7, 28], radius: 0.15 })
        })),
        ...lines.map(({ label, kind, index, values }) => ({
          label,
          stroke: colours[index],
          width: kind === "dashed" ? 1.5 : 2,
          ...(kind === "dashed" ? { dash: [5, 4] } : {}),
          spanGaps: false,
          points: { show: true, filter: () => alone(values), size: 6, width: 0, fill: colours[index] }
        }))
      ],
      hooks: { setCursor: [showTip(tip, data, colours)] }
    },
    [
      data.labels.map((_, x) => x),
      ...(bars.length === 0 ? [] : stacked(bars.map(({ values }) => values))),
      ...lines.map(({ values }) => values)
    ],
    (self, init) => {
      plot.replaceChildren(self.root, tip)
      init()
    }
  )
  return { made, plot }
}

const drawn = new Map()

const drawAll = () => {
  watcher.disconnect()
  for (const { made } of drawn.values()) made.destroy()
  drawn.clear()
  for (const figure of document.querySelectorAll("[data-chart]")) {
    const result = draw(figure)
    if (result === undefined) continue
    drawn.set(figure, result)
    watcher.observe(result.plot)
  }
}

/** A chart is as wide as its place, whatever changes that: the window, the menu, a phone that is turned, a print. */
const fit = () => {
  for (const { made, plot } of drawn.values()) {
    if (made.width !== plot.clientWidth) made.setSize({ width: plot.clientWidth, height: plot.clientHeight })
  }
}
const watcher = new ResizeObserver(fit)

const besideThis = (name) => new URL(name, import.meta.url).href

const load = (element) =>
  new Promise((resolve, reject) => {
    element.addEventListener("load", resolve)
    element.addEventListener("error", reject)
    document.head.append(element)
  })

await Promise.all([
  load(
    Object.assign(document.createElement("link"), { rel: "stylesheet", href: besideThis("uPlot.min.css") })
  ),
  load(Object.assign(document.createElement("script"), { src: besideThis("uPlot.iife.min.js") }))
])
drawAll()
addEventListener("beforeprint", fit)
addEventListener("peyk:refreshed", drawAll)
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll)
