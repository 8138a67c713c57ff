import { Schema } from "effect"
import { MAX_STEPS } from "../../domain/routing/Route.ts"
import { isIP } from "node:net"
import { jsonObject, optional, PositiveInt, ResourceId, Timestamp } from "../../domain/Fields.ts"
import { problem } from "../../domain/Problem.ts"
import { check, isMaxEntries } from "../../domain/SchemaProblems.ts"
import { SkipReason } from "../../domain/account/Pace.ts"
import { WaitSeconds } from "../../domain/routing/Waits.ts"
import { TemplateId } from "../../domain/message/Template.ts"
import { Locale } from "../../domain/verification/CodeText.ts"
import { AttemptErrorCode } from "../../domain/ProviderOutcome.ts"
import { RiskLevel, RiskReason } from "../../domain/guard/Verdict.ts"
import { ChannelDescriptor } from "../../domain/routing/Channel.ts"
import { consistentStep } from "../../domain/routing/RouteRequest.ts"
import { SiteOrigin } from "../../domain/text/HostName.ts"
import { bareNumber } from "../../domain/text/PastedText.ts"
import { StorableText } from "../../domain/text/VisibleText.ts"
import { VerificationStatus } from "../../domain/verification/Verification.ts"
import { MetadataField } from "../Metadata.ts"
import { QuotaResource } from "../manage/AccountApi.ts"
import { WalletResource } from "../manage/WalletApi.ts"

const ChannelObject = Schema.Struct({
  channel: Schema.String.annotate({
    description:
      "eitaa, bale, soroushplus, rubika or sms; with an account of it: voice, and telegram (Telegram Gateway)"
  }),
  account_id: optional(PositiveInt).annotateKey({
    description: "The exact account, when several serve the channel."
  }),
  sender: optional(Schema.Literal("shared")).annotateKey({
    description: "The platform's account; start plan only."
  }),
  provider: optional(Schema.String).annotateKey({ description: "For sms only, e.g. smsir." }),
  wait: optional(WaitSeconds).annotateKey({ description: "Seconds to wait before the next channel." })
})
  .check(consistentStep)
  .annotate({ identifier: "ChannelObject" })

const Channels = Schema.Union([
  Schema.String,
  Schema.Array(Schema.Union([Schema.String, ChannelObject])).check(
    Schema.isMinLength(1),
    isMaxEntries(MAX_STEPS)
  )
]).annotate({ description: "One channel name, or a list of names or channel objects, in order." })

const Phone = Schema.String.annotate({
  description: "An Iranian mobile number: 0912…, +98912…, 0098912… or 912…, with or without separators",
  examples: ["09121234567"]
})

const Address = Schema.String.check(check((text: string) => isIP(text) !== 0, problem("not_ip")))

const clientText = (maxLength: number) =>
  StorableText.check(Schema.isMinLength(1), Schema.isMaxLength(maxLength))

const Client = Schema.Struct({
  ip: optional(Address).annotateKey({ description: "The user's address, not your server's." }),
  user_agent: optional(clientText(1024)).annotateKey({ description: "The user's User-Agent header." }),
  device_id: optional(clientText(256)).annotateKey({ description: "Your own id of the user's device." }),
  trusted: optional(Schema.Boolean).annotateKey({ description: "You vouch for this user." }),
  origin: optional(SiteOrigin).annotateKey({
    description:
      "The site where the user enters the code: one of the customer's `webotp_origins`. The text then names it for WebOTP. Absent: the first of them. In the sandbox, any site."
  })
}).annotate({
  identifier: "OtpClient",
  description:
    "Who asked for the code. Protects you from abuse; of ip, user_agent and device_id only keyed hashes are stored."
})

/** Fields of every send that do not change its route. */
const AnySend = {
  metadata: optional(MetadataField),
  locale: optional(Locale).annotateKey({
    description: "The language of the default text: fa (default) or en."
  }),
  client: optional(Client)
}

export const SendBody = Schema.Struct({
  phone: Phone,
  channels: optional(Channels),
  channel_timeout: optional(WaitSeconds),
  template_id: optional(TemplateId),
  ...AnySend
}).annotate({ identifier: "OtpSendRequest" })

const IGNORED = "Checked, but without effect in the sandbox."

export const SandboxSendBody = Schema.Struct({
  phone: Phone,
  channels: optional(Channels),
  channel_timeout: optional(WaitSeconds).annotateKey({ description: IGNORED }),
  template_id: optional(TemplateId).annotateKey({ description: IGNORED }),
  ...AnySend
}).annotate({ identifier: "SandboxOtpSendRequest" })

const Code = Schema.String.annotate({
  description: "1 to 10 digits, as the user typed or pasted them: also Persian ones, or with separators.",
  examples: ["123456"]
}).check(
  check(
    (text: string) => /^\d{1,10}$/.test(bareNumber(text)),
    problem("not_digits", { minimum: 1, maximum: 10 })
  )
)

export const VerifyBody = Schema.Struct({ verification_id: ResourceId, code: Code }).annotate({
  identifier: "OtpVerifyRequest"
})

const NextFields = Schema.Struct({
  from_sequence: optional(PositiveInt).annotateKey({
    description: "The attempt that you looked at. If a later one exists, nothing happens."
  }),
  channel: optional(Schema.String).annotateKey({
    description:
      "The channel to try now, as in `channels`: one that is still to come, one that was skipped for its hours, or a step of the saved order with on_request. Absent: the next one."
  })
}).annotate({ identifier: "OtpNextRequest" })

/** Null: the request has no body. */
export const NextBody = [NextFields, Schema.Null] as const
export type NextBody = (typeof NextBody)[number]["Type"]

const RiskResource = Schema.Struct({
  level: RiskLevel.annotate({
    description:
      "high: the network, the device or the range of numbers is suspicious. medium: only the phone, or your codes as a whole."
  }),
  reasons: Schema.Array(RiskReason).annotate({ description: "What of your own codes says so." })
}).annotate({
  identifier: "OtpRisk",
  description:
    "How risky the code looks by your own codes only. Absent if your guard is off, and in the sandbox."
})

export const SendResponse = Schema.Struct({
  verification_id: Schema.String,
  status: Schema.Literals(["queued", "failed"]),
  current_attempt_channel: ChannelDescriptor,
  expires_in: Schema.Int,
  code_length: Schema.Int.annotate({ description: "Digits of the code: what an input field has to take." }),
  risk: Schema.optionalKey(RiskResource)
}).annotate({ identifier: "OtpSendResponse" })

export const VerifyResponse = Schema.Struct({
  verified: Schema.Boolean,
  reason: Schema.Literals([
    "ok",
    "invalid_code",
    "expired",
    "locked",
    "failed",
    "already_verified",
    "canceled"
  ]),
  tries_left: Schema.optionalKey(Schema.NullOr(Schema.Int)).annotateKey({
    description:
      "Codes that may still be entered; null if the verification has ended. Absent after the right code. In the sandbox the last try never ends."
  })
}).annotate({ identifier: "OtpVerifyResponse" })

const SandboxStatusFields = {
  verification_id: Schema.String,
  status: VerificationStatus,
  phone: Schema.String,
  current_channel: ChannelDescriptor,
  expires_at: Schema.String,
  verified_at: Schema.NullOr(Schema.String),
  metadata: Schema.optionalKey(jsonObject()).annotateKey({
    description: "As the send had it; absent if it had none."
  })
}

export const SandboxStatusResponse = Schema.Struct(SandboxStatusFields).annotate({
  identifier: "SandboxOtpStatusResponse"
})

const AttemptStatus = Schema.Literals(["sent", "failed"])

export const StatusResponse = Schema.Struct({
  ...SandboxStatusFields,
  current_channel_status: Schema.NullOr(AttemptStatus),
  remaining_seconds: Schema.NullOr(Schema.Int),
  attempts: Schema.Array(
    Schema.Struct({
      sequence: Schema.Int,
      channel: ChannelDescriptor,
      status: AttemptStatus,
      dispatched_at: Schema.NullOr(Schema.String).annotateKey({
        description: "Null if the provider was not called, because no account could send in time."
      }),
      transition_reason: Schema.NullOr(Schema.Literals(["timed_out", "failed"])),
      error_code: Schema.NullOr(AttemptErrorCode),
      skip_reason: Schema.optionalKey(SkipReason).annotateKey({
        description:
          "Why the provider was not called; only if no step was. gap: the account's next turn is too far away. rate: the account is at its rate per minute, or the phone was called too often in this hour. cooldown: the account failed, or was asked to slow down. busy: too many calls to the provider are under way. hours: routes call nobody at this hour."
      }),
      delivery: Schema.NullOr(Schema.Literals(["delivered", "undelivered"])).annotateKey({
        description: "The provider's delivery report; null without one."
      })
    })
  )
}).annotate({ identifier: "OtpStatusResponse" })

/** In a list, with the time that `created_after` compares. */
export const ListedVerification = Schema.Struct({
  ...StatusResponse.fields,
  created_at: Schema.String
}).annotate({ identifier: "ListedOtp" })

export const ListedSandboxVerification = Schema.Struct({
  ...SandboxStatusFields,
  created_at: Schema.String
}).annotate({ identifier: "ListedSandboxOtp" })

const UsedLimit = Schema.Struct({
  limit: Schema.Int.annotate({ description: "0: no limit." }),
  used: Schema.Int.annotate({ description: "Codes that you sent to the phone and that still count." }),
  resets_at: Schema.NullOr(Timestamp).annotateKey({ description: "Null: nothing counts." })
}).annotate({
  identifier: "OtpUsedLimit",
  description: "Your codes to this phone, and how many there may be."
})

const PreviewedStep = Schema.Struct({
  channel: ChannelDescriptor,
  wait: Schema.Int.annotate({ description: "Seconds until the next channel." }),
  price: Schema.Int.annotate({ description: "Rials, if this channel delivers the code." }),
  state: Schema.Literals(["ready", "gap", "rate", "cooldown", "misconfigured"]).annotate({
    description:
      "What its account can do now. gap: its next turn is too far away. rate: it is at its rate per minute."
  }),
  reason: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The error's code if it is misconfigured; hours for a call that is not made at this hour; else the state; null if it is ready."
  }),
  free_at: Schema.NullOr(Timestamp).annotateKey({ description: "When it can send again, if that is known." })
}).annotate({ identifier: "OtpPreviewedStep" })

const PreviewedText = Schema.Struct({
  channel: Schema.String,
  text: Schema.NullOr(Schema.String).annotateKey({
    description: "With a sample code; null if the SMS provider fills in its own template."
  }),
  sms_parts: Schema.NullOr(Schema.Int).annotateKey({
    description: "Of an SMS with this text; null for others."
  }),
  problem: Schema.NullOr(Schema.Literal("too_long_for_app")).annotateKey({
    description:
      "too_long_for_app: this SMS has your `app_hash`, but more than the 140 bytes (UTF-8) that the SMS Retriever reads. Null: nothing is wrong."
  })
}).annotate({ identifier: "OtpPreviewedText" })

export const PreviewResponse = Schema.Struct({
  route: Schema.Array(PreviewedStep).annotate({
    description:
      "The steps in the order in which a send would try them; empty if the channels' names are refused."
  }),
  texts: Schema.Array(PreviewedText).annotate({ description: "One for each channel of the route." }),
  limits: Schema.Struct({
    phone_hour: UsedLimit,
    phone_day: UsedLimit,
    quota: QuotaResource,
    wallet: Schema.NullOr(WalletResource)
  }).annotate({ description: "Your own limits, and how much of them is used." }),
  would_refuse: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The code of the error that a send would get, as far as your own records say; null if it would be accepted."
  })
}).annotate({ identifier: "OtpPreview" })
