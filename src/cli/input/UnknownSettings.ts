import { Effect } from "effect"
import { nearest } from "../../domain/text/NearestName.ts"
import { settings } from "../../layers/config/Configuration.ts"
import { NUMBER_VARIABLE } from "../../layers/process/Supervised.ts"

const PREFIX = "PEYK_"

const known: ReadonlyArray<string> = [...Object.values(settings).map(({ name }) => name), NUMBER_VARIABLE]

const withoutPrefix = (name: string): string => (name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name)

const knownByShortName = new Map(known.map((name) => [withoutPrefix(name), name]))

/** The setting that an unknown variable may mean. The common prefix does not make names similar. */
export const describeUnknown = (name: string): string => {
  const meant = knownByShortName.get(nearest(withoutPrefix(name), [...knownByShortName.keys()]) ?? "")
  return meant === undefined ? `${name} is no setting` : `${name} is no setting; did you mean ${meant}?`
}

/** The variables that look like settings and are not. */
export const unknownSettings = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.filter((name) => name.startsWith(PREFIX) && !known.includes(name)).toSorted()

/** Logs them: a misspelled setting has no effect. */
export const warnOfUnknownSettings = Effect.suspend(() =>
  Effect.forEach(
    unknownSettings(Object.keys(process.env)),
    (name) => Effect.logWarning(`${describeUnknown(name)} (docs/configuration.md lists them all)`),
    { discard: true }
  )
)
