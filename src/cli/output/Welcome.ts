import { Clock, Console, Effect, Option, type Redacted, Schema } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { FRESH_IN_SHELL } from "../../domain/text/ShellCommands.ts"
import { signInUrl } from "../../http/console/ConsolePaths.ts"
import { hasSite } from "../../http/system/DocumentationSite.ts"
import type { Configuration } from "../../layers/config/Configuration.ts"
import { createDemoCustomer, type DemoCustomer, demoFile } from "../../layers/customer/DemoCustomer.ts"
import { hasSimulator } from "../../layers/graphs/Infrastructure.ts"
import { isEmbedded } from "../../layers/postgres/StoreLocation.ts"
import { StartupError } from "../../layers/system/StartupError.ts"
import { SignInLinks } from "../../services/user/ConsoleSessions.ts"

const send = (origin: string, { live_key }: DemoCustomer): string =>
  `curl -s ${origin}/v1/otp/send -H 'X-API-Key: ${live_key}' -H "Idempotency-Key: demo-${FRESH_IN_SHELL}" ` +
  `-H 'Content-Type: application/json' -d '{"phone":"09121234567"}'`

const status = (origin: string, { live_key }: DemoCustomer): string =>
  `curl -s ${origin}/v1/otp/VERIFICATION_ID -H 'X-API-Key: ${live_key}'`

const verify = (origin: string, { live_key }: DemoCustomer): string =>
  `curl -s ${origin}/v1/otp/verify -H 'X-API-Key: ${live_key}' -H 'Content-Type: application/json' ` +
  `-d '{"verification_id":"VERIFICATION_ID","code":"CODE"}'`

const message = (origin: string, { live_key }: DemoCustomer): string =>
  `curl -s ${origin}/v1/messages/send -H 'X-API-Key: ${live_key}' -H 'Content-Type: application/json' ` +
  `-d '{"to":"09121234567","message":"سلام!","channels":["bale","sms"]}'`

const sandbox = (origin: string, { test_key }: DemoCustomer): string =>
  `curl -s ${origin}/v1/sandbox/otp/send -H 'X-API-Key: ${test_key}' -H 'Content-Type: application/json' ` +
  `-d '{"phone":"09121234567"}'`

const management = (origin: string, token: string): string =>
  `curl -s ${origin}/v1/manage/api-keys -H 'Authorization: apikey ${token}'`

/** Commands that a newcomer can paste, in a useful order. */
const demoLines = (origin: string, demo: DemoCustomer): string =>
  [
    "Send a code:",
    "",
    `  ${send(origin, demo)}`,
    "",
    `Read it on the phone, at ${origin}/simulator, and verify it (fill in the verification_id from the response, and the code):`,
    "",
    `  ${verify(origin, demo)}`,
    "",
    "Read the status of a verification:",
    "",
    `  ${status(origin, demo)}`,
    "",
    "Send a message:",
    "",
    `  ${message(origin, demo)}`,
    "",
    "In the sandbox nothing is sent, and the code is always 123456:",
    "",
    `  ${sandbox(origin, demo)}`,
    "",
    "Manage the account:",
    "",
    `  ${management(origin, demo.token)}`
  ].join("\n")

const FILE_NAME = "demo.txt"

const decodeDemo = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      customer_id: Schema.Int,
      live_key: Schema.String,
      test_key: Schema.String,
      token: Schema.String
    })
  )
)

const readDemo = (file: string): Option.Option<DemoCustomer> => {
  try {
    return decodeDemo(fs.readFileSync(file, "utf8"))
  } catch {
    return Option.none()
  }
}

/** Written completely or not at all, and readable only by its owner: it contains keys. */
const replaceFile = (file: string, text: string): boolean => {
  const draft = `${file}.${process.pid}`
  try {
    fs.rmSync(draft, { force: true })
    fs.writeFileSync(draft, text, { mode: 0o600 })
    fs.renameSync(draft, file)
    return true
  } catch {
    return false
  }
}

/**
 * Writes the demo customer's curl commands next to its keys, for the server's current address. Returns the file; none
 * if there is no demo customer, or if it cannot be written.
 */
const keepDemoLines = ({ dataDirectory }: Configuration, origin: string): Option.Option<string> =>
  Option.flatMap(readDemo(demoFile(dataDirectory)), (demo) => {
    const file = path.join(dataDirectory, FILE_NAME)
    return replaceFile(file, `${demoLines(origin, demo)}\n`) ? Option.some(file) : Option.none()
  })

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
    ...(hasSite() ? [`  Documentation  ${origin}/docs`] : []),
    `  API reference  ${origin}/docs/api`,
    ...(hasSimulator(configuration) ? [`  Simulator      ${origin}/simulator`] : []),
    ""
  ].join("\n")

/** The demo customer that was just made, and a link into the console as its owner. */
interface FirstStart {
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

const MADE = "A demo customer was created."
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
