import { Clock, Effect, Option, Redacted, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { type ApiKeyRecord, apiKeyStatus } from "../domain/people/ApiKey.ts"
import { KeyMode } from "../domain/people/Customer.ts"
import { formatInstant, type Instant } from "../domain/Instant.ts"
import { Management } from "../services/resources/Management.ts"
import { withManagement } from "./CommandContext.ts"
import { customerFlag } from "./input/CustomerFlag.ts"
import { printMany, printOne } from "./output/Output.ts"

const iso = (instant: Instant | null) => (instant === null ? null : formatInstant(instant))

const toFields = (key: ApiKeyRecord, now: Instant) => ({
  id: key.id,
  name: key.name,
  mode: key.mode,
  prefix: key.prefix,
  last_four: key.lastFour,
  status: apiKeyStatus(key, now),
  rate_limit_per_minute: key.requestsPerMinute,
  created_at: iso(key.createdAt),
  last_used_at: iso(key.lastUsedAt),
  expires_at: iso(key.expiresAt),
  revoked_at: iso(key.revokedAt)
})

const keyFlag = Flag.Int("key").pipe(Flag.withDescription("The key's id"))

const RequestsPerMinute = Schema.FiniteFromString.check(
  Schema.isInt(),
  Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 })
)

const create = Command.make(
  "create",
  {
    customer: customerFlag,
    mode: Flag.Literals("mode", KeyMode.literals).pipe(Flag.withDescription("live, or test for the sandbox")),
    name: Flag.String("name").pipe(Flag.withDescription("What the key is for"), Flag.withDefault("")),
    expiresAt: Flag.Date("expires-at").pipe(Flag.withDescription("When it expires, ISO 8601"), Flag.optional)
  },
  ({ customer, mode, name, expiresAt }) =>
    withManagement(
      Effect.gen(function* () {
        const management = yield* Management
        const expires = Option.match(expiresAt, { onNone: () => null, onSome: (date) => date.getTime() })
        const { record, secret } = yield* management.createKey({
          customerId: customer,
          mode,
          name,
          expiresAt: expires
        })
        const now = yield* Clock.currentTimeMillis
        yield* printOne({ ...toFields(record, now), secret: Redacted.value(secret) })
      })
    )
).pipe(Command.withDescription("Create a service key; its secret is shown this once"))

const list = Command.make("list", { customer: customerFlag }, ({ customer }) =>
  withManagement(
    Effect.gen(function* () {
      const keys = yield* (yield* Management).listKeys(customer)
      const now = yield* Clock.currentTimeMillis
      yield* printMany(keys.map((key) => toFields(key, now)))
    })
  )
).pipe(Command.withDescription("List a customer's service keys"))

const revoke = Command.make("revoke", { key: keyFlag }, ({ key }) =>
  withManagement(
    Effect.gen(function* () {
      const record = yield* (yield* Management).revokeKey(key)
      yield* printOne(toFields(record, yield* Clock.currentTimeMillis))
    })
  )
).pipe(Command.withDescription("Revoke a service key, in every process within seconds"))

const limit = Command.make(
  "limit",
  {
    key: keyFlag,
    perMinute: Flag.String("per-minute").pipe(
      Flag.withDescription("Requests per minute (0: no limit), or default"),
      Flag.withSchema(Schema.Union([Schema.Literal("default"), RequestsPerMinute]))
    )
  },
  ({ key, perMinute }) =>
    withManagement(
      Effect.gen(function* () {
        const own = perMinute === "default" ? null : perMinute
        const record = yield* (yield* Management).limitKey(key, own)
        yield* printOne(toFields(record, yield* Clock.currentTimeMillis))
      })
    )
).pipe(Command.withDescription("Give a service key a limit of its own"))

export const keyCommand = Command.make("key").pipe(
  Command.withDescription("Service keys"),
  Command.withSubcommands([create, list, limit, revoke])
)
