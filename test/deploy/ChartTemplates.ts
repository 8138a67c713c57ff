/** What the chart's templates use of Helm's language: values, `quote` and `toJson`. Helm itself is not needed then. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

const at = (values: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((value, name) => Object(value)[name], values)

const render = (template: string, values: unknown): string =>
  template.replaceAll(/\{\{ (toJson )?\.([\w.]+)( \| quote)? \}\}/g, (_, toJson, path: string, quote) => {
    const value = at(values, path)
    if (value === undefined) throw new Error(`the chart has no value ${path}`)
    return toJson === undefined && quote === undefined ? String(value) : JSON.stringify(value)
  })

/** The files of a chart's templates, rendered; fails on anything else of Helm's language. */
export const renderChart = (folder: string, values: unknown): ReadonlyArray<string> =>
  globSync("templates/*.yaml", { cwd: folder }).map((file) => {
    const rendered = render(readFileSync(join(folder, file), "utf8"), values)
    if (rendered.includes("{{")) throw new Error(`${file} uses more of Helm than this test knows`)
    return rendered
  })
