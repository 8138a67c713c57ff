import { Clock, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { operate, withManagement } from "../CommandContext.ts"
import { customerFlag, nameFlag, requireCustomer, UNNAMED } from "../input/Flags.ts"
import { refusedAction } from "../output/CommandError.ts"
import { listAll, printMany, printOne } from "../output/Output.ts"
import { Scope } from "../../domain/user/Actor.ts"
import { toCreatedToken, toToken } from "../../http/manage/TokensApi.ts"
import { createToken, revokeToken } from "../../services/key/TokenActions.ts"
import { Tokens } from "../../services/key/Tokens.ts"

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
        const expires_at = Option.getOrUndefined(Option.map(expiresAt, (date) => date.toISOString()))
        const input = { name, scope, ...(expires_at === undefined ? {} : { expires_at }) }
        const created = operate(createToken, { customer, target: undefined, input })
        const token = yield* Effect.mapError(created, refusedAction(`customer ${customer}`))
        yield* printOne(toCreatedToken(token, yield* Clock.currentTimeMillis))
      })
    )
).pipe(Command.withDescription("Create a personal access token; its secret is shown only once"))

const list = Command.make("list", { customer: customerFlag }, ({ customer }) =>
  withManagement(
    Effect.gen(function* () {
      yield* requireCustomer(customer)
      const { list: page } = yield* Tokens
      const newestFirst = yield* listAll((part) => page(customer, part))
      const now = yield* Clock.currentTimeMillis
      yield* printMany(newestFirst.toReversed().map((token) => toToken(token, now)))
    })
  )
).pipe(Command.withDescription("List a customer's personal access tokens"))

const revoke = Command.make(
  "revoke",
  { token: Flag.Int("token").pipe(Flag.withDescription("The token's id")) },
  ({ token }) =>
    withManagement(
      Effect.gen(function* () {
        const customer = yield* Tokens.use((tokens) => tokens.ownerOf(token))
        const record = yield* operate(revokeToken, { customer, target: token })
        yield* printOne(toToken(record, yield* Clock.currentTimeMillis))
      }).pipe(Effect.mapError(refusedAction(`token ${token}`)))
    )
).pipe(Command.withDescription("Revoke a personal access token, in every process at once"))

export const tokenCommand = Command.make("token").pipe(Command.withSubcommands([create, list, revoke]))
