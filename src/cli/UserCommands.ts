import { Clock, Effect, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { Role } from "../domain/people/Actor.ts"
import { formatInstant } from "../domain/Instant.ts"
import { normalizeEmail } from "../domain/people/User.ts"
import { signInUrl } from "../http/console/ConsolePaths.ts"
import { toUser } from "../http/manage/access/UsersApi.ts"
import { SignInLinks } from "../services/access/SignInLinks.ts"
import { Management, ManagementError } from "../services/resources/Management.ts"
import { readConfiguration, withManagement } from "./CommandContext.ts"
import { customerFlag } from "./input/CustomerFlag.ts"
import { readInput } from "./input/InputFile.ts"
import { printMany, printOne } from "./output/Output.ts"
import { originOf } from "./output/Welcome.ts"

const userFlag = Flag.String("user").pipe(Flag.withDescription("The user's id"))

/** Never on the command line, which other programs and the shell's history can read. */
const passwordFlag = Flag.String("password-file").pipe(
  Flag.withDescription("A file whose first line is the password; - reads standard input")
)

const readPassword = (file: string) =>
  Effect.map(readInput(file), (text) => Redacted.make(text.split(/\r?\n/, 1)[0] ?? ""))

const create = Command.make(
  "create",
  {
    customer: customerFlag,
    email: Flag.String("email").pipe(Flag.withDescription("What they sign in with")),
    role: Flag.Literals("role", Role.literals).pipe(
      Flag.withDescription("viewer reads, developer also changes things, owner also decides who may")
    ),
    name: Flag.String("name").pipe(Flag.withDescription("Their name"), Flag.withDefault("")),
    passwordFile: passwordFlag
  },
  ({ customer, email, role, name, passwordFile }) =>
    withManagement(
      Effect.gen(function* () {
        const password = yield* readPassword(passwordFile)
        const user = yield* (yield* Management).createUser(customer, { email, role, name, password })
        yield* printOne(toUser(user))
      })
    )
).pipe(Command.withDescription("Create a user of the management API"))

const list = Command.make("list", { customer: customerFlag }, ({ customer }) =>
  withManagement(
    Effect.gen(function* () {
      const users = yield* (yield* Management).listUsers(customer)
      yield* printMany(users.map(toUser))
    })
  )
).pipe(Command.withDescription("List a customer's users"))

const switchTo = (isDisabled: boolean) => (options: { readonly user: string }) =>
  withManagement(
    Effect.gen(function* () {
      yield* printOne(toUser(yield* (yield* Management).setUserDisabled(options.user, isDisabled)))
    })
  )

const disable = Command.make("disable", { user: userFlag }, switchTo(true)).pipe(
  Command.withDescription("Sign a user out everywhere, and let them in no more")
)

const enable = Command.make("enable", { user: userFlag }, switchTo(false)).pipe(
  Command.withDescription("Let a user sign in again")
)

const setPassword = Command.make(
  "set-password",
  { user: userFlag, passwordFile: passwordFlag },
  ({ user, passwordFile }) =>
    withManagement(
      Effect.gen(function* () {
        const password = yield* readPassword(passwordFile)
        yield* printOne(toUser(yield* (yield* Management).setUserPassword(user, password)))
      })
    )
).pipe(Command.withDescription("Give a user another password, and sign them out everywhere"))

const nobody = (customer: number, email: string | null) =>
  new ManagementError({
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
      Flag.withDescription("Whose link it is; the first owner's unless told otherwise"),
      Flag.optional
    )
  },
  ({ customer, email: given }) =>
    withManagement(
      Effect.gen(function* () {
        const { host, port, publicUrl } = yield* readConfiguration
        const email = Option.getOrNull(Option.map(given, normalizeEmail))
        const links = yield* SignInLinks
        const link = yield* links.create(customer, email, yield* Clock.currentTimeMillis)
        if (Option.isNone(link)) return yield* nobody(customer, email)
        const { secret, expiresAt } = link.value
        yield* printOne({
          url: signInUrl(publicUrl ?? originOf({ host }, port), secret),
          expires_at: formatInstant(expiresAt)
        })
      })
    )
).pipe(Command.withDescription("Make a link that signs a user in to the console, once and within 10 minutes"))

export const userCommand = Command.make("user").pipe(
  Command.withDescription("People who manage a customer's account"),
  Command.withSubcommands([create, list, disable, enable, setPassword, signInLink])
)

const rotate = Command.make("rotate", {}, () =>
  withManagement(
    Effect.gen(function* () {
      const { id, algorithm, createdAt } = yield* (yield* Management).rotateSigningKey
      yield* printOne({ kid: id, algorithm, created_at: formatInstant(createdAt) })
    })
  )
).pipe(Command.withDescription("Sign with another key from now on; the old one is trusted for another hour"))

export const signingKeyCommand = Command.make("signing-key").pipe(
  Command.withDescription("The keys that sign the JWTs of sign-ins"),
  Command.withSubcommands([rotate])
)
