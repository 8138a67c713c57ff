import { Clock, Effect, Option, Schema } from "effect"
import { type Actor, isFresh } from "../domain/user/Actor.ts"
import { ScopeInsufficient, StaleSignIn } from "../domain/Errors.ts"
import type { IdempotentRequest } from "./customer/Idempotency.ts"
import type { AuditArea } from "./activity/AuditLog.ts"
import { type AuditEntry, ManagementWrites, type Origin } from "./ManagementWrites.ts"

/**
 * Who may perform an action: those who may change things, or owners, who also manage the access of others. `anyone`: it
 * is about the actor. `operator`: it is about a customer as a whole, or about the platform.
 */
type Access = "anyone" | "writer" | "owner" | "operator"

/** One performance of an action. */
export interface Call<Input = unknown, Target = unknown> {
  readonly actor: Actor
  readonly origin: Origin
  /** The id of what the action changes; undefined for one that creates. */
  readonly target: Target
  readonly input: Input
  /** The version that the caller has seen; null: any. */
  readonly version: number | null
}

/** What an action has done: for its caller, and for the audit log. */
interface Performed<A> {
  readonly result: A
  readonly audit: AuditEntry
}

/** Something that people and programs can do to a customer's set-up, the same by every face. */
export interface Action<Input extends Schema.Top, Target, A, E, R> {
  readonly name: string
  /** Its name in the audit log. */
  readonly auditedAs: string
  readonly input: Input
  readonly access: Access
  /** Whether this actor may do this, where `access` alone does not say. */
  readonly allow: (call: Call<Input["Type"], Target>) => Effect.Effect<void, E>
  /** Does what takes long, such as asking a provider; its result makes the change, inside a transaction. */
  readonly prepare: (
    call: Call<Input["Type"], Target>
  ) => Effect.Effect<Effect.Effect<Performed<A>, E, R>, E, R>
  /** After the change is committed. */
  readonly after: Effect.Effect<void, never, R>
}

/** The input of an action that needs none. */
export const NoInput = Schema.Struct({})

/** The target of an action that creates. */
export const NoTarget = Schema.Undefined

/** The stored values that an action is about to change; never a secret or personal data. */
export interface Before {
  /** What people call the thing. */
  readonly name?: string | null
  /** The values of fields that the entry names, by the same names. */
  readonly values?: Readonly<Record<string, unknown>>
}

interface Noted {
  readonly id: number | string
  /** What people call the thing, if the entry says nothing of what was before. */
  readonly name?: string | null
  readonly details?: Readonly<Record<string, unknown>>
  /** The customer whose log has the entry, if it is not the actor's. */
  readonly customerId?: number
}

interface ActionSpec<
  Input extends Schema.Top,
  Target extends Schema.Top,
  Prepared,
  A,
  AE,
  PE,
  PR,
  BE,
  BR,
  E,
  R,
  AR
> {
  /** What the action changes: its id. */
  readonly target: Target
  /** The fields, by the names of the management API. */
  readonly input: Input
  readonly access: Access
  /** Who may do it, if the input decides too. A repeated request is asked as well: a stored result can have a secret. */
  readonly allow?: (call: Call<Input["Type"], Target["Type"]>) => Effect.Effect<void, AE>
  /** Before the transaction: what takes long, and what refuses early. Not for a repeated request. */
  readonly prepare?: (call: Call<Input["Type"], Target["Type"]>) => Effect.Effect<Prepared, PE, PR>
  /** What the action changes, read in its transaction: no other change of the customer's set-up comes in between. */
  readonly before?: (call: Call<Input["Type"], Target["Type"]>) => Effect.Effect<Before, BE, BR>
  /** In one transaction with the entry in the audit log. If it fails, nothing of it is stored. */
  readonly run: (call: Call<Input["Type"], Target["Type"]>, prepared: Prepared) => Effect.Effect<A, E, R>
  /** The entry: what was changed, and the changed fields; never a secret or personal data. */
  readonly audit: (result: NoInfer<A>, call: Call<Input["Type"], Target["Type"]>) => Noted
  /** The kind of thing that was changed; the part of the name before the dot by default. */
  readonly subject?: AuditArea
  /** The name in the audit log, if several actions share one. */
  readonly auditedAs?: `${AuditArea}.${string}`
  readonly after?: Effect.Effect<void, never, AR>
}

const nothingBefore: Before = {}

/** The earlier values of the fields that an entry names. */
const previousOf = (details: Readonly<Record<string, unknown>>, { values = {} }: Before) =>
  Object.fromEntries(Object.entries(values).filter(([name]) => details[name] !== undefined))

/** @param name the resource, a dot, the verb: `api_key.rotate` */
export const action = <
  Input extends Schema.Top,
  A,
  E,
  R,
  Target extends Schema.Top,
  Prepared = void,
  AE = never,
  PE = never,
  PR = never,
  BE = never,
  BR = never,
  AR = never
>(
  name: `${AuditArea}.${string}`,
  spec: ActionSpec<Input, Target, Prepared, A, AE, PE, PR, BE, BR, E, R, AR>
): Action<Input, Target["Type"], A, E | AE | PE | BE, R | PR | BR | AR | ManagementWrites> => {
  const { input, access, run, audit, before, auditedAs = name, after = Effect.void } = spec
  const subjectType = spec.subject ?? name.slice(0, name.indexOf("."))
  const prepare = spec.prepare ?? (() => Effect.succeed(undefined as Prepared))
  const readBefore = (call: Call<Input["Type"], Target["Type"]>) =>
    before === undefined
      ? Effect.succeed(nothingBefore)
      : Effect.andThen(
          ManagementWrites.use((writes) => writes.lock(call.actor.customerId)),
          before(call)
        )
  return {
    name,
    auditedAs,
    input,
    access,
    allow: spec.allow ?? (() => Effect.void),
    after,
    prepare: (call) =>
      Effect.map(prepare(call), (prepared) =>
        Effect.gen(function* () {
          const earlier = yield* readBefore(call)
          const result = yield* run(call, prepared)
          const { id, details = {}, name: called = null, ...log } = audit(result, call)
          const entry = {
            action: auditedAs,
            subjectType,
            subjectId: String(id),
            subjectName: earlier.name ?? called,
            details,
            previous: previousOf(details, earlier),
            ...log
          }
          return { result, audit: entry }
        })
      )
  }
}

/** For what gives access: an open session that somebody has got hold of must not let them in for good. */
export const requireFresh = (actor: Actor): Effect.Effect<void, StaleSignIn> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    isFresh(actor, now) ? Effect.void : Effect.fail(new StaleSignIn())
  )

/** Whether this actor may perform actions of this kind. */
export const mayPerform = ({ kind, scope, isOwner }: Actor, access: Access): boolean => {
  switch (access) {
    case "anyone":
      return true
    case "writer":
      return scope === "full"
    case "owner":
      return scope === "full" && isOwner
    case "operator":
      return kind === "operator"
  }
}

const authorize = <Input extends Schema.Top, Target, A, E, R>(
  { access, allow }: Action<Input, Target, A, E, R>,
  call: Call<Input["Type"], Target>
): Effect.Effect<void, E | ScopeInsufficient> =>
  mayPerform(call.actor, access) ? allow(call) : Effect.fail(new ScopeInsufficient())

/** How the result of an action is kept for repeated requests. */
interface Keeping<A> {
  readonly status: number
  /** Absent: the caller gave no key, and every request acts. */
  readonly idempotency: IdempotentRequest | undefined
  /** What is stored (encrypted, because it can contain a secret), and returned: JSON. */
  readonly encode: (result: A) => Effect.Effect<unknown>
}

/** Performs an action once for each idempotency key: a repeated request gets the stored result. */
export const performOnce = Effect.fnUntraced(function* <Input extends Schema.Top, Target, A, E, R>(
  performed: Action<Input, Target, A, E, R>,
  call: Call<Input["Type"], Target>,
  { status, idempotency, encode }: Keeping<A>
) {
  const writes = yield* ManagementWrites
  yield* authorize(performed, call)
  const request = { ...call, operation: performed.name, status, idempotency }
  const kept = idempotency === undefined ? Option.none() : yield* writes.kept(request)
  if (Option.isSome(kept)) return kept.value
  const change = yield* performed.prepare(call)
  const response = yield* writes.write(
    request,
    Effect.flatMap(change, ({ result, audit }) => Effect.map(encode(result), (body) => ({ body, audit })))
  )
  yield* performed.after
  return response
})

/** Performs an action: one transaction with its entry in the audit log. */
export const perform = Effect.fnUntraced(function* <Input extends Schema.Top, Target, A, E, R>(
  performed: Action<Input, Target, A, E, R>,
  call: Call<Input["Type"], Target>
) {
  let made: { readonly result: A } | undefined
  const encode = (result: A) => Effect.sync(() => ((made = { result }), null))
  const once = performOnce(performed, call, { status: 200, idempotency: undefined, encode })
  yield* Effect.catchTag(once, "idempotency_key_conflict", Effect.die)
  return made === undefined ? yield* Effect.die("an action was written that was not run") : made.result
})
