import { Schema } from "effect"
import { type Instant, MINUTE_MILLIS } from "../Instant.ts"

export const Scope = Schema.Literals(["full", "read_only"])
export type Scope = typeof Scope.Type

/** The rights of a person: viewers read, developers also change things, owners also manage access. */
export const Role = Schema.Literals(["owner", "developer", "viewer"])
export type Role = typeof Role.Type

/** The person or program that manages a customer's account. */
export interface Actor {
  readonly customerId: number
  /** `operator`: a person with access to the command line. */
  readonly kind: "token" | "user" | "session" | "operator"
  readonly id: string
  readonly name: string
  readonly scope: Scope
  /** Whether it may also manage the access of others. */
  readonly isOwner: boolean
  /** The person's role, if it is known. */
  readonly role?: Role | null
  /** The session of a user, if it is known. */
  readonly sessionId?: string
  /**
   * When the person signed in here. Null: they came by a link that somebody else made. Absent: a token, a session of
   * another issuer, or the command line.
   */
  readonly signedInAt?: Instant | null
  /** In the console: the person's epoch. A link that they make there ends with it. */
  readonly epoch?: number
}

/** How recent a sign-in must be for what gives access: passwords, sign-in links, tokens and owners. */
const FRESH_MILLIS = 10 * MINUTE_MILLIS

/** Whether a session that was found open may give access. Tokens and the command line are no such sessions. */
export const isFresh = ({ signedInAt }: Pick<Actor, "signedInAt">, now: Instant): boolean =>
  signedInAt === undefined || (signedInAt !== null && now - signedInAt <= FRESH_MILLIS)

interface UserRights {
  readonly role: Role
  readonly disabledAt: Instant | null
}

const isActiveOwner = ({ role, disabledAt }: UserRights): boolean => role === "owner" && disabledAt === null

/** Whether a change makes somebody an owner who can sign in, and who was none before (null: there was no such user). */
export const makesOwner = (before: UserRights | null, after: UserRights): boolean =>
  isActiveOwner(after) && (before === null || !isActiveOwner(before))

/** Whether a change takes an owner away: they have another role, or cannot sign in any more. */
export const losesOwner = (before: UserRights, after: UserRights): boolean =>
  isActiveOwner(before) && !isActiveOwner(after)

const COMMAND_LINE = "command-line"

/** The operator of the service, working on this customer's account. */
export const operatorActor = (customerId: number): Actor => ({
  customerId,
  kind: "operator",
  id: COMMAND_LINE,
  name: "Operator",
  scope: "full",
  isOwner: true
})

/** Whether it is somebody with access to the server's own machine. */
export const isCommandLine = ({ kind, id }: { readonly kind: string; readonly id: string }): boolean =>
  kind === "operator" && id === COMMAND_LINE

/** The token or session by which an actor manages. All sessions of one subject of another issuer count as one. */
export const credentialOf = ({ customerId, kind, id, sessionId }: Actor): string =>
  sessionId === undefined ? `${kind}:${customerId}:${id}` : `session_of_user:${sessionId}`

/** An actor cannot grant more than it has. */
export const mayGrant = (own: Scope, granted: Scope): boolean => own === "full" || granted === "read_only"

export const scopeOfRole = (role: Role): Scope => (role === "viewer" ? "read_only" : "full")
