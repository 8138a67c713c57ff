import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { operate, readConfiguration, withManagement } from "../CommandContext.ts"
import { customerFlag, nameFlag, requireCustomer } from "../input/Flags.ts"
import { passwordFlag, readPassword } from "../input/InputFile.ts"
import { CommandError, refusedAction } from "../output/CommandError.ts"
import { listAll, printMany, printOne } from "../output/Output.ts"
import { originOf } from "../output/Welcome.ts"
import { formatInstant } from "../../domain/Instant.ts"
import { Role } from "../../domain/user/Actor.ts"
import { normalizeEmail } from "../../domain/user/User.ts"
import { signInUrl } from "../../http/console/ConsolePaths.ts"
import { toUser } from "../../http/manage/UsersApi.ts"
import { rotateSigningKey } from "../../services/user/OperatorActions.ts"
import type { SignInLink } from "../../services/user/SignInLinks.ts"
import {
  changeUser,
  createSignInLink,
  createUser,
  inviteUser,
  setPassword
} from "../../services/user/UserActions.ts"
import { Users } from "../../services/user/Users.ts"

const userFlag = Flag.String("user").pipe(Flag.withDescription("The user's id"))

/** The customer whose user this is (an operator is the platform's), and the user. */
const ofUser = (user: string) =>
  Effect.map(
    Users.use((users) => users.ownerOf(user)),
    (customer) => ({ customer, target: user })
  )

/** The name of somebody who was given none. */
export const nameOf = (name: Option.Option<string>, email: string): string =>
  Option.getOrElse(name, () => normalizeEmail(email).slice(0, 100))

const roleDescription = "viewer reads, developer also changes things, owner also manages users and tokens"

const create = Command.make(
  "create",
  {
    customer: customerFlag,
    email: Flag.String("email").pipe(Flag.withDescription("The address that they sign in with")),
    role: Flag.Literals("role", Role.literals).pipe(Flag.withDescription(roleDescription)),
    name: nameFlag("Their name; their address if absent").pipe(Flag.optional),
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

const list = Command.make("list", { customer: customerFlag }, ({ customer }) =>
  withManagement(
    Effect.gen(function* () {
      yield* requireCustomer(customer)
      const { list: page } = yield* Users
      const newestFirst = yield* listAll((part) => page(customer, part))
      yield* printMany(newestFirst.toReversed().map(toUser))
    })
  )
).pipe(Command.withDescription("List a customer's users"))

const changeTo = (user: string, input: typeof changeUser.input.Encoded) =>
  withManagement(
    ofUser(user).pipe(
      Effect.flatMap((of) => operate(changeUser, { ...of, input })),
      Effect.mapError(refusedAction(`user ${user}`)),
      Effect.flatMap((changed) => printOne(toUser(changed)))
    )
  )

const update = Command.make(
  "update",
  {
    user: userFlag,
    name: nameFlag("Their name").pipe(Flag.optional),
    role: Flag.Literals("role", Role.literals).pipe(Flag.withDescription(roleDescription), Flag.optional)
  },
  ({ user, name, role }) =>
    changeTo(user, {
      ...(Option.isSome(name) ? { name: name.value } : {}),
      ...(Option.isSome(role) ? { role: role.value } : {})
    })
).pipe(Command.withDescription("Change a user's name or role; options that you leave out change nothing"))

const disable = Command.make("disable", { user: userFlag }, ({ user }) =>
  changeTo(user, { active: false })
).pipe(Command.withDescription("Sign a user out everywhere, and refuse further sign-ins"))

const enable = Command.make("enable", { user: userFlag }, ({ user }) =>
  changeTo(user, { active: true })
).pipe(Command.withDescription("Let a user sign in again"))

const setUserPassword = Command.make(
  "set-password",
  { user: userFlag, passwordFile: passwordFlag },
  ({ user, passwordFile }) =>
    withManagement(
      Effect.gen(function* () {
        const password = yield* readPassword(passwordFile)
        const changed = Effect.flatMap(ofUser(user), (of) =>
          operate(setPassword, { ...of, input: { password } })
        )
        yield* printOne(toUser(yield* Effect.mapError(changed, refusedAction(`user ${user}`))))
      })
    )
).pipe(Command.withDescription("Change a user's password, and sign them out everywhere"))

/** Prints a link with the address at which people open it. */
export const printLink = Effect.fnUntraced(function* ({ secret, expiresAt }: SignInLink) {
  const { host, port, publicUrl } = yield* readConfiguration
  yield* printOne({
    url: signInUrl(publicUrl ?? originOf({ host }, port), secret),
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

const signInLink = Command.make(
  "sign-in-link",
  {
    customer: customerFlag,
    email: Flag.String("email").pipe(
      Flag.withDescription("The user of the link; the first owner by default"),
      Flag.optional
    )
  },
  ({ customer, email: given }) => {
    const email = Option.getOrNull(given)
    return withManagement(
      operate(createSignInLink, { customer, target: undefined, input: { email } }).pipe(
        Effect.mapError((error) =>
          error._tag === "not_found" ? nobody(customer, email) : refusedAction("user")(error)
        ),
        Effect.flatMap(printLink)
      )
    )
  }
).pipe(Command.withDescription("Make a link that signs a user in to the console, once and within 10 minutes"))

export const userCommand = Command.make("user").pipe(
  Command.withSubcommands([create, list, update, disable, enable, setUserPassword, signInLink])
)

const rotate = Command.make("rotate", {}, () =>
  withManagement(
    operate(rotateSigningKey, { customer: null, target: undefined }).pipe(
      Effect.mapError(refusedAction("signing key")),
      Effect.flatMap(({ id, algorithm, createdAt }) =>
        printOne({ kid: id, algorithm, created_at: formatInstant(createdAt) })
      )
    )
  )
).pipe(Command.withDescription("Create a new signing key; Peyk accepts the old one for another hour"))

export const signingKeyCommand = Command.make("signing-key").pipe(Command.withSubcommands([rotate]))
