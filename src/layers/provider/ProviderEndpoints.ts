import { Context, type Redacted } from "effect"

/** The address of each provider, and how to reach it. */
export interface ProviderEndpointsShape {
  readonly smsirUrl: string
  readonly kavenegarUrl: string
  readonly ippanelUrl: string
  readonly melipayamakUrl: string
  readonly ghasedakUrl: string
  readonly farazsmsUrl: string
  readonly baleSafirUrl: string
  readonly baleBotUrl: string
  readonly eitaaUrl: string
  readonly soroushplusUrl: string
  readonly rubikaUrl: string
  readonly telegramUrl: string
  readonly telegramGatewayUrl: string
  /** An HTTP proxy for all providers; it can contain a password. */
  readonly providerProxy: Redacted.Redacted | null
  /** Another one for Telegram, which many networks cannot reach. */
  readonly telegramProxy: Redacted.Redacted | null
  /** Where platforms reach this service; null: they cannot. */
  readonly publicUrl: string | null
}

export const defaultEndpoints: ProviderEndpointsShape = {
  smsirUrl: "https://api.sms.ir/v1",
  kavenegarUrl: "https://api.kavenegar.com/v1",
  ippanelUrl: "https://edge.ippanel.com/v1",
  melipayamakUrl: "https://rest.payamak-panel.com/api",
  ghasedakUrl: "https://gateway.ghasedak.me/rest/api/v1/WebService",
  farazsmsUrl: "https://api.iranpayamak.com",
  baleSafirUrl: "https://safir.bale.ai/api/v3",
  baleBotUrl: "https://tapi.bale.ai",
  eitaaUrl: "https://eitaayar.ir/api",
  soroushplusUrl: "https://api.splus.ir",
  rubikaUrl: "https://botapi.rubika.ir/v3",
  telegramUrl: "https://api.telegram.org",
  telegramGatewayUrl: "https://gatewayapi.telegram.org",
  providerProxy: null,
  telegramProxy: null,
  publicUrl: null
}

export const ProviderEndpoints = Context.Reference<ProviderEndpointsShape>(
  "peyk/layers/provider/ProviderEndpoints",
  { defaultValue: () => defaultEndpoints }
)
