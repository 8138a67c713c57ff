const VERSION = /^(\d+)\.(\d+)\.(\d+)$/

/** Whether a version is a plain one (1.2.3) and comes after another. */
export const isNewer = (version: string, other: string): boolean => {
  const [a, b] = [version, other].map((text) => VERSION.exec(text)?.slice(1).map(Number))
  if (a === undefined || b === undefined) return false
  const first = a.findIndex((part, index) => part !== b[index])
  return first !== -1 && (a[first] ?? 0) > (b[first] ?? 0)
}

/** All files that contain Peyk's version. */
export const versionedFiles = [
  "package.json",
  "packages/client/package.json",
  "clients/python/pyproject.toml",
  "clients/go/peyk.go",
  "clients/csharp/Peyk.csproj",
  "deploy/helm/peyk/Chart.yaml",
  "deploy/helm/peyk/values.yaml",
  "deploy/kubernetes/peyk.yaml"
] as const

const places: Readonly<Record<string, RegExp>> = {
  json: /(?<="version": ")[^"]+/,
  go: /(?<=^const Version = ")[^"]+/m,
  csproj: /(?<=<Version>)[^<]+/,
  toml: /(?<=^version = ")[^"]+/m,
  yaml: /(?<=^(?:version|appVersion): |^ +tag: |image: peyk:)\d+\.\d+\.\d+/gm
}

/** Replaces the version; a file without it is an error, because the next release would miss it. */
export const setVersion = (file: string, text: string, current: string, version: string): string => {
  const place = places[file.split(".").at(-1) ?? ""]
  if (place === undefined || !text.includes(current)) throw new Error(`${file} has no version ${current}`)
  return text.replace(place, version)
}

/** Dates the unreleased part of the CHANGELOG. */
export const dateChangelog = (text: string, version: string, today: string): string => {
  const heading = /^## .*\(unreleased\)$/m
  if (!heading.test(text)) throw new Error("CHANGELOG.md has no unreleased part")
  return text.replace(heading, `## ${version} (${today})`)
}
