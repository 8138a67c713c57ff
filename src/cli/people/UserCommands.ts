import { Clock, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { Role } from "../../domain/people/Actor.ts"
import { formatInstant } from "../../domain/Instant.ts"
import { isEmail, normalizeEmail } from "../../domain/people/User.ts"
import { signInUrl } from "../../http/console/ConsolePaths.ts"
import { toUser } from "../../http/manage/access/UsersApi.ts"
import { SignInLinks } from "../../services/access/SignInLinks.ts"
import { SigningKeys } from "../../services/access/SigningKeys.ts"
import { auditEntriesOf } from "../../services/resources/ManagementWrites.ts"
import { Users } from "../../services/resources/access/Users.ts"
import { audited, readConfiguration, withManagement } from "../CommandContext.ts"
import { customerFlag, requireCustomer } from "../input/CustomerFlag.ts"
import { nameFlag } from "../input/NameFlag.ts"
import { hashPassword, passwordFlag, readPassword } from "../input/PasswordFile.ts"
import { CommandError } from "../output/CommandError.ts"
import { printMany, printOne } from "../output/Output.ts"
import { listAll } from "../output/Pages.ts"
import { originOf } from "../output/Welcome.ts"

const entry = auditEntriesOf("user")

const userFlag = Flag.String("user").pipe(Flag.withDescription("The user's id"))

const noUser = (id: string) => () => new CommandError({ message: `there is no user ${id}` })

const create = Command.make(
  "create",
  {
    customer: customerFlag,
    email: Flag.String("email").pipe(Flag.withDescription("The address that they sign in with")),
    role: Flag.Literals("role", Role.literals).pipe(
      Flag.withDescription("viewer reads, developer also changes things, owner also manages users and tokens")
    ),
    name: nameFlag("Their name; their address if absent").pipe(Flag.optional),
    passwordFile: passwordFlag
  },
  ({ customer, email, role, name, passwordFile }) =>
    withManagement(
      Effect.gen(function* () {
        const password = yield* readPassword(passwordFile)
        yield* requireCustomer(customer)
        const address = normalizeEmail(email)
        if (!isEmail(address)) {
          return yield* new CommandError({ message: `${email} is not an e-mail address` })
        }
        const passwordHash = yield* hashPassword(password, customer)
        const newUser = { email: address, name: Option.getOrElse(name, () => address), role, passwordHash }
        const user = yield* audited(customer, (yield* Users).create(customer, newUser), ({ id }) =>
          entry("create", id, { role })
        ).pipe(Effect.mapError(() => new CommandError({ message: `there is a user ${address} already` })))
        yield* printOne(toUser(user))
      })
    )
).pipe(Command.withDescription("Create a user of the management API"))

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

const switchTo =
  (isDisabled: boolean) =>
  ({ user }: { readonly user: string }) =>
    withManagement(
      Effect.gen(function* () {
        const users = yield* Users
        const customer = yield* users.ownerOf(user)
        const changed = yield* audited(customer, users.setDisabled(customer, user, isDisabled), ({ id }) =>
          entry("update", id, { active: !isDisabled })
        )
        yield* printOne(toUser(changed))
      }).pipe(Effect.mapError(noUser(user)))
    )

const disable = Command.make("disable", { user: userFlag }, switchTo(true)).pipe(
  Command.withDescription("Sign a user out everywhere, and refuse further sign-ins")
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
        const users = yield* Users
        const customer = yield* users.ownerOf(user)
        const passwordHash = yield* hashPassword(password, customer)
        const changed = yield* audited(customer, users.setPassword(customer, user, passwordHash), ({ id }) =>
          entry("set_password", id)
        )
        yield* printOne(toUser(changed))
      }).pipe(Effect.catchTag("not_found", noUser(user)))
    )
).pipe(Command.withDescription("Change a user's password, and sign them out everywhere"))

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
  ({ customer, email: given }) =>
    withManagement(
      Effect.gen(function* () {
        const { host, port, publicUrl } = yield* readConfiguration
        const email = Option.getOrNull(Option.map(given, normalizeEmail))
        const links = yield* SignInLinks
        const link = Effect.flatMap(
          links.create(customer, email, yield* Clock.currentTimeMillis),
          Option.match({
            onNone: () => Effect.fail(nobody(customer, email)),
            onSome: (made) => Effect.succeed(made)
          })
        )
        const { secret, expiresAt } = yield* audited(customer, link, ({ userId }) =>
          entry("create_sign_in_link", userId)
        )
        yield* printOne({
          url: signInUrl(publicUrl ?? originOf({ host }, port), secret),
          expires_at: formatInstant(expiresAt)
        })
      })
    )
).pipe(Command.withDescription("Make a link that signs a user in to the console, once and within 10 minutes"))

export const userCommand = Command.make("user").pipe(
  Command.withSubcommands([create, list, disable, enable, setPassword, signInLink])
)

const signingKeyEntry = auditEntriesOf("signing_key")

const rotate = Command.make("rotate", {}, () =>
  withManagement(
    Effect.gen(function* () {
      const { id, algorithm, createdAt } = yield* audited(null, (yield* SigningKeys).rotate, (made) =>
        signingKeyEntry("rotate", made.id)
      )
      yield* printOne({ kid: id, algorithm, created_at: formatInstant(createdAt) })
    })
  )
).pipe(Command.withDescription("Create a new signing key; Peyk accepts the old one for another hour"))

export const signingKeyCommand = Command.make("signing-key").pipe(Command.withSubcommands([rotate]))
