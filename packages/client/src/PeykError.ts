import type { components } from "./api.ts"

type Envelopes = Extract<
  components["schemas"][keyof components["schemas"]],
  { error: { code: string; details: unknown }; request_id: string }
>

/** Every code that the service can return. */
export type ApiErrorCode = Envelopes["error"]["code"]

/** `connection_failed`: no response arrived. `timeout`: none arrived in time. `invalid_response`: it was not Peyk's. */
export type ClientErrorCode = "connection_failed" | "timeout" | "invalid_response"

export type ErrorCode = ApiErrorCode | ClientErrorCode

/** One thing that is wrong with a request. */
export interface ValidationIssue {
  /** Where it is: `body.channels[0].wait` */
  readonly path: string
  readonly message: string
}

/** The details of an error, by its code. */
export interface ErrorDetails {
  readonly validation_error: { readonly errors: ReadonlyArray<ValidationIssue> }
  readonly template_parameters_mismatch: {
    readonly template_id: number
    readonly expected: ReadonlyArray<string>
    readonly missing: ReadonlyArray<string>
    readonly extra: ReadonlyArray<string>
  }
}

type DetailsOf<Code> = Code extends keyof ErrorDetails
  ? ErrorDetails[Code]
  : Readonly<Record<string, unknown>>

export interface ErrorFields<Code extends ErrorCode> {
  readonly code: Code
  /** The HTTP status; 0 if there was no response. */
  readonly status: number
  readonly message: string
  readonly details: DetailsOf<Code>
  /** Finds the request in the service's logs; null if there was no response. */
  readonly requestId: string | null
  /** Seconds to wait before the next try, if the service said so. */
  readonly retryAfter: number | null
  readonly cause?: unknown
}

class PeykErrorClass<Code extends ErrorCode> extends Error implements ErrorFields<Code> {
  override readonly name = "PeykError"
  readonly code: Code
  readonly status: number
  readonly details: DetailsOf<Code>
  readonly requestId: string | null
  readonly retryAfter: number | null

  constructor(fields: ErrorFields<Code>) {
    super(fields.message, { cause: fields.cause })
    this.code = fields.code
    this.status = fields.status
    this.details = fields.details
    this.requestId = fields.requestId
    this.retryAfter = fields.retryAfter
  }
}

/** A failed call. `error.code` says why; it narrows the type of `error.details`. */
export type PeykError = { [Code in ErrorCode]: PeykErrorClass<Code> }[ErrorCode]

export const PeykError = PeykErrorClass as {
  new <Code extends ErrorCode>(fields: ErrorFields<Code>): Extract<PeykError, { readonly code: Code }>
  readonly prototype: PeykError
}

/** Whether something that was thrown is an error of a call; with `code`, this one. */
export function isPeykError(error: unknown): error is PeykError
export function isPeykError<Code extends ErrorCode>(
  error: unknown,
  code: Code
): error is Extract<PeykError, { readonly code: Code }>
export function isPeykError(error: unknown, code?: ErrorCode): boolean {
  return error instanceof PeykErrorClass && (code === undefined || error.code === code)
}
