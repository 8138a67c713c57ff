import { Effect, Option, Redacted, Struct } from "effect"
import { Command, Flag } from "effect/cli"
import type { ApiKeyRecord } from "../../domain/people/ApiKey.ts"
import { KeyMode } from "../../domain/people/Customer.ts"
import { toApiKey } from "../../http/manage/access/ApiKeysApi.ts"
import { Keys } from "../../services/resources/access/Keys.ts"
import { auditEntriesOf } from "../../services/resources/ManagementWrites.ts"
import { audited, withManagement } from "../CommandContext.ts"
import { customerFlag, requireCustomer } from "../input/CustomerFlag.ts"
import { defaultableFlag } from "../input/DefaultableFlag.ts"
import { nameFlag, UNNAMED } from "../input/NameFlag.ts"
import { CommandError } from "../output/CommandError.ts"
import { printMany, printOne } from "../output/Output.ts"
import { listAll } from "../output/Pages.ts"

const entry = auditEntriesOf("api_key")

const toFields = (key: ApiKeyRecord) =>
  Effect.map(toApiKey(key), (resource) => Struct.omit(resource, ["allowed_ips", "version"]))

const printKey = (key: ApiKeyRecord, extra: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(toFields(key), (fields) => printOne({ ...fields, ...extra }))

const keyFlag = Flag.Int("key").pipe(Flag.withDescription("The key's id"))

const noKey = (key: number) => () => new CommandError({ message: `there is no key ${key}` })

const create = Command.make(
  "create",
  {
    customer: customerFlag,
    mode: Flag.Literals("mode", KeyMode.literals).pipe(Flag.withDescription("live, or test for the sandbox")),
    name: nameFlag("A name that says what uses the key").pipe(Flag.withDefault(UNNAMED)),
    expiresAt: Flag.Date("expires-at").pipe(Flag.withDescription("When it expires, ISO 8601"), Flag.optional)
  },
  ({ customer, mode, name, expiresAt }) =>
    withManagement(
      Effect.gen(function* () {
        yield* requireCustomer(customer)
        const expires = Option.match(expiresAt, { onNone: () => null, onSome: (date) => date.getTime() })
        const { record, secret } = yield* audited(
          customer,
          (yield* Keys).create(customer, { mode, name, expiresAt: expires }),
          (created) => entry("create", created.record.id, { name, mode })
        )
        yield* printKey(record, { secret: Redacted.value(secret) })
      }).pipe(
        Effect.catchTag(
          "validation_error",
          () => new CommandError({ message: "the key would have expired before it was made" })
        )
      )
    )
).pipe(Command.withDescription("Create a service key; its secret is shown only once"))

const list = Command.make("list", { customer: customerFlag }, ({ customer }) =>
  withManagement(
    Effect.gen(function* () {
      yield* requireCustomer(customer)
      const { list: page } = yield* Keys
      const newestFirst = yield* listAll((part) => page(customer, part))
      yield* printMany(yield* Effect.forEach(newestFirst.toReversed(), toFields))
    })
  )
).pipe(Command.withDescription("List a customer's service keys"))

const revoke = Command.make("revoke", { key: keyFlag }, ({ key }) =>
  withManagement(
    Effect.gen(function* () {
      const keys = yield* Keys
      const customer = yield* keys.ownerOf(key)
      const record = yield* audited(customer, keys.revoke(customer, key, null), ({ id }) =>
        entry("revoke", id)
      )
      yield* printKey(record)
    }).pipe(Effect.mapError(noKey(key)))
  )
).pipe(Command.withDescription("Revoke a service key, in every process at once"))

const limit = Command.make(
  "limit",
  {
    key: keyFlag,
    perMinute: defaultableFlag("per-minute", "Requests per minute (0: no limit), or default", {
      minimum: 0,
      maximum: 1_000_000_000
    })
  },
  ({ key, perMinute }) =>
    withManagement(
      Effect.gen(function* () {
        const keys = yield* Keys
        const customer = yield* keys.ownerOf(key)
        const record = yield* audited(
          customer,
          keys.update(customer, key, { requestsPerMinute: perMinute }, null),
          ({ id }) => entry("update", id, { rate_limit_per_minute: perMinute })
        )
        yield* printKey(record)
      }).pipe(Effect.mapError(noKey(key)))
    )
).pipe(Command.withDescription("Set the limit of a service key"))

export const keyCommand = Command.make("key").pipe(
  Command.withDescription("Service keys"),
  Command.withSubcommands([create, list, limit, revoke])
)
