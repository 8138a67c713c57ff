import { Console, Effect, Layer, Option, Redacted, References, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { FetchHttpClient, HttpClient, HttpClientRequest, HttpServer } from "effect/http"
import type { Channel } from "../../domain/routing/Channel.ts"
import { SHORTEST_WAIT_SECONDS } from "../../domain/routing/Waits.ts"
import { SendResponse, StatusResponse, VerifyResponse } from "../../http/verification/OtpSchemas.ts"
import type { Configuration } from "../../layers/config/Configuration.ts"
import { createDemoCustomer } from "../../layers/customer/DemoCustomer.ts"
import { Infrastructure } from "../../layers/graphs/Infrastructure.ts"
import { Service } from "../../layers/graphs/Live.ts"
import { ManagementLive } from "../../layers/graphs/Management.ts"
import { isEmbedded } from "../../layers/postgres/StoreLocation.ts"
import { Accounts } from "../../services/account/Accounts.ts"
import { CustomerRecords } from "../../services/customer/CustomerRecords.ts"
import { Keys } from "../../services/key/Keys.ts"
import { Simulator } from "../../services/system/Simulator.ts"
import { listAll } from "../output/Output.ts"
import { originOf } from "../output/Welcome.ts"
import { REFERENCE_PATH } from "../../http/system/reference/Frame.ts"
import { withConfiguration } from "../Configured.ts"

const CUSTOMER_NAME = "peyk demo"
const PHONE = "09121234567"
const E164 = "+989121234567"

const step = (title: string) => Console.log(`\n▸ ${title}`)
const detail = (line: string) => Console.log(`  ${line}`)

const findOrCreateCustomer = Effect.gen(function* () {
  const customers = yield* CustomerRecords
  const known = (yield* customers.list).find(({ name }) => name === CUSTOMER_NAME)
  const { id } = known ?? (yield* customers.create(CUSTOMER_NAME, "free"))
  // No limits and no wallet, so that it can run any number of times, to one phone.
  yield* customers.update(id, { plan: "free" })
  yield* customers.changeLimits(id, { phone_hour: 0, phone_day: 0, monthly_quota: 0 })
  return id
}).pipe(Effect.orDie)

const accountFor = Effect.fnUntraced(function* (customerId: number, channel: Channel, outcome: string) {
  const accounts = yield* Accounts
  const label = `Simulated ${channel}, ${outcome}`
  const connected = yield* listAll((page) => accounts.list(customerId, { ...page, channel }))
  const known = connected.find((account) => account.label === label)
  if (known !== undefined) return known.id
  const account = { channel, provider: "simulator", label, settings: { outcome }, isDefault: false }
  return (yield* Effect.orDie(accounts.connect(customerId, account))).id
})

/** Calls the API over real HTTP with one key. */
const makeCaller = Effect.fnUntraced(function* (origin: string, key: string) {
  const client = yield* HttpClient.HttpClient
  const call = <S extends Schema.Decoder<unknown>>(
    request: HttpClientRequest.HttpClientRequest,
    response: S
  ) =>
    client.execute(HttpClientRequest.setHeader(request, "x-api-key", key)).pipe(
      Effect.flatMap(({ json }) => json),
      Effect.flatMap(Schema.decodeUnknownEffect(response)),
      Effect.orDie
    )
  return {
    post: <S extends Schema.Decoder<unknown>>(
      path: string,
      body: unknown,
      response: S,
      idempotencyKey = ""
    ) =>
      call(
        HttpClientRequest.post(`${origin}${path}`).pipe(
          HttpClientRequest.bodyJsonUnsafe(body),
          HttpClientRequest.setHeader("idempotency-key", idempotencyKey)
        ),
        response
      ),
    get: <S extends Schema.Decoder<unknown>>(path: string, response: S) =>
      call(HttpClientRequest.get(`${origin}${path}`), response)
  }
})
type Caller = Effect.Success<ReturnType<typeof makeCaller>>

/** Follows a verification until its second channel was tried, and prints what happens. */
const followFallback = Effect.fnUntraced(function* (caller: Caller, id: string) {
  let toldSeconds: number | null = null
  while (true) {
    const status = yield* caller.get(`/v1/otp/${id}`, StatusResponse)
    if (status.attempts.length > 1) return status
    if (
      status.remaining_seconds !== null &&
      status.remaining_seconds > 0 &&
      status.remaining_seconds !== toldSeconds &&
      status.remaining_seconds % 5 === 0
    ) {
      toldSeconds = status.remaining_seconds
      yield* detail(`${status.current_channel.provider} was tried; the next channel in ${toldSeconds} s`)
    }
    yield* Effect.sleep("200 millis")
  }
})

const newestCode = Effect.gen(function* () {
  const [newest] = yield* (yield* Simulator).messages(E164)
  yield* detail(`[${newest?.channel}] ${newest?.text.split("\n").join(" / ")}`)
  return newest?.code ?? ""
})

const wrongCode = (code: string): string => (code === "000000" ? "111111" : "000000")

const walk = Effect.fnUntraced(function* (origin: string, timed: boolean) {
  const customerId = yield* findOrCreateCustomer
  const keys = yield* Keys
  const { secret, record } = yield* Effect.orDie(
    keys.create(customerId, { mode: "live", name: CUSTOMER_NAME, expiresAt: null })
  )
  const caller = yield* makeCaller(origin, Redacted.value(secret))
  const first = yield* accountFor(customerId, "rubika", timed ? "accepted" : "unreachable")
  const second = yield* accountFor(customerId, "bale", "accepted")
  const channels = [
    { channel: "rubika", account_id: first, wait: SHORTEST_WAIT_SECONDS },
    { channel: "bale", account_id: second }
  ]

  yield* step(`Send a code to ${PHONE}: rubika first, then bale`)
  const sent = yield* caller.post(
    "/v1/otp/send",
    { phone: PHONE, channels },
    SendResponse,
    `demo-${record.id}`
  )
  const id = sent.verification_id
  yield* detail(`${sent.status}, valid for ${sent.expires_in} s, verification ${id}`)

  yield* step(
    timed
      ? "The user does not enter it: Peyk waits, and falls back"
      : "Rubika does not reach this phone: fall back"
  )
  const status = yield* followFallback(caller, id)
  for (const { sequence, channel, status: outcome, transition_reason: reason } of status.attempts) {
    yield* detail(
      `${sequence}. ${channel.provider}: ${outcome}${reason === null ? "" : ` → next (${reason})`}`
    )
  }

  yield* step("The phone received")
  const code = yield* newestCode

  yield* step("Verify a wrong code, then the right one")
  for (const attempt of [wrongCode(code), code]) {
    const result = yield* caller.post(
      "/v1/otp/verify",
      { verification_id: id, code: attempt },
      VerifyResponse
    )
    yield* detail(`${attempt}: verified=${result.verified}, reason=${result.reason}`)
  }
  const end = yield* caller.get(`/v1/otp/${id}`, StatusResponse)
  yield* step(`The verification is ${end.status}. No later channel will be tried.`)
  yield* Effect.orDie(keys.revoke(customerId, record.id, null))
})

/** A test key for the reference's forms. That of an earlier run ends, so that there is one. */
const newTestKey = Effect.fnUntraced(function* (customerId: number) {
  const keys = yield* Keys
  const active = yield* listAll((page) => keys.list(customerId, { ...page, mode: "test", status: "active" }))
  yield* Effect.forEach(active, ({ id }) => keys.revoke(customerId, id, null), { discard: true })
  const { secret } = yield* keys.create(customerId, { mode: "test", name: CUSTOMER_NAME, expiresAt: null })
  return Redacted.value(secret)
}, Effect.orDie)

/** The server of the demo ends with it: the address is that of the next one. */
const inviteToTry = Effect.fnUntraced(function* ({ host, port }: Configuration) {
  const key = yield* newTestKey(yield* findOrCreateCustomer)
  yield* step(
    "Try the API in a browser, with this test key: start Peyk (peyk serve), and open the sandbox's page"
  )
  yield* detail(`${originOf({ host }, port)}${REFERENCE_PATH}/sandbox`)
  yield* detail(key)
})

const demo = (configuration: Configuration, timed: boolean) => {
  const own = { ...configuration, host: "127.0.0.1", port: 0, simulator: Option.some(true) }
  return Effect.gen(function* () {
    if (isEmbedded(own)) yield* createDemoCustomer(own.dataDirectory)
    const { address } = yield* HttpServer.HttpServer
    yield* walk(`http://127.0.0.1:${"port" in address ? address.port : 0}`, timed)
    yield* inviteToTry(configuration)
  }).pipe(
    Effect.provide(
      Layer.mergeAll(Service(own), ManagementLive, FetchHttpClient.layer).pipe(
        Layer.provideMerge(Infrastructure(own))
      )
    ),
    Effect.catchTag("ServeError", (error) => Effect.die(error)),
    // The server's own log lines would interrupt the walk.
    Effect.provideService(References.MinimumLogLevel, "Warn")
  )
}

const demoCommand = Command.make(
  "demo",
  {
    timed: Flag.Boolean("timed").pipe(
      Flag.withDescription(`Show a fallback by time: takes ${SHORTEST_WAIT_SECONDS} s`),
      Flag.withDefault(false)
    )
  },
  ({ timed }) => withConfiguration((configuration) => demo(configuration, timed))
)

export const commands = { demo: demoCommand }
