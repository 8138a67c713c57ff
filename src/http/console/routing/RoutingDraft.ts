import { Effect } from "effect"
import { fieldError, ValidationError } from "../../../domain/Errors.ts"
import { problem } from "../../../domain/Problem.ts"
import { RoutingStep } from "../../../domain/customer/Customer.ts"
import { isChannel } from "../../../domain/routing/Channel.ts"
import { typedNumber } from "../forms/Forms.ts"
import { decodeInput } from "../../errors/SchemaErrors.ts"

/** One row of the form, as it was typed. */
export interface DraftStep {
  /** `bale:` is the channel's default account, `bale:7` the account 7, `bale:shared` the platform's. */
  readonly target: string
  readonly wait: string
  readonly template: string
}

export const MAX_STEPS = 20
/** The form's value for a measured wait, and for a measured order. */
export const MEASURED = "measured"

export const draftOf = (steps: ReadonlyArray<RoutingStep>): ReadonlyArray<DraftStep> =>
  steps.map(({ channel, account_id, sender, wait, template_id }) => ({
    target: `${channel}:${sender ?? account_id ?? ""}`,
    wait: String(wait ?? ""),
    template: String(template_id ?? "")
  }))

/** The rows of the form, in the order in which they were on the page. */
export const typedDraft = (typed: URLSearchParams): ReadonlyArray<DraftStep> => {
  const waits = typed.getAll("wait")
  const templates = typed.getAll("template")
  return typed
    .getAll("target")
    .slice(0, MAX_STEPS)
    .map((target, row) => ({ target, wait: waits[row] ?? "", template: templates[row] ?? "" }))
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
      return added === "" || rows.length >= MAX_STEPS
        ? rows
        : [...rows, { target: added, wait: "", template: "" }]
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

/** The name by which errors blame a field of one row, given the API's field. */
export const rowField = (field: string, row: number): string => `${fieldsOfStep[field] ?? field}.${row}`

/** Blames the fields of the row; several errors of one step are all in it. */
const inRow =
  (row: number) =>
  ({ problems }: ValidationError): ValidationError =>
    new ValidationError({
      problems: problems.map(({ path, ...found }) => ({
        ...found,
        path: `body.${rowField(path.replace(/^body\./, ""), row)}`
      }))
    })

const stepOf = Effect.fnUntraced(function* ({ target, wait, template }: DraftStep) {
  const [channel = "", account = ""] = target.split(":")
  if (!isChannel(channel)) return yield* fieldError("channel", problem("channel_required"))
  return yield* decodeInput(RoutingStep, {
    channel,
    ...(account === "" ? {} : account === "shared" ? { sender: "shared" } : { account_id: Number(account) }),
    ...(wait.trim() === "" ? {} : { wait: wait.trim() === MEASURED ? MEASURED : typedNumber(wait) }),
    ...(template === "" ? {} : { template_id: Number(template) })
  })
})

/** The rows as steps of an order, or what is wrong with the first row that is none. */
export const stepsOf = (
  rows: ReadonlyArray<DraftStep>
): Effect.Effect<ReadonlyArray<RoutingStep>, ValidationError> =>
  Effect.forEach(rows, (step, row) => Effect.mapError(stepOf(step), inRow(row)))
