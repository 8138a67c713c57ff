import { Result } from "effect"
import { templateIdOf } from "../../domain/message/Template.ts"
import { normalPhone } from "../../domain/Phone.ts"
import type { Client } from "../../domain/people/Client.ts"
import type { Principal } from "../../domain/people/Customer.ts"
import type { StepRequest } from "../../domain/routing/RouteRequest.ts"
import type { SendRequest } from "../../services/verification/sending/SendRequest.ts"
import type { CodedError } from "../errors/Envelope.ts"
import { readMetadata } from "../Metadata.ts"
import type { SendBody } from "./OtpSchemas.ts"

const toStep = (
  element: Exclude<NonNullable<(typeof SendBody.Type)["channels"]>, string>[number]
): StepRequest =>
  typeof element === "string"
    ? { channel: element }
    : {
        channel: element.channel,
        account_id: element.account_id ?? undefined,
        sender: element.sender ?? undefined,
        provider: element.provider ?? undefined,
        wait: element.wait ?? undefined
      }

/** All forms of `channels` as steps; undefined if absent. */
const toSteps = (channels: (typeof SendBody.Type)["channels"]): ReadonlyArray<StepRequest> | undefined => {
  if (channels == null) return undefined
  return typeof channels === "string" ? [{ channel: channels }] : channels.map(toStep)
}

const toClient = (client: (typeof SendBody.Type)["client"]): Client | undefined =>
  client == null
    ? undefined
    : {
        ip: client.ip ?? undefined,
        userAgent: client.user_agent ?? undefined,
        deviceId: client.device_id ?? undefined,
        trusted: client.trusted ?? undefined
      }

/** A body, and its JSON text, which is needed if it has metadata. */
export interface Posted<Body> {
  readonly payload: Body
  readonly text: string
}

/** The customer's request, with its idempotency key. */
export const sendRequestOf = (
  { customerId, setUpVersion }: Principal,
  key: string | null,
  { payload, text }: Posted<typeof SendBody.Type>
): Result.Result<SendRequest, CodedError> =>
  Result.map(readMetadata(text, payload.metadata), (metadata) => {
    // In the contract's words: its fingerprint is stored, and other versions of Peyk must compute the same.
    const body = {
      phone: normalPhone(payload.phone),
      channels: toSteps(payload.channels),
      channel_timeout: payload.channel_timeout ?? undefined,
      template_id: templateIdOf(payload.template_id),
      metadata: metadata?.value,
      locale: payload.locale ?? undefined
    }
    return {
      customerId,
      setUpVersion,
      phone: body.phone,
      channels: body.channels,
      channelTimeout: body.channel_timeout,
      templateId: body.template_id,
      metadata: metadata?.text,
      locale: body.locale,
      client: toClient(payload.client),
      idempotency: key === null ? undefined : { key, body }
    }
  })
