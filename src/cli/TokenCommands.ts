import { Effect, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { Scope } from "../domain/people/Actor.ts"
import { toToken } from "../http/manage/access/TokensApi.ts"
import { Management } from "../services/resources/Management.ts"
import { withManagement } from "./CommandContext.ts"
import { customerFlag } from "./input/CustomerFlag.ts"
import { printMany, printOne } from "./output/Output.ts"

const create = Command.make(
  "create",
  {
    customer: customerFlag,
    scope: Flag.Literals("scope", Scope.literals).pipe(
      Flag.withDescription("full, or read_only for what only reads")
    ),
    name: Flag.String("name").pipe(Flag.withDescription("What the token is for"), Flag.withDefault("")),
    expiresAt: Flag.Date("expires-at").pipe(
      Flag.withDescription("When it expires, ISO 8601; in 90 days if absent"),
      Flag.optional
    )
  },
  ({ customer, scope, name, expiresAt }) =>
    withManagement(
      Effect.gen(function* () {
        const expires = Option.getOrUndefined(Option.map(expiresAt, (date) => date.getTime()))
        const { record, secret } = yield* (yield* Management).createToken(customer, {
          name,
          scope,
          expiresAt: expires
        })
        yield* printOne({ ...(yield* toToken(record)), secret: Redacted.value(secret) })
      })
    )
).pipe(Command.withDescription("Create a personal access token; its secret is shown this once"))

const list = Command.make("list", { customer: customerFlag }, ({ customer }) =>
  withManagement(
    Effect.gen(function* () {
      const tokens = yield* (yield* Management).listTokens(customer)
      yield* printMany(yield* Effect.forEach(tokens, toToken))
    })
  )
).pipe(Command.withDescription("List a customer's personal access tokens"))

const revoke = Command.make(
  "revoke",
  { token: Flag.Int("token").pipe(Flag.withDescription("The token's id")) },
  ({ token }) =>
    withManagement(
      Effect.gen(function* () {
        yield* printOne(yield* toToken(yield* (yield* Management).revokeToken(token)))
      })
    )
).pipe(Command.withDescription("Revoke a personal access token, in every process within seconds"))

export const tokenCommand = Command.make("token").pipe(
  Command.withDescription("Personal access tokens, for the management API"),
  Command.withSubcommands([create, list, revoke])
)
