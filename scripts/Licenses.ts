import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly dependencies?: Readonly<Record<string, string>>
}

const read = (folder: string): Manifest =>
  JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as Manifest

/** Where Node finds a package that another one requires. */
const folderOf = (root: string, from: string, name: string): string | undefined =>
  [`${from}/node_modules/${name}`, `${root}node_modules/${name}`].find((folder) =>
    existsSync(`${folder}/package.json`)
  )

/** The text that whoever passes the package on has to pass on too. */
const textOf = (folder: string): ReadonlyArray<string> => {
  const { name, version } = read(folder)
  const found = globSync("*", { cwd: folder }).find((file) => /^licen[cs]e/i.test(file))
  if (found === undefined) throw new Error(`${name} has no text of its license`)
  const text = readFileSync(join(folder, found), "utf8")
  return [`## ${name} ${version}`, "", "```", text.trim(), "```", ""]
}

/**
 * A table of the packages that an installation brings, with their licenses, and the texts of those that are contained in
 * the program. Those of other platforms are left out.
 */
export const licensesOf = (
  root: string,
  wanted: Readonly<Record<string, string>>,
  contained: ReadonlyArray<string>
): string => {
  const rows = new Map<string, string>()
  const visit = (from: string, names: ReadonlyArray<string>): void => {
    for (const name of names) {
      const folder = folderOf(root, from, name)
      if (folder === undefined) continue
      const { version, license = "see its page", dependencies = {} } = read(folder)
      const key = `${name} ${version}`
      if (rows.has(key)) continue
      rows.set(key, `| ${name} | ${version} | ${license} |`)
      visit(folder, Object.keys(dependencies))
    }
  }
  visit(root, Object.keys(wanted))
  const lines = [...rows].sort(([a], [b]) => a.localeCompare(b)).map(([, row]) => row)
  return [
    "# Licenses of the packages that Peyk uses",
    "",
    "`dist` and `build/site` contain parts of those whose text follows the table. The others are installed next to Peyk.",
    "",
    "| package | version | license |",
    "| --- | --- | --- |",
    ...lines,
    "",
    ...contained.toSorted().flatMap(textOf)
  ].join("\n")
}
