import { Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { HttpServer, type HttpServerError } from "effect/http"
import * as fs from "node:fs"
import type { Configuration } from "../layers/Configuration.ts"
import { createDemoCustomer, type DemoCustomer, demoFile } from "../layers/DemoCustomer.ts"
import { Ground, hasSimulator, ManagementLive, Service } from "../layers/Live.ts"
import { appliedMigration } from "../layers/Migrations.ts"
import { StartupError } from "../layers/StartupError.ts"
import { isEmbedded } from "../layers/Store.ts"
import { withConfiguration } from "./CommandGround.ts"
import { demoLines } from "./DemoLines.ts"
import { printOne } from "./Output.ts"

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

/** Before anything listens: who sees the server ready finds the demo customer there. */
const prepareDemo = (configuration: Configuration) =>
  isEmbedded(configuration)
    ? Effect.mapError(
        createDemoCustomer(configuration.dataDirectory),
        ({ message }) => new StartupError({ message: `the demo customer could not be made: ${message}` })
      )
    : Effect.succeed(null)

const introduction = (configuration: Configuration, origin: string, demo: DemoCustomer | null): string => {
  if (demo !== null) return demoLines(origin, demo)
  const file = demoFile(configuration.dataDirectory)
  return isEmbedded(configuration) && fs.existsSync(file) ? `Keys of the demo customer: ${file}` : ""
}

const announce = Effect.fnUntraced(function* (configuration: Configuration, demo: DemoCustomer | null) {
  const { address } = yield* HttpServer.HttpServer
  const origin = originOf(configuration, "port" in address ? address.port : configuration.port)
  yield* Console.log(`${welcome(configuration, origin)}\n${introduction(configuration, origin, demo)}\n`)
})

const cannotListen = ({ host, port }: Configuration, { cause }: HttpServerError.ServeError) =>
  new StartupError({
    message: `cannot listen on ${host}:${port}: ${String(cause)}; choose another address with PEYK_HOST and PEYK_PORT`
  })

const STUCK_MILLIS = 5000

const server = (configuration: Configuration) =>
  Layer.unwrap(
    Effect.map(prepareDemo(configuration), (demo) =>
      Layer.provide(Layer.effectDiscard(announce(configuration, demo)), Service(configuration))
    )
  )

/** A store that hangs must not keep a process that was told to stop: it had its grace time twice over. */
const exitWhenStuck = ({ graceMillis }: Configuration) =>
  Effect.sync(() => {
    const exit = Effect.andThen(
      Effect.sleep(2 * graceMillis + STUCK_MILLIS),
      Effect.sync(() => process.exit(1))
    )
    for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => Effect.runFork(exit))
  })

const launch = (configuration: Configuration) =>
  Layer.launch(
    server(configuration).pipe(Layer.provide(ManagementLive), Layer.provide(Ground(configuration)))
  ).pipe(Effect.catchTag("ServeError", (error) => Effect.fail(cannotListen(configuration, error))))

/** Serves until the process is told to stop; then what was begun is finished, within its grace time. */
export const serve = (configuration: Configuration) =>
  Effect.andThen(exitWhenStuck(configuration), launch(configuration))

export const serveCommand = Command.make("serve", {}, () => withConfiguration(serve)).pipe(
  Command.withDescription("Serve the API, and do what is due"),
  Command.withExamples([
    { command: "peyk serve", description: "On the embedded store, at http://127.0.0.1:8080" }
  ])
)

export const migrateCommand = Command.make("migrate", {}, () =>
  withConfiguration((configuration) =>
    Effect.gen(function* () {
      const applied = yield* Effect.orDie(appliedMigration)
      yield* printOne({ schema: "up to date", migration: applied })
    }).pipe(Effect.provide(Ground(configuration)))
  )
).pipe(Command.withDescription("Bring the store's schema up to date (serve does it too)"))
