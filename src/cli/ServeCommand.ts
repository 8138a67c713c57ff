import { Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { HttpServer, type HttpServerError } from "effect/http"
import { SqlClient } from "effect/sql"
import type { Configuration } from "../layers/Configuration.ts"
import { createDemoCustomer, demoFile } from "../layers/DemoCustomer.ts"
import { Ground, hasSimulator, ManagementLive, Service } from "../layers/Live.ts"
import { StartupError } from "../layers/StartupError.ts"
import { isEmbedded } from "../layers/Store.ts"
import { withConfiguration } from "./CommandGround.ts"
import { demoLines } from "./DemoLines.ts"

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

const introduceDemo = Effect.fnUntraced(function* (configuration: Configuration, origin: string) {
  if (!isEmbedded(configuration)) return
  const demo = yield* createDemoCustomer(configuration.dataDirectory)
  yield* Console.log(
    demo === null
      ? `Keys of the demo customer: ${demoFile(configuration.dataDirectory)}\n`
      : `${demoLines(origin, demo)}\n`
  )
})

const announce = (configuration: Configuration) =>
  Effect.gen(function* () {
    const { address } = yield* HttpServer.HttpServer
    const origin = originOf(configuration, "port" in address ? address.port : configuration.port)
    yield* Console.log(welcome(configuration, origin))
    yield* Effect.mapError(
      introduceDemo(configuration, origin),
      ({ message }) => new StartupError({ message: `the demo customer could not be made: ${message}` })
    )
  })

const cannotListen = ({ host, port }: Configuration, { cause }: HttpServerError.ServeError) =>
  new StartupError({
    message: `cannot listen on ${host}:${port}: ${String(cause)}; choose another address with PEYK_HOST and PEYK_PORT`
  })

/** Serves until the process is told to stop; then what was begun is finished, within its grace time. */
export const serve = (configuration: Configuration) =>
  Layer.launch(
    Layer.effectDiscard(announce(configuration)).pipe(
      Layer.provide(Layer.merge(Service(configuration), ManagementLive)),
      Layer.provide(Ground(configuration))
    )
  ).pipe(Effect.catchTag("ServeError", (error) => Effect.fail(cannotListen(configuration, error))))

export const serveCommand = Command.make("serve", {}, () => withConfiguration(serve)).pipe(
  Command.withDescription("Serve the API, and do what is due"),
  Command.withExamples([
    { command: "peyk serve", description: "On the embedded store, at http://127.0.0.1:8080" }
  ])
)

export const migrateCommand = Command.make("migrate", {}, () =>
  withConfiguration((configuration) =>
    Effect.gen(function* () {
      yield* SqlClient.SqlClient
      yield* Console.log("The schema is up to date.")
    }).pipe(Effect.provide(Ground(configuration)))
  )
).pipe(Command.withDescription("Bring the store's schema up to date (serve does it too)"))
