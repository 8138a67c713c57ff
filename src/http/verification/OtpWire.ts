import { Effect, Result, Schema } from "effect"
import { formatInstant, formatNullableInstant, type Instant } from "../../domain/Instant.ts"
import { normalPhone } from "../../domain/Phone.ts"
import type { Client } from "../../domain/customer/Client.ts"
import type { Principal } from "../../domain/customer/Customer.ts"
import { templateIdOf } from "../../domain/message/Template.ts"
import type { StepRequest } from "../../domain/routing/RouteRequest.ts"
import {
  type Verification,
  type VerificationView,
  viewVerification
} from "../../domain/verification/Verification.ts"
import type { HotWork, FastResponse, HotEndpoint, JsonBody } from "../HotPath.ts"
import { readMetadata, withMetadata } from "../Metadata.ts"
import { keyInHeader } from "../RequestGuards.ts"
import { isUuid } from "../../domain/Uuid.ts"
import type { CodedError } from "../errors/Envelope.ts"
import { OtpGroup } from "./OtpApi.ts"
import {
  type PreviewResponse,
  type SandboxStatusResponse,
  SendBody,
  type SendResponse,
  type StatusResponse,
  VerifyBody,
  type VerifyResponse
} from "./OtpSchemas.ts"
import { toQuota } from "../manage/AccountApi.ts"
import { toWallet } from "../manage/WalletApi.ts"
import type { CodePreview } from "../../services/verification/CodePreviews.ts"
import type { SentCode, SendRequest } from "../../services/verification/VerificationSends.ts"
import { Verifications, type VerifyResult } from "../../services/verification/Verifications.ts"

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
        trusted: client.trusted ?? undefined,
        origin: client.origin ?? undefined
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

export const toSendResponse = (response: SentCode): typeof SendResponse.Type => ({
  verification_id: response.verificationId,
  status: response.status,
  current_attempt_channel: response.currentAttemptChannel,
  expires_in: response.expiresIn,
  code_length: response.codeLength,
  ...(response.risk !== null && { risk: response.risk })
})

/** A limit of a phone, as far as it is used. */
const toUsedLimit = ({ limit, used, resetsAt }: CodePreview["limits"]["phoneHour"]) => ({
  limit,
  used,
  resets_at: formatNullableInstant(resetsAt)
})

export const toPreviewResponse = ({
  route,
  texts,
  limits: { phoneHour, phoneDay, quota, wallet },
  wouldRefuse
}: CodePreview): typeof PreviewResponse.Type => ({
  route: route.map(({ channel, wait, price, state, reason, freeAt }) => {
    const free_at = formatNullableInstant(freeAt)
    return { channel, wait, price, state, reason, free_at }
  }),
  texts: texts.map(({ smsParts, ...each }) => ({ ...each, sms_parts: smsParts })),
  limits: {
    phone_hour: toUsedLimit(phoneHour),
    phone_day: toUsedLimit(phoneDay),
    quota: toQuota(quota),
    wallet: wallet === null ? null : toWallet(wallet)
  },
  would_refuse: wouldRefuse
})

const toFastSend = (sent: SentCode): FastResponse => ({
  body: toSendResponse(sent),
  isReplayed: sent.replayed,
  subjectId: sent.verificationId
})

/** The right code leaves nothing to try. */
export const toVerifyResponse = ({ verified, reason, triesLeft }: VerifyResult): typeof VerifyResponse.Type =>
  verified ? { verified, reason } : { verified, reason, tries_left: triesLeft }

/** The whole status in the sandbox except the metadata, which is JSON text already. */
const toSandboxStatus = (view: VerificationView): Omit<typeof SandboxStatusResponse.Type, "metadata"> => ({
  verification_id: view.id,
  status: view.status,
  phone: view.phone,
  current_channel: view.currentChannel,
  expires_at: formatInstant(view.expiresAt),
  verified_at: formatNullableInstant(view.verifiedAt)
})

/** A live verification has more to say than one of the sandbox. */
export const toStatus = (view: VerificationView): Omit<typeof StatusResponse.Type, "metadata"> => ({
  ...toSandboxStatus(view),
  current_channel_status: view.currentChannelStatus,
  remaining_seconds: view.remainingSeconds,
  attempts: view.attempts.map((attempt) => ({
    sequence: attempt.sequence,
    channel: attempt.channel,
    status: attempt.status,
    dispatched_at: formatNullableInstant(attempt.dispatchedAt),
    transition_reason: attempt.transitionReason,
    error_code: attempt.errorCode,
    ...(attempt.skipReason !== null && { skip_reason: attempt.skipReason }),
    delivery: attempt.delivery
  }))
})

/** The status as JSON, with the metadata exactly as the request had it. */
export const statusJson = (view: VerificationView): string => withMetadata(toStatus(view), view.metadata)

export const sandboxStatusJson = (view: VerificationView): string =>
  withMetadata(toSandboxStatus(view), view.metadata)

const listedWith =
  (toWire: (view: VerificationView) => object) =>
  (verification: Verification, now: Instant): string => {
    const view = viewVerification(verification, now)
    return withMetadata({ ...toWire(view), created_at: formatInstant(verification.createdAt) }, view.metadata)
  }

/** A verification in a list, as JSON text. */
export const listedJson = listedWith(toStatus)
export const sandboxListedJson = listedWith(toSandboxStatus)

const decodeSend = Schema.decodeUnknownResult(SendBody)
const decodeVerify = Schema.decodeUnknownResult(VerifyBody)

/** Checks requests for codes and turns them into work; leaves anything wrong or unusual to the router. */
export const hotCodes = Effect.map(Verifications, (verifications): ReadonlyArray<HotEndpoint> => {
  const send = (key: string, { body, text }: JsonBody): HotWork | undefined => {
    const payload = decodeSend(body)
    if (Result.isFailure(payload)) return undefined
    const posted = { payload: payload.success, text }
    return {
      phone: payload.success.phone,
      sent: payload.success,
      work: (principal) =>
        Effect.map(
          // Its description is not kept while it is done.
          Effect.suspend(() =>
            Effect.flatMap(Effect.fromResult(sendRequestOf(principal, key, posted)), verifications.send)
          ),
          toFastSend
        )
    }
  }

  const verify = ({ body }: JsonBody): HotWork | undefined => {
    const payload = decodeVerify(body)
    if (Result.isFailure(payload)) return undefined
    const { verification_id: id, code } = payload.success
    return {
      subjectId: id,
      work: ({ customerId, setUpVersion }) =>
        Effect.map(
          verifications.verify({ customerId, id, code, setUpVersion }),
          (response): FastResponse => ({
            body: toVerifyResponse(response)
          })
        )
    }
  }

  const status = (id: string): HotWork => ({
    subjectId: id,
    work: ({ customerId, setUpVersion }) =>
      Effect.map(verifications.status({ customerId, id, setUpVersion }), (view): FastResponse => ({
        body: statusJson(view)
      }))
  })

  const { endpoints } = OtpGroup
  return [
    {
      endpoint: endpoints.send,
      read: ({ headers }) => {
        const given = keyInHeader(String(headers["idempotency-key"] ?? ""))
        if (Result.isFailure(given) || given.success === null) return undefined
        const key = given.success
        return (body) => send(key, body)
      }
    },
    { endpoint: endpoints.verify, read: () => verify },
    {
      endpoint: endpoints.status,
      read: ({ url = "" }) => {
        const id = url.slice(url.lastIndexOf("/") + 1)
        return isUuid(id) ? status(id) : undefined
      }
    }
  ]
})
