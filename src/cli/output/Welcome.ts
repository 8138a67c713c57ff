import { Console, Effect, Option } from "effect"
import * as fs from "node:fs"
import type { Configuration } from "../../layers/config/Configuration.ts"
import { createDemoCustomer, type DemoCustomer, demoFile } from "../../layers/customer/DemoCustomer.ts"
import { hasSimulator } from "../../layers/graphs/Infrastructure.ts"
import { StartupError } from "../../layers/process/StartupError.ts"
import { isEmbedded } from "../../layers/postgres/Store.ts"
import { demoLines } from "./DemoLines.ts"
import { keepDemoLines } from "./DemoLinesFile.ts"

const originOf = ({ host }: Configuration, port: number): string => {
  const reachable = host === "0.0.0.0" || host === "::" ? "localhost" : host
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`
}

const welcome = (configuration: Configuration, origin: string): string =>
  [
    "",
    `Peyk listens on ${origin}`,
    `  API reference  ${origin}/docs`,
    ...(hasSimulator(configuration) ? [`  Simulator      ${origin}/simulator`] : []),
    ""
  ].join("\n")

/** Runs before anything listens: as soon as the server is ready, the demo customer exists. */
export const prepareDemo = (configuration: Configuration) =>
  isEmbedded(configuration)
    ? Effect.mapError(
        createDemoCustomer(configuration.dataDirectory),
        ({ message }) => new StartupError({ message: `the demo customer could not be made: ${message}` })
      )
    : Effect.succeed(null)

/** The paths of the demo customer's keys and curl commands. */
const demoFiles = (configuration: Configuration, origin: string): string => {
  const file = demoFile(configuration.dataDirectory)
  if (!isEmbedded(configuration) || !fs.existsSync(file)) return ""
  const keys = `Keys of the demo customer: ${file}`
  return Option.match(keepDemoLines(configuration, origin), {
    onNone: () => keys,
    onSome: (lines) => `${keys}\nCurl lines to try it: ${lines}`
  })
}

const MADE = "A demo customer was made for you."
const CONNECT_FIRST = "The simulator is off: connect an account before you send (docs/providers.md)."

/** Shows keys only at a terminal: logs keep what a pipe or a service manager reads. */
const introduction = (configuration: Configuration, origin: string, demo: DemoCustomer): string => {
  if (!hasSimulator(configuration)) {
    return `${MADE}\n${demoFiles(configuration, origin)}\n${CONNECT_FIRST}`
  }
  const files = demoFiles(configuration, origin)
  return process.stdout.isTTY ? `${MADE} ${demoLines(origin, demo)}\n\n${files}` : `${MADE}\n${files}`
}

/** Prints where the server listens, and what to do there. */
export const announce = (configuration: Configuration, port: number, demo: DemoCustomer | null) => {
  const origin = originOf(configuration, port)
  const next = demo === null ? demoFiles(configuration, origin) : introduction(configuration, origin, demo)
  return Console.log(`${welcome(configuration, origin)}\n${next}\n`)
}
