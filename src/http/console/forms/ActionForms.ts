import { Effect, Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import { fieldError, type ValidationError } from "../../../domain/Errors.ts"
import { problem } from "../../../domain/Problem.ts"
import { CHANGED, CONFLICT, type FieldErrors, fieldErrorsOf } from "./FormFields.ts"
import { pageResponse } from "../frame/Responses.ts"
import type { Page, Signed } from "../frame/Layout.ts"
import type { Locale } from "../frame/Locale.ts"
import { type ConsoleError, refusalOf } from "../frame/Refusals.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { decodeInput } from "../../errors/SchemaErrors.ts"
import { type Action, type Call, perform, performOnce } from "../../../services/Action.ts"

type Response = HttpServerResponse.HttpServerResponse

/** How a form of the console performs an action. */
interface FormFace<Target, TE, TR, PE, PR> {
  /** What the action changes; `creating` if nothing exists yet. */
  readonly target: Effect.Effect<Target, TE, TR>
  /** The submitted fields as the action's input has them; absent: there are none. */
  readonly input?: (fields: URLSearchParams, view: View) => unknown
  /** In whose name, and in whose audit log, if not the visitor's own. */
  readonly as?: (view: View) => View
  /** The page of the form, shown again with what was submitted and the errors; absent: the error has a page. */
  readonly again?: (view: View, fields: URLSearchParams, errors: FieldErrors) => Effect.Effect<Page, PE, PR>
}

/** The target of a form that creates. */
export const creating = Effect.succeed(undefined)

/** The version of which the form showed the values; null for a form without one, such as a button. */
const versionIn = (fields: URLSearchParams): Effect.Effect<number | null, ValidationError> => {
  const version = fields.get("version")
  if (version === null) return Effect.succeed(null)
  return /^\d{1,9}$/.test(version)
    ? Effect.succeed(Number(version))
    : fieldError("version", problem("not_shown_version"))
}

const callOf = Effect.fnUntraced(function* <Input extends Schema.Decoder<unknown>, Target, TE, TR>(
  { input }: { readonly input: Input },
  face: Pick<FormFace<Target, TE, TR, never, never>, "target" | "input" | "as">,
  view: View,
  fields: URLSearchParams
) {
  const { actor, origin } = face.as?.(view) ?? view
  const call: Call<Input["Type"], Target> = {
    actor,
    origin,
    target: yield* face.target,
    input: yield* decodeInput(input, face.input?.(fields, view) ?? {}),
    version: yield* versionIn(fields)
  }
  return call
})

const withPage = <PE extends ConsoleError, PR, E extends ConsoleError, R>(
  face: Pick<FormFace<unknown, unknown, unknown, PE, PR>, "again">,
  view: View,
  fields: URLSearchParams,
  response: Effect.Effect<Response, E, R>
): Effect.Effect<Response, ConsoleError, R | PR> => {
  const { again } = face
  return again === undefined
    ? response
    : Effect.catch(response, (error: ConsoleError) =>
        rerender(view, (errors) => again(view, fields, errors))(error)
      )
}

/** The action of a form, in the name of who is signed in. */
export const formAction =
  <
    Input extends Schema.Decoder<unknown>,
    Target,
    A,
    E extends ConsoleError,
    R,
    TE extends ConsoleError,
    TR,
    PE extends ConsoleError = never,
    PR = never
  >(
    performed: Action<Input, Target, A, E, R>,
    face: FormFace<Target, TE, TR, PE, PR> & {
      readonly done: (view: View, result: A, fields: URLSearchParams) => Response
    }
  ) =>
  (view: View, fields: URLSearchParams) =>
    withPage(
      face,
      view,
      fields,
      callOf(performed, face, view, fields).pipe(
        Effect.flatMap((call) => perform(performed, call)),
        Effect.map((result) => face.done(view, result, fields))
      )
    )

interface OnceFace<Target, TE, TR, A, Shown extends Schema.Codec<unknown, unknown>> extends Omit<
  FormFace<Target, TE, TR, never, never>,
  "again"
> {
  /** What is kept of the result, and shown: encrypted, since it can contain a secret. */
  readonly shown: Shown
  readonly show: (result: A) => Shown["Type"]
}

/** Performs an action that creates or sends once for each form, however often it is submitted. */
export const submitOnce = Effect.fnUntraced(function* <
  Input extends Schema.Decoder<unknown>,
  Target,
  A,
  E extends ConsoleError,
  R,
  TE extends ConsoleError,
  TR,
  Shown extends Schema.Codec<unknown, unknown>
>(
  performed: Action<Input, Target, A, E, R>,
  face: OnceFace<Target, TE, TR, A, Shown>,
  view: View,
  fields: URLSearchParams
) {
  const call = yield* callOf(performed, face, view, fields)
  const { body } = yield* performOnce(performed, call, {
    status: 200,
    idempotency: view.sent,
    encode: (result) => Effect.orDie(Schema.encodeEffect(face.shown)(face.show(result)))
  })
  const shown: Shown["Type"] = yield* Effect.orDie(Schema.decodeUnknownEffect(face.shown)(body))
  return shown
})

/** A form of an action that creates or sends: submitted twice, it shows the first result again. */
export const onceFormAction =
  <
    Input extends Schema.Decoder<unknown>,
    Target,
    A,
    E extends ConsoleError,
    R,
    TE extends ConsoleError,
    TR,
    Shown extends Schema.Codec<unknown, unknown>,
    PE extends ConsoleError = never,
    PR = never
  >(
    performed: Action<Input, Target, A, E, R>,
    face: OnceFace<Target, TE, TR, A, Shown> &
      Pick<FormFace<Target, TE, TR, PE, PR>, "again"> & {
        readonly done: (view: View, shown: Shown["Type"], fields: URLSearchParams) => Response
      }
  ) =>
  (view: View, fields: URLSearchParams) =>
    withPage(
      face,
      view,
      fields,
      Effect.map(submitOnce(performed, face, view, fields), (shown) => face.done(view, shown, fields))
    )

/** The errors of a form: of its fields, or why it cannot be saved as things are now. None: the form is not the cause. */
const formErrorsOf = (error: ConsoleError, locale: Locale): FieldErrors => {
  if (error._tag === "precondition_failed") {
    const changed = locale.say(
      "Someone else changed this in the meantime. Your input is kept: compare it with the saved values, then save again.",
      "در این فاصله کس دیگری آن را تغییر داده است. نوشتهٔ شما مانده است: با مقدارهای ذخیره‌شده مقایسه کنید و دوباره ذخیره کنید."
    )
    return new Map([[CHANGED, changed]])
  }
  if (error._tag !== "conflict") return fieldErrorsOf(error, locale)
  const { text, reasons } = refusalOf(error, locale)
  return new Map([[CONFLICT, reasons[0] ?? text]])
}

/** Shows a form again if it was refused as it is. Any other error is answered as everywhere. */
export const rerender =
  <R>(view: Signed, show: (errors: FieldErrors) => Effect.Effect<Page, ConsoleError, R>) =>
  (error: ConsoleError): Effect.Effect<HttpServerResponse.HttpServerResponse, ConsoleError, R> => {
    const errors = formErrorsOf(error, view.locale)
    if (errors.size === 0) return Effect.fail(error)
    const { status, headers } = refusalOf(error, view.locale)
    return Effect.map(show(errors), (page) => pageResponse(view, page, { status, headers }))
  }
