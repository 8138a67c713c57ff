import { Clock, Context, Effect, Option, Redacted, Schema, Struct } from "effect"
import { SecureRandom } from "effect/crypto"
import { Conflict, fieldError, NotFound } from "../../domain/Errors.ts"
import { Email, Name, NewPassword, optional } from "../../domain/Fields.ts"
import { instantOf, type Page, type PageRequest } from "../../domain/Paging.ts"
import { problem } from "../../domain/Problem.ts"
import { type Actor, isCommandLine, isFresh, losesOwner, makesOwner, Role } from "../../domain/user/Actor.ts"
import { loggedName, type Member } from "../../domain/user/User.ts"
import { action, type Call, NoInput, NoTarget, requireFresh } from "../Action.ts"
import { Workers } from "../concurrency/Workers.ts"
import { ConsoleSessions, type LinkMaker, SignInLinks } from "./ConsoleSessions.ts"
import { hashingOrigin, Passwords } from "./Passwords.ts"

interface NewUser {
  /** Normalized. */
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly passwordHash: string
  /** The id of the user or operator who makes them. */
  readonly invitedBy?: string | null
}

/** A user whom nothing else changes until the transaction ends, and how many other owners can sign in. */
interface LockedUser {
  readonly user: Member
  readonly otherOwners: number
}

/** A missing field stays as it is. */
export interface UserChange {
  readonly name?: string | undefined
  readonly role?: Role | undefined
  readonly isDisabled?: boolean | undefined
}

/**
 * The people who manage a customer's account. Those of another customer do not exist here. A user who is disabled, or
 * gets another password, is signed out everywhere. Changes are parts of a transaction.
 */
export class Users extends Context.Service<
  Users,
  {
    readonly list: (customerId: number, page: PageRequest) => Effect.Effect<Page<Member>>
    readonly find: (customerId: number, id: string) => Effect.Effect<Member, NotFound>
    /** A conflict if this address already exists. */
    readonly create: (customerId: number, user: NewUser) => Effect.Effect<Member, Conflict>
    /** The customer whose user this is. */
    readonly ownerOf: (id: string) => Effect.Effect<number, NotFound>
    /** Waits for changes of the customer's owners, so that two owners cannot remove each other. */
    readonly lock: (customerId: number, id: string) => Effect.Effect<LockedUser, NotFound>
    readonly update: (customerId: number, id: string, change: UserChange) => Effect.Effect<Member, NotFound>
    readonly setPassword: (
      customerId: number,
      id: string,
      passwordHash: string
    ) => Effect.Effect<Member, NotFound>
  }
>()("peyk/services/user/Users") {}

export const NewUserBody = Schema.Struct({
  email: Email,
  name: Name,
  role: Role.annotate({
    description: "viewer: reads; developer: also changes things; owner: also manages access."
  }),
  password: NewPassword
}).annotate({ identifier: "NewUser" })

export const UserChangeBody = Schema.Struct({
  name: Schema.optionalKey(Name),
  role: Schema.optionalKey(Role),
  active: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "UserChange" })

export const PasswordBody = Schema.Struct({ password: NewPassword }).annotate({ identifier: "NewPassword" })

/** The hash of a new password. It takes long. */
export const hashed = Effect.fnUntraced(function* (
  { actor, origin }: Pick<Call, "actor" | "origin">,
  password: Redacted.Redacted
) {
  const passwords = yield* Passwords
  const { waitOutside } = yield* Workers
  return yield* waitOutside("password")(passwords.hash(password, hashingOrigin(actor.customerId, origin.ip)))
})

const UNKNOWN_BYTES = 32

/** The hash of a password that nobody knows: the person signs in by a link, and chooses one. */
export const unknownPassword = Effect.fnUntraced(function* (call: Pick<Call, "actor" | "origin">) {
  const bytes = yield* SecureRandom.SecureRandom.use((random) => random.randomBytes(UNKNOWN_BYTES))
  return yield* hashed(call, Redacted.make(Buffer.from(bytes).toString("base64url")))
})

/** The id of an actor who is a person of this installation. */
const personOf = (actor: Actor): string | null =>
  actor.kind === "user" || (actor.kind === "operator" && !isCommandLine(actor)) ? actor.id : null

export const createUser = action("user.create", {
  input: NewUserBody,
  target: NoTarget,
  access: "owner",
  allow: ({ actor, input: { role } }) =>
    makesOwner(null, { role, disabledAt: null }) ? requireFresh(actor) : Effect.void,
  prepare: (call) => hashed(call, call.input.password),
  run: ({ actor, input: { email, name, role } }, passwordHash) =>
    Users.use((users) =>
      users.create(actor.customerId, { email, name, role, passwordHash, invitedBy: personOf(actor) })
    ),
  audit: ({ id, name, role }) => ({ id, name: loggedName(name), details: { role } })
})

/** A user without a password, who gets a sign-in link: it gives access at once. */
export const inviteUser = action("user.invite", {
  input: Schema.Struct(Struct.omit(NewUserBody.fields, ["password"])),
  target: NoTarget,
  access: "owner",
  allow: ({ actor }) => requireFresh(actor),
  prepare: unknownPassword,
  run: ({ actor, input }, passwordHash) =>
    Users.use((users) =>
      users.create(actor.customerId, { ...input, passwordHash, invitedBy: personOf(actor) })
    ),
  audit: ({ id, name, role }) => ({ id, name: loggedName(name), details: { role } }),
  auditedAs: "user.create"
})

/** Only the command line may leave a customer without an owner: whoever uses it can make another one. */
export const changeUser = action("user.update", {
  input: UserChangeBody,
  target: Schema.String,
  access: "owner",
  before: ({ actor, target }) =>
    Effect.map(
      Users.use((users) => users.find(actor.customerId, target)),
      ({ name, role, disabledAt }) => ({
        name: loggedName(name),
        values: { name: loggedName(name), role, active: disabledAt === null }
      })
    ),
  run: ({ actor, target, input: { name, role, active } }) =>
    Effect.gen(function* () {
      const users = yield* Users
      const { user, otherOwners } = yield* users.lock(actor.customerId, target)
      if (user.isOperator === true && role !== undefined)
        return yield* new Conflict({ problem: problem("operator_role") })
      const now = yield* Clock.currentTimeMillis
      const disabledAt = active === undefined ? user.disabledAt : active ? null : now
      const after = { role: role ?? user.role, disabledAt }
      if (makesOwner(user, after)) yield* requireFresh(actor)
      if (losesOwner(user, after) && otherOwners === 0 && user.isOperator !== true && !isCommandLine(actor)) {
        return yield* new Conflict({ problem: problem("no_owner") })
      }
      const isDisabled = active === undefined ? undefined : !active
      return yield* users.update(actor.customerId, target, { name, role, isDisabled })
    }),
  audit: ({ id }, { input: { name, role, active } }) => ({
    id,
    details: { name: name === undefined ? undefined : loggedName(name), role, active }
  })
})

export const setPassword = action("user.set_password", {
  input: PasswordBody,
  target: Schema.String,
  access: "owner",
  allow: ({ actor }) => requireFresh(actor),
  prepare: (call) =>
    Effect.gen(function* () {
      const { actor, origin, target, input } = call
      yield* Passwords.use((passwords) => passwords.refuseIfFull(hashingOrigin(actor.customerId, origin.ip)))
      yield* Users.use((users) => users.find(actor.customerId, target))
      return yield* hashed(call, input.password)
    }),
  run: ({ actor, target }, passwordHash) =>
    Users.use((users) => users.setPassword(actor.customerId, target, passwordHash)),
  audit: ({ id, name }) => ({ id, name: loggedName(name) })
})

const makerOf = ({ id, epoch, signedInAt = null }: Actor): LinkMaker | null =>
  epoch === undefined ? null : { userId: id, epoch, signedInAt }

/** A link that signs a user in once: the one with this address, or the first owner. */
export const createSignInLink = action("user.create_sign_in_link", {
  input: Schema.Struct({ email: optional(Email) }),
  target: NoTarget,
  access: "owner",
  allow: ({ actor }) => requireFresh(actor),
  run: ({ actor, input: { email = null } }) =>
    Effect.gen(function* () {
      const links = yield* SignInLinks
      const now = yield* Clock.currentTimeMillis
      const made = yield* links.create(actor.customerId, email, now, makerOf(actor))
      return Option.isSome(made) ? made.value : yield* new NotFound()
    }),
  audit: ({ userId }) => ({ id: userId })
})

/** For the person's own password and second factor, a session that began with a link of somebody else counts by its own age. */
export const requireFreshSession = ({ signedInAt, sessionId }: Actor, field = "password") =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    isFresh({ signedInAt: signedInAt ?? (sessionId === undefined ? null : instantOf(sessionId)) }, now)
      ? Effect.void
      : fieldError(field, problem("password_needs_sign_in"))
  )

/** A person who finds an open session must not take over the account. */
export const setOwnPassword = action("user.set_own_password", {
  input: PasswordBody,
  target: NoTarget,
  access: "anyone",
  allow: ({ actor }) => requireFreshSession(actor),
  prepare: (call) => hashed(call, call.input.password),
  run: ({ actor }, passwordHash) =>
    Users.use((users) => users.setPassword(actor.customerId, actor.id, passwordHash)),
  audit: ({ id, name }) => ({ id, name: loggedName(name) }),
  auditedAs: "user.set_password"
})

export const signOut = action("user.sign_out", {
  input: NoInput,
  target: Schema.String,
  access: "anyone",
  run: ({ target }) => ConsoleSessions.use((sessions) => sessions.end(target)),
  audit: (_, { actor, target }) => ({ id: actor.id, details: { session_id: target } })
})

export const signOutEverywhere = action("user.sign_out_everywhere", {
  input: NoInput,
  target: NoTarget,
  access: "anyone",
  run: ({ actor }) =>
    Effect.gen(function* () {
      const sessions = yield* ConsoleSessions
      yield* sessions.endAll(actor.id, yield* Clock.currentTimeMillis)
    }),
  audit: (_, { actor }) => ({ id: actor.id })
})

/** Ends one of the person's own sessions. */
export const endOwnSession = action("user.end_session", {
  input: NoInput,
  target: Schema.String,
  access: "anyone",
  run: ({ actor, target }) =>
    Effect.gen(function* () {
      const sessions = yield* ConsoleSessions
      const ended = yield* sessions.endOf(actor.id, target, yield* Clock.currentTimeMillis)
      if (!ended) return yield* new NotFound()
    }),
  audit: (_, { actor, target }) => ({ id: actor.id, details: { session_id: target } })
})
