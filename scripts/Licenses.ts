import { existsSync, readFileSync } from "node:fs"

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

/** A table of the packages that an installation brings, with their licenses. Those of other platforms are left out. */
export const licensesOf = (root: string, wanted: Readonly<Record<string, string>>): string => {
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
    "They are installed next to Peyk; the package contains none of them.",
    "",
    "| package | version | license |",
    "| --- | --- | --- |",
    ...lines,
    ""
  ].join("\n")
}
