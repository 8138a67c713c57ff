import type { operations } from "./api.ts"
import type { Body, OperationId, Query, Success } from "./ApiTypes.ts"
import { type List, makeList } from "./Lists.ts"
import { type ManagedId, type ManagedOperation, managedOperations } from "./managedOperations.ts"
import type { Call, CallOptions, IdempotencyKey, Send, Versioned } from "./Transport.ts"

type PathOf<Id extends OperationId> = operations[Id]["parameters"] extends { path: infer Path }
  ? Path
  : unknown

type HeadersOf<Id extends OperationId> = operations[Id]["parameters"] extends { header?: infer Header }
  ? NonNullable<Header>
  : unknown

type Headers<Id extends OperationId> = ("Idempotency-Key" extends keyof HeadersOf<Id>
  ? IdempotencyKey
  : unknown) &
  ("If-Match" extends keyof HeadersOf<Id> ? Versioned : unknown)

/** An empty body has any name and no value: that leaves no room for the ids of the path. */
type Known<T> = [T] extends [never] ? unknown : string extends keyof T ? unknown : T

/** Everything that an operation takes, in one object: ids of the path, the query or the fields of the body. */
type Input<Id extends OperationId> = PathOf<Id> & Known<Query<Id>> & Known<Body<Id>> & Headers<Id>

type IsOptional<T> = object extends T ? true : false

type Method<Id extends OperationId> =
  IsOptional<Input<Id>> extends true
    ? (input?: Input<Id>, options?: CallOptions) => Promise<Success<Id>>
    : (input: Input<Id>, options?: CallOptions) => Promise<Success<Id>>

type ItemOf<Id extends OperationId> = Success<Id> extends { data: ReadonlyArray<infer Item> } ? Item : never

type ListInput<Id extends OperationId> = PathOf<Id> & Omit<Known<Query<Id>>, "cursor">

type Operation<Id extends ManagedId> = (typeof managedOperations)[Id] extends { readonly isList: true }
  ? List<ItemOf<Id>, ListInput<Id>>
  : Method<Id>

type CamelCase<Text extends string> = Text extends `${infer Head}-${infer Rest}`
  ? `${Head}${Capitalize<CamelCase<Rest>>}`
  : Text

type GroupOf<Id extends ManagedId> = Id extends `${infer Group}.${string}` ? Group : never

type GroupName<Group extends string> = CamelCase<Group extends `managed-${infer Rest}` ? Rest : Group>

/** The management API, with a personal access token: `manage.apiKeys.create({ name, mode: "live" })`. */
export type Manage = {
  readonly [Group in GroupOf<ManagedId> as GroupName<Group>]: {
    readonly [Id in ManagedId as Id extends `${Group}.${infer Name}` ? Name : never]: Operation<Id>
  }
}

type Fields = Readonly<Record<string, unknown>> & IdempotencyKey & Versioned

const callOf = (operation: ManagedOperation, input: Fields = {}, options: CallOptions = {}): Call => {
  const { idempotencyKey, ifMatch, ...fields } = input
  const names = new Set(Array.from(operation.path.matchAll(/\{(\w+)\}/g), ([, name]) => name))
  const rest = Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)))
  return {
    method: operation.method,
    path: operation.path,
    ids: fields,
    credential: "token",
    isIdempotent: operation.isIdempotent === true,
    mayBeEmpty: true,
    // A repeated removal finds nothing, and a repeat with the version before the change is refused.
    isSafe: operation.method === "PUT" && ifMatch === undefined,
    ...(operation.method === "GET" ? { query: rest } : {}),
    ...(operation.hasBody === true ? { body: rest } : {}),
    options: { ...options, ...(idempotencyKey === undefined ? {} : { idempotencyKey }), ifMatch }
  }
}

const camelCase = (text: string): string =>
  text.replace(/^managed-/, "").replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

export const makeManage = (send: Send): Manage => {
  const groups: Record<string, Record<string, unknown>> = {}
  for (const [id, operation] of Object.entries<ManagedOperation>(managedOperations)) {
    const [group = "", name = ""] = id.split(".")
    const call = (input?: Fields, options?: CallOptions) => send<never>(callOf(operation, input, options))
    const methods = (groups[camelCase(group)] ??= {})
    methods[name] = operation.isList === true ? makeList(call) : call
  }
  return groups as unknown as Manage
}
