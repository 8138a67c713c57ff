import { Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { withConfiguration } from "../Configured.ts"
import { nearest } from "../../domain/text/NearestName.ts"
import { type Configuration, settings } from "../../layers/config/Configuration.ts"
import { readNetworkNames } from "../../layers/guard/NetworkNamesFile.ts"
import { createStore, isStoreMissing } from "../../layers/postgres/StoreLocation.ts"
import { checkPort } from "../../layers/system/SharedPort.ts"
import { NUMBER_VARIABLE, ownNumber } from "../../layers/system/Supervised.ts"
import { NamedNetworks } from "../../services/guard/NetworkNames.ts"

const PREFIX = "PEYK_"

const known: ReadonlyArray<string> = [...Object.values(settings).map(({ name }) => name), NUMBER_VARIABLE]

const withoutPrefix = (name: string): string => (name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name)

const knownByShortName = new Map(known.map((name) => [withoutPrefix(name), name]))

/** The setting that an unknown variable may mean. The common prefix does not make names similar. */
const describeUnknown = (name: string): string => {
  const meant = knownByShortName.get(nearest(withoutPrefix(name), [...knownByShortName.keys()]) ?? "")
  return meant === undefined ? `${name} is no setting` : `${name} is no setting; did you mean ${meant}?`
}

/** The variables that look like settings and are not. */
const unknownSettings = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.filter((name) => name.startsWith(PREFIX) && !known.includes(name)).toSorted()

/** Logs them: a misspelled setting has no effect. */
const warnOfUnknownSettings = Effect.suspend(() =>
  Effect.forEach(
    unknownSettings(Object.keys(process.env)),
    (name) => Effect.logWarning(`${describeUnknown(name)} (docs/configuration.md lists them all)`),
    { discard: true }
  )
)

/** The files of an embedded store that is not there yet. */
const createMissingStore = (configuration: Configuration) =>
  isStoreMissing(configuration)
    ? Effect.andThen(
        Console.log(`Creating a store in ${configuration.dataDirectory}: this takes some seconds, once.`),
        createStore(configuration)
      )
    : Effect.void

/** Most of the program. */
const loadServing = Effect.promise(() => import("./Serving.ts"))

/** Serves until the process must stop; then finishes its work within the grace time. */
export const serve = (configuration: Configuration) =>
  Effect.gen(function* () {
    const number = yield* ownNumber
    const names = yield* readNetworkNames(configuration.networkNames)
    const named = Effect.provideService(NamedNetworks, names)
    if (Option.isSome(number)) return yield* named((yield* loadServing).serveAs(number, configuration))
    yield* warnOfUnknownSettings
    yield* checkPort(configuration.host, configuration.port)
    // another program makes the files, so that both are done in the time of the longer one
    const [, { serveAs }] = yield* Effect.all([createMissingStore(configuration), loadServing], {
      concurrency: "unbounded"
    })
    return yield* named(serveAs(number, configuration))
  })

const serveCommand = Command.make("serve", {}, () =>
  withConfiguration((configuration) => serve(configuration))
).pipe(
  Command.withExamples([
    { command: "peyk serve", description: "On the embedded store, at http://127.0.0.1:8080" }
  ])
)

export const commands = { serve: serveCommand }
