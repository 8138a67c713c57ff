import { Effect } from "effect"
import { MAX_STEPS } from "../../domain/routing/Route.ts"
import { fieldError, ValidationError } from "../../domain/Errors.ts"
import { problem } from "../../domain/Problem.ts"
import { RoutingStep } from "../../domain/customer/Customer.ts"
import { isChannel } from "../../domain/routing/Channel.ts"
import { decodeInput } from "../errors/SchemaErrors.ts"
import { submittedNumber } from "./forms/Forms.ts"

/** One row of the form, as it was typed. */
export interface DraftStep {
  /** `bale:` is the channel's default account, `bale:7` the account 7, `bale:shared` the platform's. */
  readonly target: string
  readonly wait: string
  readonly template: string
  /** Empty: in its turn; `true`: only on request. */
  readonly on_request: string
}

/** The form's value of a step that is tried only on request. */
export const ON_REQUEST = "true"

/** The form's value for a measured wait, and for a measured order. */
export const MEASURED = "measured"

/** What a script copies for another step, so that adding one touches no other. */
export const NEW_STEP: DraftStep = { target: "", wait: "", template: "", on_request: "" }

export const draftOf = (steps: ReadonlyArray<RoutingStep>): ReadonlyArray<DraftStep> =>
  steps.map(({ channel, account_id, sender, wait, template_id, on_request }) => ({
    target: `${channel}:${sender ?? account_id ?? ""}`,
    wait: String(wait ?? ""),
    template: String(template_id ?? ""),
    on_request: on_request === true ? ON_REQUEST : ""
  }))

/** The rows of the form, in the order in which they were on the page. */
export const submittedDraft = (submitted: URLSearchParams): ReadonlyArray<DraftStep> => {
  const waits = submitted.getAll("wait")
  const templates = submitted.getAll("template")
  const requests = submitted.getAll("on_request")
  return submitted
    .getAll("target")
    .slice(0, MAX_STEPS)
    .map((target, row) => ({
      target,
      wait: waits[row] ?? "",
      template: templates[row] ?? "",
      on_request: requests[row] ?? ""
    }))
}

const moved = <A>(items: ReadonlyArray<A>, from: number, to: number): ReadonlyArray<A> => {
  const item = items[from]
  if (item === undefined || to < 0 || to >= items.length) return items
  return items.toSpliced(from, 1).toSpliced(to, 0, item)
}

/** The rows after a button of the form: `up:2`, `down:0`, `remove:1`, `add`. */
export const afterButton = (
  rows: ReadonlyArray<DraftStep>,
  button: string,
  added: string
): ReadonlyArray<DraftStep> => {
  const [verb, place = ""] = button.split(":")
  const row = Number(place)
  switch (verb) {
    case "up":
      return moved(rows, row, row - 1)
    case "down":
      return moved(rows, row, row + 1)
    case "remove":
      return rows.filter((_, index) => index !== row)
    case "add":
      return added === "" || rows.length >= MAX_STEPS ? rows : [...rows, { ...NEW_STEP, target: added }]
    default:
      return rows
  }
}

/** The fields of a row that the API's fields of a step are typed into. */
const fieldsOfStep: Readonly<Record<string, string>> = {
  channel: "target",
  account_id: "target",
  sender: "target",
  template_id: "template"
}

/** The name by which errors name a field of one row, given the API's field. */
export const rowField = (field: string, row: number): string => `${fieldsOfStep[field] ?? field}.${row}`

/** Names the fields of the row; several errors of one step are all in it. */
const inRow =
  (row: number) =>
  ({ problems }: ValidationError): ValidationError =>
    new ValidationError({
      problems: problems.map(({ path, ...found }) => ({
        ...found,
        path: `body.${rowField(path.replace(/^body\./, ""), row)}`
      }))
    })

const stepOf = Effect.fnUntraced(function* ({ target, wait, template, on_request }: DraftStep) {
  const [channel = "", account = ""] = target.split(":")
  if (!isChannel(channel)) return yield* fieldError("channel", problem("channel_required"))
  return yield* decodeInput(RoutingStep, {
    channel,
    ...(account === "" ? {} : account === "shared" ? { sender: "shared" } : { account_id: Number(account) }),
    ...(wait.trim() === "" ? {} : { wait: wait.trim() === MEASURED ? MEASURED : submittedNumber(wait) }),
    ...(template === "" ? {} : { template_id: Number(template) }),
    ...(on_request === ON_REQUEST ? { on_request: true } : {})
  })
})

/** The rows as steps of an order, or what is wrong with the first row that is none. */
export const stepsOf = (
  rows: ReadonlyArray<DraftStep>
): Effect.Effect<ReadonlyArray<RoutingStep>, ValidationError> =>
  Effect.forEach(rows, (step, row) => Effect.mapError(stepOf(step), inRow(row)))
