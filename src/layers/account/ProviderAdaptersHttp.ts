import { Effect, Layer } from "effect"
import { ProviderAdapters } from "../../services/provider/ProviderAdapter.ts"
import { Simulator } from "../../services/Simulator.ts"
import { baleBotAdapter } from "../providers/bots/BaleBotAdapter.ts"
import { baleSafirAdapter } from "../providers/BaleSafirAdapter.ts"
import { bridgeAdapter } from "../providers/bridge/BridgeAdapter.ts"
import { eitaaAppAdapter } from "../providers/eitaa/EitaaAppAdapter.ts"
import { farazsmsAdapter } from "../providers/sms/FarazsmsAdapter.ts"
import { ghasedakAdapter } from "../providers/sms/GhasedakAdapter.ts"
import { ippanelAdapter } from "../providers/sms/IppanelAdapter.ts"
import { kavenegarAdapter } from "../providers/sms/KavenegarAdapter.ts"
import { melipayamakAdapter } from "../providers/sms/MelipayamakAdapter.ts"
import { ProviderEndpoints } from "../providers/ProviderEndpoints.ts"
import { ProviderHttp } from "../providers/ProviderHttp.ts"
import { ProviderConnections } from "../providers/ProviderConnections.ts"
import { rubikaBotAdapter } from "../providers/bots/RubikaBotAdapter.ts"
import { simulatorAdapter } from "../providers/SimulatorAdapter.ts"
import { smsirAdapter } from "../providers/sms/SmsirAdapter.ts"
import { soroushplusBotAdapter } from "../providers/bots/SoroushplusBotAdapter.ts"
import { telegramGatewayAdapter } from "../providers/telegramgateway/TelegramGatewayAdapter.ts"
import { telegramBotAdapter } from "../providers/bots/TelegramBotAdapter.ts"

export const ProviderHttpLive = Layer.provide(ProviderHttp.layer, ProviderConnections.layer)

/** Every provider that an account can use. */
export const ProviderAdaptersHttp = Layer.effect(
  ProviderAdapters,
  Effect.gen(function* () {
    const simulator = yield* Simulator
    const http = yield* ProviderHttp
    const endpoints = yield* ProviderEndpoints
    const adapters = [
      simulatorAdapter(simulator),
      smsirAdapter(http, endpoints.smsirUrl),
      kavenegarAdapter(http, endpoints.kavenegarUrl),
      ippanelAdapter(http, endpoints.ippanelUrl),
      melipayamakAdapter(http, endpoints.melipayamakUrl),
      ghasedakAdapter(http, endpoints.ghasedakUrl),
      farazsmsAdapter(http, endpoints.farazsmsUrl),
      baleSafirAdapter(http, endpoints.baleSafirUrl),
      baleBotAdapter(http, endpoints.baleBotUrl),
      eitaaAppAdapter(http, endpoints.eitaaUrl),
      soroushplusBotAdapter(http, endpoints.soroushplusUrl),
      rubikaBotAdapter(http, endpoints.rubikaUrl),
      telegramBotAdapter(http, endpoints.telegramUrl),
      telegramGatewayAdapter(http, endpoints.telegramGatewayUrl, endpoints.publicUrl),
      bridgeAdapter(http)
    ]
    return new Map(adapters.map((adapter) => [adapter.name, adapter]))
  })
).pipe(Layer.provide(ProviderHttpLive))
