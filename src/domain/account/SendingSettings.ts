import type { SendKind } from "./Pace.ts"

export interface SendingSettings {
  readonly codes: ReadonlyArray<string>
  readonly texts: ReadonlyArray<string>
}

/** The settings without which an SMS account connects but cannot send codes, or texts. Other providers always can. */
export const sendingSettings = {
  smsir: { codes: ["otp_template_id"], texts: ["line_number"] },
  kavenegar: { codes: ["otp_template"], texts: ["sender"] },
  ippanel: { codes: ["from_number", "otp_pattern"], texts: ["from_number"] },
  melipayamak: { codes: ["otp_body_id"], texts: ["from"] },
  ghasedak: { codes: ["otp_template"], texts: ["line_number"] },
  farazsms: { codes: ["otp_pattern"], texts: ["line_number"] }
} as const satisfies Readonly<Record<string, SendingSettings>>

const byProvider: ReadonlyMap<string, SendingSettings> = new Map(Object.entries(sendingSettings))

/** What an account of this provider needs to send codes, or texts. */
export const settingsNeeded = (provider: string, kind: SendKind): ReadonlyArray<string> =>
  byProvider.get(provider)?.[kind === "code" ? "codes" : "texts"] ?? []
