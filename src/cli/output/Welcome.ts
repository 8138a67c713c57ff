import { Clock, Console, Effect, Option, type Redacted } from "effect"
import * as fs from "node:fs"
import type { Configuration } from "../../layers/config/Configuration.ts"
import { createDemoCustomer, type DemoCustomer, demoFile } from "../../layers/customer/DemoCustomer.ts"
import { hasSimulator } from "../../layers/graphs/Infrastructure.ts"
import { StartupError } from "../../layers/process/StartupError.ts"
import { isEmbedded } from "../../layers/postgres/StoreLocation.ts"
import { signInUrl } from "../../http/console/ConsolePaths.ts"
import { SignInLinks } from "../../services/user/SignInLinks.ts"
import { demoLines } from "./DemoLines.ts"
import { keepDemoLines } from "./DemoLinesFile.ts"

/** Where this machine reaches the service. */
export const originOf = ({ host }: Pick<Configuration, "host">, port: number): string => {
  const reachable = host === "0.0.0.0" || host === "::" ? "localhost" : host
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`
}

const welcome = (configuration: Configuration, origin: string): string =>
  [
    "",
    `Peyk listens on ${origin}`,
    `  Console        ${origin}/console`,
    `  API reference  ${origin}/docs`,
    ...(hasSimulator(configuration) ? [`  Simulator      ${origin}/simulator`] : []),
    ""
  ].join("\n")

/** The demo customer that was just made, and a link into the console as its owner. */
export interface FirstStart {
  readonly demo: DemoCustomer
  readonly link: Redacted.Redacted | null
}

/** Secrets are shown to a person at a terminal only: what a pipe or a service manager reads is kept in logs. */
const isAtTerminal = (): boolean => process.stdout.isTTY

const makeDemo = Effect.fnUntraced(function* (dataDirectory: string) {
  const demo = yield* createDemoCustomer(dataDirectory)
  if (demo === null) return null
  const first: FirstStart = { demo, link: null }
  if (!isAtTerminal()) return first
  const link = yield* (yield* SignInLinks).create(demo.customer_id, null, yield* Clock.currentTimeMillis)
  return { demo, link: Option.match(link, { onNone: () => null, onSome: ({ secret }) => secret }) }
})

/** Runs before anything listens: as soon as the server is ready, the demo customer exists. */
export const prepareDemo = (configuration: Configuration) =>
  isEmbedded(configuration)
    ? Effect.mapError(
        makeDemo(configuration.dataDirectory),
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

const consoleLines = (origin: string, link: Redacted.Redacted | null): string =>
  link === null ? "" : `Sign in to the console (once, within 10 minutes):\n\n  ${signInUrl(origin, link)}\n\n`

const introduction = (configuration: Configuration, origin: string, { demo, link }: FirstStart): string => {
  const files = demoFiles(configuration, origin)
  const signIn = consoleLines(origin, link)
  if (!hasSimulator(configuration)) return `${MADE}\n${signIn}${files}\n${CONNECT_FIRST}`
  return isAtTerminal() ? `${MADE}\n\n${signIn}${demoLines(origin, demo)}\n\n${files}` : `${MADE}\n${files}`
}

/** Prints where the server listens, and what to do there. */
export const announce = (configuration: Configuration, port: number, first: FirstStart | null) => {
  const origin = originOf(configuration, port)
  const next = first === null ? demoFiles(configuration, origin) : introduction(configuration, origin, first)
  return Console.log(`${welcome(configuration, origin)}\n${next}\n`)
}
