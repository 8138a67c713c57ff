import { Clock, Effect, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { type ApiKeyRecord, apiKeyStatus } from "../domain/ApiKey.ts"
import { KeyMode } from "../domain/Customer.ts"
import { formatInstant, type Instant } from "../domain/Instant.ts"
import { Management } from "../services/Management.ts"
import { withManagement } from "./CommandGround.ts"
import { customerFlag } from "./CustomerCommands.ts"
import { printMany, printOne } from "./Output.ts"

const iso = (instant: Instant | null) => (instant === null ? null : formatInstant(instant))

const toFields = (key: ApiKeyRecord, now: Instant) => ({
  id: key.id,
  name: key.name,
  mode: key.mode,
  prefix: key.prefix,
  last_four: key.lastFour,
  status: apiKeyStatus(key, now),
  created_at: iso(key.createdAt),
  last_used_at: iso(key.lastUsedAt),
  expires_at: iso(key.expiresAt),
  revoked_at: iso(key.revokedAt)
})

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

const revoke = Command.make(
  "revoke",
  { key: Flag.Int("key").pipe(Flag.withDescription("The key's id")) },
  ({ key }) =>
    withManagement(
      Effect.gen(function* () {
        const record = yield* (yield* Management).revokeKey(key)
        yield* printOne(toFields(record, yield* Clock.currentTimeMillis))
      })
    )
).pipe(Command.withDescription("Revoke a service key, in every process within seconds"))

export const keyCommand = Command.make("key").pipe(
  Command.withDescription("Service keys"),
  Command.withSubcommands([create, list, revoke])
)
