import { Clock, Effect, Option, Redacted, Struct } from "effect"
import { Command, Flag } from "effect/cli"
import { operate, withManagement } from "../CommandContext.ts"
import { customerFlag, defaultableFlag, nameFlag, requireCustomer, UNNAMED } from "../input/Flags.ts"
import { refusedAction } from "../output/CommandError.ts"
import { listAll, printMany, printOne } from "../output/Output.ts"
import { KeyMode } from "../../domain/customer/Customer.ts"
import type { ApiKeyRecord } from "../../domain/ApiKey.ts"
import { toApiKey } from "../../http/manage/ApiKeysApi.ts"
import { changeKey, createKey, revokeKey, rotateKey } from "../../services/key/KeyActions.ts"
import { type CreatedKey, Keys } from "../../services/key/Keys.ts"

const toFields = (key: ApiKeyRecord, now: number) =>
  Struct.omit(toApiKey(key, now), ["allowed_ips", "version"])

const printKey = (key: ApiKeyRecord) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => printOne(toFields(key, now)))

const printCreated = ({ record, secret }: CreatedKey) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    printOne({ ...toFields(record, now), secret: Redacted.value(secret) })
  )

const keyFlag = Flag.Int("key").pipe(Flag.withDescription("The key's id"))

/** The customer whose key this is, and the key. */
const ofKey = (key: number) =>
  Effect.map(
    Keys.use((keys) => keys.ownerOf(key)),
    (customer) => ({ customer, target: key })
  )

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
        const expires_at = Option.getOrNull(Option.map(expiresAt, (date) => date.toISOString()))
        const input = { mode, name, expires_at }
        const created = operate(createKey, { customer, target: undefined, input })
        yield* printCreated(yield* Effect.mapError(created, refusedAction(`customer ${customer}`)))
      })
    )
).pipe(Command.withDescription("Create a service key; its secret is shown only once"))

const list = Command.make("list", { customer: customerFlag }, ({ customer }) =>
  withManagement(
    Effect.gen(function* () {
      yield* requireCustomer(customer)
      const { list: page } = yield* Keys
      const newestFirst = yield* listAll((part) => page(customer, part))
      const now = yield* Clock.currentTimeMillis
      yield* printMany(newestFirst.toReversed().map((key) => toFields(key, now)))
    })
  )
).pipe(Command.withDescription("List a customer's service keys"))

const revoke = Command.make("revoke", { key: keyFlag }, ({ key }) =>
  withManagement(
    ofKey(key).pipe(
      Effect.flatMap((of) => operate(revokeKey, of)),
      Effect.mapError(refusedAction(`key ${key}`)),
      Effect.flatMap(printKey)
    )
  )
).pipe(Command.withDescription("Revoke a service key, in every process at once"))

const rotate = Command.make(
  "rotate",
  {
    key: keyFlag,
    overlapSeconds: Flag.Int("overlap-seconds").pipe(
      Flag.withDescription("How long the old key stays valid; a day if absent"),
      Flag.optional
    )
  },
  ({ key, overlapSeconds }) =>
    withManagement(
      ofKey(key).pipe(
        Effect.flatMap((of) =>
          operate(rotateKey, { ...of, input: { overlap_seconds: Option.getOrNull(overlapSeconds) } })
        ),
        Effect.mapError(refusedAction(`key ${key}`)),
        Effect.flatMap(printCreated)
      )
    )
).pipe(Command.withDescription("Replace a service key; the new secret is shown only once"))

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
      ofKey(key).pipe(
        Effect.flatMap((of) => operate(changeKey, { ...of, input: { rate_limit_per_minute: perMinute } })),
        Effect.mapError(refusedAction(`key ${key}`)),
        Effect.flatMap(printKey)
      )
    )
).pipe(Command.withDescription("Set the limit of a service key"))

export const keyCommand = Command.make("key").pipe(
  Command.withSubcommands([create, list, limit, rotate, revoke])
)
