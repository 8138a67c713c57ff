import { Effect, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { Scope } from "../../domain/people/Actor.ts"
import { toToken } from "../../http/manage/access/TokensApi.ts"
import { auditEntriesOf } from "../../services/resources/ManagementWrites.ts"
import { Tokens } from "../../services/resources/access/Tokens.ts"
import { audited, withManagement } from "../CommandContext.ts"
import { customerFlag, requireCustomer } from "../input/CustomerFlag.ts"
import { nameFlag, UNNAMED } from "../input/NameFlag.ts"
import { CommandError } from "../output/CommandError.ts"
import { printMany, printOne } from "../output/Output.ts"
import { listAll } from "../output/Pages.ts"

const entry = auditEntriesOf("token")

const create = Command.make(
  "create",
  {
    customer: customerFlag,
    scope: Flag.Literals("scope", Scope.literals).pipe(
      Flag.withDescription("full, or read_only for programs that only read")
    ),
    name: nameFlag("A name that says what uses the token").pipe(Flag.withDefault(UNNAMED)),
    expiresAt: Flag.Date("expires-at").pipe(
      Flag.withDescription("When it expires, ISO 8601; in 90 days if absent"),
      Flag.optional
    )
  },
  ({ customer, scope, name, expiresAt }) =>
    withManagement(
      Effect.gen(function* () {
        yield* requireCustomer(customer)
        const expires = Option.getOrUndefined(Option.map(expiresAt, (date) => date.getTime()))
        const { record, secret } = yield* audited(
          customer,
          (yield* Tokens).create(customer, { name, scope, expiresAt: expires }),
          (created) => entry("create", created.record.id, { name, scope })
        )
        yield* printOne({ ...(yield* toToken(record)), secret: Redacted.value(secret) })
      }).pipe(
        Effect.catchTag(
          "validation_error",
          () => new CommandError({ message: "the token would have expired before it was made" })
        )
      )
    )
).pipe(Command.withDescription("Create a personal access token; its secret is shown only once"))

const list = Command.make("list", { customer: customerFlag }, ({ customer }) =>
  withManagement(
    Effect.gen(function* () {
      yield* requireCustomer(customer)
      const { list: page } = yield* Tokens
      const newestFirst = yield* listAll((part) => page(customer, part))
      yield* printMany(yield* Effect.forEach(newestFirst.toReversed(), toToken))
    })
  )
).pipe(Command.withDescription("List a customer's personal access tokens"))

const revoke = Command.make(
  "revoke",
  { token: Flag.Int("token").pipe(Flag.withDescription("The token's id")) },
  ({ token }) =>
    withManagement(
      Effect.gen(function* () {
        const tokens = yield* Tokens
        const customer = yield* tokens.ownerOf(token)
        const record = yield* audited(customer, tokens.revoke(customer, token), ({ id }) =>
          entry("revoke", id)
        )
        yield* printOne(yield* toToken(record))
      }).pipe(Effect.mapError(() => new CommandError({ message: `there is no token ${token}` })))
    )
).pipe(Command.withDescription("Revoke a personal access token, in every process at once"))

export const tokenCommand = Command.make("token").pipe(
  Command.withDescription("Personal access tokens, for the management API"),
  Command.withSubcommands([create, list, revoke])
)
