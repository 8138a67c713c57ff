import { Clock, Effect, Redacted, Struct } from "effect"
import { Command, Flag } from "effect/cli"
import { actionCommand, customerCommand, ofCustomer, oneOf, printAll } from "../ActionCommand.ts"
import { defaultableFlag, expiryFlag, nameFlag, UNNAMED } from "../input/Flags.ts"
import { printOne } from "../output/Output.ts"
import { KeyMode } from "../../domain/customer/Customer.ts"
import { type ApiKeyRecord, DEFAULT_OVERLAP_SECONDS } from "../../domain/ApiKey.ts"
import { toApiKey } from "../../http/manage/ApiKeysApi.ts"
import { changeKey, type CreatedKey, createKey, Keys, revokeKey, rotateKey } from "../../services/key/Keys.ts"

const toFields = (key: ApiKeyRecord, now: number) =>
  Struct.omit(toApiKey(key, now), ["allowed_ips", "version"])

const printKey = (key: ApiKeyRecord) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => printOne(toFields(key, now)))

const printCreated = ({ record, secret }: CreatedKey) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    printOne({ ...toFields(record, now), secret: Redacted.value(secret) })
  )

const oneKey = oneOf("key", Flag.Int("key").pipe(Flag.withDescription("The key's id")), (key) =>
  Keys.use((keys) => keys.ownerOf(key))
)

const create = actionCommand(
  "create",
  "Create a service key; its secret is shown only once",
  createKey,
  ofCustomer,
  {
    flags: {
      mode: Flag.Literals("mode", KeyMode.literals).pipe(
        Flag.withDescription("live, or test for the sandbox")
      ),
      name: nameFlag("A name that says what uses the key").pipe(Flag.withDefault(UNNAMED)),
      expires_at: expiryFlag("When it expires")
    },
    print: printCreated
  }
)

const list = customerCommand("list", "List a customer's service keys", (customer) =>
  printAll((part) => Keys.use((keys) => keys.list(customer, part)), toFields, "reversed")
)

const revoke = actionCommand("revoke", "Revoke a service key, in every process at once", revokeKey, oneKey, {
  print: printKey
})

const rotate = actionCommand(
  "rotate",
  "Replace a service key; the new secret is shown only once",
  rotateKey,
  oneKey,
  {
    flags: {
      overlap_seconds: Flag.Int("overlap-seconds").pipe(
        Flag.withDescription(`How long the old key stays valid; ${DEFAULT_OVERLAP_SECONDS} if absent`),
        Flag.optional
      )
    },
    print: printCreated
  }
)

const limit = actionCommand("limit", "Set the limit of a service key", changeKey, oneKey, {
  flags: {
    rate_limit_per_minute: defaultableFlag("per-minute", "Requests per minute (0: no limit), or default", {
      minimum: 0,
      maximum: 1_000_000_000
    })
  },
  print: printKey
})

const keyCommand = Command.make("key").pipe(Command.withSubcommands([create, list, limit, rotate, revoke]))

export const commands = { key: keyCommand }
