import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { Page, PageRequest } from "../../domain/Paging.ts"
import {
  isEmail,
  isPassword,
  MAX_PASSWORD_LENGTH,
  MIN_PASSWORD_LENGTH,
  normalizeEmail
} from "../../domain/people/User.ts"
import { Tokens } from "../../services/resources/Tokens.ts"
import { Users } from "../../services/resources/Users.ts"
import { Passwords } from "../../services/access/Passwords.ts"
import { SigningKeys } from "../../services/access/SigningKeys.ts"
import { type Management, ManagementError } from "../../services/resources/Management.ts"
import { requireCustomer } from "./RequireCustomer.ts"

type CredentialMethods = Pick<
  Management["Service"],
  | "createToken"
  | "listTokens"
  | "revokeToken"
  | "createUser"
  | "listUsers"
  | "setUserDisabled"
  | "setUserPassword"
  | "rotateSigningKey"
>

const PAGE = 100
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const unlike = (message: string) => () => new ManagementError({ message })

/** Everything, the oldest first. */
const all = Effect.fnUntraced(function* <A>(list: (page: PageRequest) => Effect.Effect<Page<A>>) {
  const items: Array<A> = []
  let after: string | null = null
  do {
    const page: Page<A> = yield* list({ limit: PAGE, after })
    items.push(...page.items)
    after = page.next
  } while (after !== null)
  return items.toReversed()
})

const requireUserId = (userId: string) =>
  UUID.test(userId)
    ? Effect.succeed(userId.toLowerCase())
    : Effect.fail(unlike(`there is no user ${userId}`)())

/** The operator's command runs alone, so it needs no queue. */
const hashed = (passwords: Passwords["Service"], customerId: number | null, password: Redacted.Redacted) =>
  Effect.mapError(
    passwords.hash(password, { customerId, network: null }),
    unlike("too many passwords are being set at once; try again")
  )

const requirePassword = (password: Redacted.Redacted) =>
  isPassword(Redacted.value(password))
    ? Effect.void
    : Effect.fail(unlike(`a password has ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`)())

/** The operators' changes of who may manage a customer. */
export const credentialManagement = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tokens = yield* Tokens
  const users = yield* Users
  const passwords = yield* Passwords
  const { rotate } = yield* SigningKeys

  const methods: CredentialMethods = {
    createToken: Effect.fnUntraced(function* (customerId, token) {
      yield* requireCustomer(sql, customerId)
      return yield* Effect.mapError(
        tokens.create(customerId, token),
        unlike("the token would have expired before it was made")
      )
    }),

    listTokens: Effect.fnUntraced(function* (customerId) {
      yield* requireCustomer(sql, customerId)
      return yield* all((page) => tokens.list(customerId, page))
    }),

    revokeToken: (tokenId) =>
      Effect.mapError(tokens.revoke(null, tokenId), unlike(`there is no token ${tokenId}`)),

    createUser: Effect.fnUntraced(function* (customerId, { email: given, name, role, password }) {
      yield* requireCustomer(sql, customerId)
      const email = normalizeEmail(given)
      if (!isEmail(email)) return yield* unlike(`${given} is not an e-mail address`)()
      yield* requirePassword(password)
      const passwordHash = yield* hashed(passwords, customerId, password)
      return yield* Effect.mapError(
        users.create(customerId, { email, name: name === "" ? email : name, role, passwordHash }),
        unlike(`there is a user ${email} already`)
      )
    }),

    listUsers: Effect.fnUntraced(function* (customerId) {
      yield* requireCustomer(sql, customerId)
      return yield* all((page) => users.list(customerId, page))
    }),

    setUserDisabled: Effect.fnUntraced(function* (userId, isDisabled) {
      const id = yield* requireUserId(userId)
      return yield* Effect.mapError(
        users.update(null, id, { isDisabled }),
        unlike(`there is no user ${userId}`)
      )
    }),

    setUserPassword: Effect.fnUntraced(function* (userId, password) {
      const id = yield* requireUserId(userId)
      yield* requirePassword(password)
      const passwordHash = yield* hashed(passwords, null, password)
      return yield* Effect.mapError(
        users.setPassword(null, id, passwordHash),
        unlike(`there is no user ${userId}`)
      )
    }),

    rotateSigningKey: rotate
  }
  return methods
})
