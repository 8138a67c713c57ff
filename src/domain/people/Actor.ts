import { Schema } from "effect"

export const Scope = Schema.Literals(["full", "read_only"])
export type Scope = typeof Scope.Type

/** What a person may do: viewers read, developers also change things, owners also decide who may. */
export const Role = Schema.Literals(["owner", "developer", "viewer"])
export type Role = typeof Role.Type

/** Who manages a customer's account. */
export interface Actor {
  readonly customerId: number
  /** `operator`: whoever runs the service, by the command line. */
  readonly kind: "token" | "user" | "session" | "operator"
  readonly id: string
  readonly name: string
  readonly scope: Scope
  /** Whether it may also decide who else manages the account. */
  readonly isOwner: boolean
  /** Of a person, where it is known. */
  readonly role?: Role | null
  /** The session of ours by which a user manages, where it is known. */
  readonly sessionId?: string
}

/** The token or session by which an actor manages. Another issuer's sessions are one for each subject. */
export const credentialOf = ({ customerId, kind, id, sessionId }: Actor): string =>
  sessionId === undefined ? `${kind}:${customerId}:${id}` : `session_of_user:${sessionId}`

/** Nobody gives away more than they have. */
export const mayGrant = (own: Scope, granted: Scope): boolean => own === "full" || granted === "read_only"

export const scopeOfRole = (role: Role): Scope => (role === "viewer" ? "read_only" : "full")
