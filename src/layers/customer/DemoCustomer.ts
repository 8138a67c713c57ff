import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Channel } from "../../domain/routing/Channel.ts"
import { Passwords } from "../../services/user/Passwords.ts"
import { Accounts } from "../../services/account/Accounts.ts"
import { CustomerRecords } from "../../services/customer/CustomerRecords.ts"
import { Keys } from "../../services/key/Keys.ts"
import { RoutingOrders } from "../../services/routing/RoutingOrders.ts"
import { Tokens } from "../../services/key/Tokens.ts"
import { Users } from "../../services/user/Users.ts"
import { Wallets } from "../../services/Wallets.ts"
import { Simulator } from "../../services/system/Simulator.ts"
import { StartupError } from "../system/StartupError.ts"

const ROUTING: ReadonlyArray<Channel> = ["bale", "eitaa", "sms"]
const CHANNELS: ReadonlyArray<Channel> = ["eitaa", "bale", "soroushplus", "rubika", "telegram", "sms"]
/** Keeps two first starts from creating two demo customers. */
const CREATION_LOCK = 1_885_698_413

/** The credentials that a newcomer needs to try the API; kept in `demo.json` of the data directory. */
export interface DemoCustomer {
  readonly customer_id: number
  readonly live_key: string
  readonly test_key: string
  /** A personal access token of full scope. */
  readonly token: string
}

export const demoFile = (dataDirectory: string): string => path.join(dataDirectory, "demo.json")

const DEMO_RIALS = 10_000_000

const connectSimulatedAccounts = Effect.fnUntraced(function* (customerId: number) {
  const accounts = yield* Accounts
  for (const channel of CHANNELS) {
    const label = `Simulated ${channel}`
    yield* accounts.connect(customerId, {
      channel,
      provider: "simulator",
      label,
      settings: {},
      isDefault: true
    })
  }
  const steps = ROUTING.map((channel) => ({ channel }))
  yield* (yield* RoutingOrders).save(customerId, steps, null)
})

/** Signs in by a link; nobody knows the password. */
const DEMO_EMAIL = "owner@demo.peyk.invalid"
const PASSWORD_BYTES = 32

const createOwner = Effect.fnUntraced(function* (customerId: number, email: string) {
  const password = Redacted.make(randomBytes(PASSWORD_BYTES).toString("base64url"))
  const passwordHash = yield* (yield* Passwords).hash(password, { customerId, network: null })
  yield* (yield* Users).create(customerId, { email, name: "Demo owner", role: "owner", passwordHash })
})

/** A customer with whom everything can be tried, in any store. */
export const createTrialCustomer = Effect.fnUntraced(function* (ownersEmail: string) {
  const { create: newCustomer } = yield* CustomerRecords
  const { create: createKey } = yield* Keys
  const customer = yield* newCustomer("Demo", "start")
  yield* (yield* Wallets).topUp(customer.id, DEMO_RIALS)
  const newKey = (mode: "live" | "test") =>
    Effect.map(createKey(customer.id, { mode, name: "demo", expiresAt: null }), ({ secret }) =>
      Redacted.value(secret)
    )
  const liveKey = yield* newKey("live")
  const testKey = yield* newKey("test")
  if ((yield* Simulator).isOn) yield* connectSimulatedAccounts(customer.id)
  yield* createOwner(customer.id, ownersEmail)
  const { secret: token } = yield* (yield* Tokens).create(customer.id, {
    name: "demo",
    scope: "full",
    expiresAt: null
  })
  const demo: DemoCustomer = {
    customer_id: customer.id,
    live_key: liveKey,
    test_key: testKey,
    token: Redacted.value(token)
  }
  return demo
}, Effect.orDie)

const writeDemoFile = (file: string, demo: DemoCustomer) =>
  Effect.try({
    try: () => {
      fs.rmSync(file, { force: true })
      fs.writeFileSync(file, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 })
    },
    catch: (error) => new StartupError({ message: `${file} cannot be written: ${String(error)}` })
  })

/**
 * On the first start of an empty store, creates the demo customer: plan start, keys, and, if the simulator is on, a
 * simulator account per channel and a routing order. Null if the store already has customers.
 */
export const createDemoCustomer = Effect.fnUntraced(function* (dataDirectory: string) {
  const sql = yield* SqlClient.SqlClient
  const customers = yield* CustomerRecords
  const create = Effect.gen(function* () {
    yield* sql`select pg_advisory_xact_lock(${CREATION_LOCK})`
    if ((yield* customers.list).length > 0) return null
    const demo = yield* createTrialCustomer(DEMO_EMAIL)
    yield* writeDemoFile(demoFile(dataDirectory), demo)
    return demo
  })
  return yield* sql.withTransaction(create).pipe(Effect.catchTag("SqlError", Effect.die))
})
