import type { operations } from "./api.ts"

/** An operation of the API, by its id in the OpenAPI document: `otp.send`. */
export type OperationId = keyof operations

type JsonOf<T> = T extends { content: { "application/json": infer Body } } ? Body : undefined

/** The body of a request. */
export type Body<Id extends OperationId> = operations[Id] extends { requestBody?: infer Request }
  ? JsonOf<NonNullable<Request>>
  : never

/** The query of a request. */
export type Query<Id extends OperationId> = operations[Id]["parameters"] extends { query?: infer Parameters }
  ? NonNullable<Parameters>
  : never

type SuccessStatus = 200 | 201 | 202 | 204

/** The body of a successful response. */
export type Success<Id extends OperationId> = {
  [Status in keyof operations[Id]["responses"] & SuccessStatus]: JsonOf<operations[Id]["responses"][Status]>
}[keyof operations[Id]["responses"] & SuccessStatus]
