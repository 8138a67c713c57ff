import { Result, Schema } from "effect"
import { DuplicateChannel, InvalidChannel } from "../Errors.ts"
import type { StepWait } from "./Waits.ts"
import { type Channel, isChannel, isCodeChannel, isSmsProvider } from "./Channel.ts"
import type { AccountRequest } from "./AccountSelection.ts"
import { problem, type Problem } from "../Problem.ts"
import { refusedAt } from "../SchemaProblems.ts"

/** One step as a request or a saved routing order asks for it. */
export interface StepRequest {
  readonly channel: string
  readonly account_id?: number | undefined
  readonly sender?: "shared" | undefined
  readonly provider?: string | undefined
  /** `measured` only for steps of a saved order, as `template_id`. */
  readonly wait?: StepWait | undefined
  readonly template_id?: number | undefined
  /** Only for steps of a saved order. */
  readonly on_request?: true | undefined
}

export interface RouteRequest {
  readonly channels?: ReadonlyArray<StepRequest> | undefined
  /** The request-wide waiting time, in seconds. */
  readonly channelTimeout?: number | undefined
  /** The request's own template, which overrides those of a saved order's steps. */
  readonly templateId?: number | undefined
}

/** The contradictions in a step, by field. */
const stepProblems = (
  step: {
    readonly [Field in "account_id" | "sender" | "provider" | "template_id"]?: unknown
  } & { readonly channel: string }
): ReadonlyArray<{ readonly path: readonly [string]; readonly problem: Problem }> => {
  const { channel, account_id, sender, provider, template_id } = step
  const problems: ReadonlyArray<readonly [isOne: boolean, field: string, problem: Problem]> = [
    [provider != null && channel !== "sms", "provider", problem("provider_not_sms")],
    [sender != null && channel === "sms", "sender", problem("sms_not_shared")],
    [sender != null && account_id != null, "account_id", problem("shared_by_account")],
    [template_id != null && channel === "sms", "template_id", problem("sms_template")],
    [template_id != null && channel === "voice", "template_id", problem("voice_template")]
  ]
  return problems.flatMap(([isOne, field, found]) =>
    isOne ? [{ path: [field] as const, problem: found }] : []
  )
}

/** Refuses a step that contradicts itself. */
export const consistentStep = Schema.makeFilter((step: Parameters<typeof stepProblems>[0]) =>
  stepProblems(step).map(({ path, problem: found }) => refusedAt(path, found))
)

export type KnownStep = AccountRequest & Pick<StepRequest, "wait" | "template_id" | "on_request">

/** Whether a step over a channel that the contract does not list is possible. */
type OpensChannel = (step: KnownStep) => boolean

const knownStep = (
  step: StepRequest,
  opensChannel: OpensChannel
): Result.Result<KnownStep, InvalidChannel> => {
  const { channel, provider } = step
  if (!isChannel(channel) || !(isCodeChannel(channel) || opensChannel({ ...step, channel })))
    return Result.fail(new InvalidChannel({ details: { channel } }))
  if (provider !== undefined && !isSmsProvider(provider)) {
    return Result.fail(new InvalidChannel({ details: { provider } }))
  }
  return Result.succeed({ ...step, channel })
}

const duplicateOf = (steps: ReadonlyArray<KnownStep>): Channel | undefined => {
  const seen = new Set<Channel>()
  for (const { channel } of steps) {
    if (seen.has(channel)) return channel
    seen.add(channel)
  }
  return undefined
}

/** Checks only the names: known channels and providers, no duplicates. */
export const checkNames = (
  steps: ReadonlyArray<StepRequest>,
  opensChannel: OpensChannel
): Result.Result<ReadonlyArray<KnownStep>, InvalidChannel | DuplicateChannel> =>
  Result.flatMap(Result.all(steps.map((step) => knownStep(step, opensChannel))), (known) => {
    const channel = duplicateOf(known)
    return channel === undefined
      ? Result.succeed(known)
      : Result.fail(new DuplicateChannel({ details: { channel } }))
  })
