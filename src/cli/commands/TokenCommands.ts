import { Clock, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { actionCommand, customerCommand, ofCustomer, oneOf, printAll } from "../ActionCommand.ts"
import { expiryFlag, nameFlag, UNNAMED } from "../input/Flags.ts"
import { printOne } from "../output/Output.ts"
import { Scope } from "../../domain/user/Actor.ts"
import { toCreatedToken, toToken } from "../../http/manage/TokensApi.ts"
import { createToken, revokeToken, Tokens } from "../../services/key/Tokens.ts"

const create = actionCommand(
  "create",
  "Create a personal access token; its secret is shown only once",
  createToken,
  ofCustomer,
  {
    flags: {
      scope: Flag.Literals("scope", Scope.literals).pipe(
        Flag.withDescription("full, or read_only for programs that only read")
      ),
      name: nameFlag("A name that says what uses the token").pipe(Flag.withDefault(UNNAMED)),
      expires_at: expiryFlag("When it expires", "; in 90 days if absent")
    },
    print: (token) => Effect.flatMap(Clock.currentTimeMillis, (now) => printOne(toCreatedToken(token, now)))
  }
)

const list = customerCommand("list", "List a customer's personal access tokens", (customer) =>
  printAll((part) => Tokens.use((tokens) => tokens.list(customer, part)), toToken, "reversed")
)

const oneToken = oneOf("token", Flag.Int("token").pipe(Flag.withDescription("The token's id")), (token) =>
  Tokens.use((tokens) => tokens.ownerOf(token))
)

const revoke = actionCommand(
  "revoke",
  "Revoke a personal access token, in every process at once",
  revokeToken,
  oneToken,
  { print: (token) => Effect.flatMap(Clock.currentTimeMillis, (now) => printOne(toToken(token, now))) }
)

const tokenCommand = Command.make("token").pipe(Command.withSubcommands([create, list, revoke]))

export const commands = { token: tokenCommand }
