import { Clock, Effect, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { randomBytes } from "node:crypto"
import { formatInstant } from "../../domain/Instant.ts"
import { PLATFORM } from "../../domain/people/Customer.ts"
import { isEmail, normalizeEmail } from "../../domain/people/User.ts"
import { signInUrl } from "../../http/console/ConsolePaths.ts"
import { toUser } from "../../http/manage/access/UsersApi.ts"
import { Operators } from "../../services/access/Operators.ts"
import { auditEntriesOf } from "../../services/resources/ManagementWrites.ts"
import { audited, readConfiguration, withManagement } from "../CommandContext.ts"
import { nameFlag } from "../input/NameFlag.ts"
import { hashPassword, passwordFlag, readPassword } from "../input/PasswordFile.ts"
import { CommandError } from "../output/CommandError.ts"
import { printMany, printOne } from "../output/Output.ts"
import { originOf } from "../output/Welcome.ts"

const entry = auditEntriesOf("operator")

const emailFlag = Flag.String("email").pipe(Flag.withDescription("The address that they sign in with"))

const BYTES = 32

/** A random password that nobody knows, for an operator without one: they sign in by a link. */
const unknownPassword = Effect.sync(() => Redacted.make(randomBytes(BYTES).toString("base64url")))

const create = Command.make(
  "create",
  {
    email: emailFlag,
    name: nameFlag("Their name; their address if absent").pipe(Flag.optional),
    passwordFile: Flag.optional(passwordFlag)
  },
  ({ email, name, passwordFile }) =>
    withManagement(
      Effect.gen(function* () {
        const address = normalizeEmail(email)
        if (!isEmail(address)) {
          return yield* new CommandError({ message: `${email} is not an e-mail address` })
        }
        const password = yield* Option.match(passwordFile, {
          onNone: () => unknownPassword,
          onSome: readPassword
        })
        const passwordHash = yield* hashPassword(password, PLATFORM)
        const { create: createOne } = yield* Operators
        const operator = { email: address, name: Option.getOrElse(name, () => address), passwordHash }
        const created = yield* audited(null, createOne(operator), ({ id }) => entry("create", id)).pipe(
          Effect.catchTag("conflict", () =>
            Effect.fail(new CommandError({ message: `there is a user ${address} already` }))
          )
        )
        yield* printOne({ id: created.id, email: created.email })
      })
    )
).pipe(Command.withDescription("Create an operator, who sees all customers in the console"))

const list = Command.make("list", {}, () =>
  withManagement(
    Effect.gen(function* () {
      const { list: operators } = yield* Operators
      const found = (yield* operators).map(toUser)
      yield* printMany(
        found.map(({ id, email, name, active, created_at }) => ({ id, email, name, active, created_at }))
      )
    })
  )
).pipe(Command.withDescription("List the operators; peyk user disable --user ID disables one"))

const signInLink = Command.make("sign-in-link", { email: emailFlag }, ({ email }) =>
  withManagement(
    Effect.gen(function* () {
      const { host, port, publicUrl } = yield* readConfiguration
      const operators = yield* Operators
      const address = normalizeEmail(email)
      const link = Effect.flatMap(
        operators.signInLink(address, yield* Clock.currentTimeMillis),
        Option.match({
          onNone: () =>
            Effect.fail(new CommandError({ message: `there is no operator ${address} who may sign in` })),
          onSome: (made) => Effect.succeed(made)
        })
      )
      const { secret, expiresAt } = yield* audited(null, link, ({ userId }) =>
        entry("create_sign_in_link", userId)
      )
      yield* printOne({
        url: signInUrl(publicUrl ?? originOf({ host }, port), secret),
        expires_at: formatInstant(expiresAt)
      })
    })
  )
).pipe(
  Command.withDescription("Make a link that signs an operator in to the console, once and within 10 minutes")
)

export const operatorCommand = Command.make("operator").pipe(
  Command.withSubcommands([create, list, signInLink])
)
