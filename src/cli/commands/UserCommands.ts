import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import {
  actionCommand,
  customerCommand,
  installation,
  ofCustomer,
  oneOf,
  printAll
} from "../ActionCommand.ts"
import { operate, withManagement } from "../CommandContext.ts"
import { readConfiguration } from "../Configured.ts"
import { customerFlag, nameFlag, requireCustomer, optionalText } from "../input/Flags.ts"
import { passwordFlag, readPassword } from "../input/InputFile.ts"
import { CommandError, refusedAction } from "../output/CommandError.ts"
import { printOne } from "../output/Output.ts"
import { originOf } from "../output/Welcome.ts"
import { formatInstant } from "../../domain/Instant.ts"
import { Role } from "../../domain/user/Actor.ts"
import { normalizeEmail, type Member } from "../../domain/user/User.ts"
import { signInUrl } from "../../http/console/ConsolePaths.ts"
import { toUser } from "../../http/manage/UsersApi.ts"
import { rotateSigningKey } from "../../services/user/Operators.ts"
import { resetSecondFactor } from "../../services/user/SecondFactorActions.ts"
import type { SignInLink } from "../../services/user/ConsoleSessions.ts"
import {
  changeUser,
  createSignInLink,
  createUser,
  inviteUser,
  setPassword,
  Users
} from "../../services/user/Users.ts"

/** A user, or an operator, who is the platform's. */
const oneUser = oneOf("user", Flag.String("user").pipe(Flag.withDescription("The user's id")), (user) =>
  Users.use((users) => users.ownerOf(user))
)

const print = (user: Member) => printOne(toUser(user))

/** The name of somebody who was given none. */
export const nameOf = (name: Option.Option<string>, email: string): string =>
  Option.getOrElse(name, () => normalizeEmail(email).slice(0, 100))

const roleDescription = "viewer reads, developer also changes things, owner also manages users and tokens"

const create = Command.make(
  "create",
  {
    customer: customerFlag,
    email: Flag.String("email").pipe(Flag.withDescription("The e-mail address to sign in with")),
    role: Flag.Literals("role", Role.literals).pipe(Flag.withDescription(roleDescription)),
    name: nameFlag("The name; the e-mail address if absent").pipe(Flag.optional),
    passwordFile: Flag.optional(passwordFlag)
  },
  ({ customer, email, role, name, passwordFile }) =>
    withManagement(
      Effect.gen(function* () {
        const password = yield* Effect.transposeOption(Option.map(passwordFile, readPassword))
        yield* requireCustomer(customer)
        const input = { email, name: nameOf(name, email), role }
        const created = Option.match(password, {
          onNone: () => operate(inviteUser, { customer, target: undefined, input }),
          onSome: (given) =>
            operate(createUser, { customer, target: undefined, input: { ...input, password: given } })
        })
        yield* printOne(toUser(yield* Effect.mapError(created, refusedAction(`customer ${customer}`))))
      })
    )
).pipe(Command.withDescription("Create a user; without a password they sign in by a link"))

const list = customerCommand("list", "List a customer's users", (customer) =>
  printAll((part) => Users.use((users) => users.list(customer, part)), toUser, "reversed")
)

const update = actionCommand(
  "update",
  "Change a user's name or role; options that you leave out change nothing",
  changeUser,
  oneUser,
  {
    flags: {
      name: nameFlag("Their name").pipe(Flag.optional),
      role: Flag.Literals("role", Role.literals).pipe(Flag.withDescription(roleDescription), Flag.optional)
    },
    print
  }
)

const setActive = (name: string, active: boolean, description: string) =>
  actionCommand(name, description, changeUser, oneUser, { input: () => Effect.succeed({ active }), print })

const setUserPassword = actionCommand(
  "set-password",
  "Change a user's password, and sign them out everywhere",
  setPassword,
  oneUser,
  {
    flags: { passwordFile: passwordFlag },
    input: ({ passwordFile }) => Effect.map(readPassword(passwordFile), (password) => ({ password })),
    print
  }
)

const resetFactor = actionCommand(
  "reset-second-factor",
  "Remove a user's second factor, and sign them out everywhere",
  resetSecondFactor,
  oneUser,
  { print }
)

/** The address at which people and programs reach this installation. */
export const publicOrigin = Effect.map(
  readConfiguration,
  ({ host, port, publicUrl }) => publicUrl ?? originOf({ host }, port)
)

/** Prints a link with the address at which people open it. */
export const printLink = Effect.fnUntraced(function* ({ secret, expiresAt }: SignInLink) {
  yield* printOne({
    url: signInUrl(yield* publicOrigin, secret),
    expires_at: formatInstant(expiresAt)
  })
})

const nobody = (customer: number, email: string | null) =>
  new CommandError({
    message:
      email === null
        ? `customer ${customer} has no owner who may sign in; make one with peyk user create --role owner`
        : `customer ${customer} has no user ${email} who may sign in`
  })

const signInLink = actionCommand(
  "sign-in-link",
  "Create a link that signs a user in to the console once, within 10 minutes",
  createSignInLink,
  ofCustomer,
  {
    flags: {
      email: optionalText("email", "The user of the link; the first owner by default")
    },
    refused: (error, { email }, { customer }) =>
      error._tag === "not_found" ? nobody(customer, Option.getOrNull(email)) : refusedAction("user")(error),
    print: printLink
  }
)

const userCommand = Command.make("user").pipe(
  Command.withSubcommands([
    create,
    list,
    update,
    setActive("disable", false, "Sign a user out everywhere, and refuse further sign-ins"),
    setActive("enable", true, "Let a user sign in again"),
    setUserPassword,
    resetFactor,
    signInLink
  ])
)

const rotate = actionCommand(
  "rotate",
  "Create a new signing key; Peyk accepts the old one for another hour",
  rotateSigningKey,
  installation("signing key"),
  {
    print: ({ id, algorithm, createdAt }) =>
      printOne({ kid: id, algorithm, created_at: formatInstant(createdAt) })
  }
)

const signingKeyCommand = Command.make("signing-key").pipe(Command.withSubcommands([rotate]))

export const commands = { user: userCommand, "signing-key": signingKeyCommand }
