import { Effect, Layer } from "effect"
import { ProviderEndpoints } from "./ProviderEndpoints.ts"
import { ProviderConnections, ProviderHttp } from "./ProviderHttp.ts"
import { baleSafirAdapter } from "./adapters/BaleSafir.ts"
import { bridgeAdapter } from "./adapters/Bridge.ts"
import { eitaaAppAdapter } from "./adapters/EitaaApp.ts"
import { farazsmsAdapter } from "./adapters/Farazsms.ts"
import { ghasedakAdapter } from "./adapters/Ghasedak.ts"
import { ippanelAdapter } from "./adapters/Ippanel.ts"
import { kavenegarAdapter } from "./adapters/Kavenegar.ts"
import { melipayamakAdapter } from "./adapters/Melipayamak.ts"
import { baleBotAdapter, soroushplusBotAdapter, telegramBotAdapter } from "./adapters/PlatformBots.ts"
import { rubikaBotAdapter } from "./adapters/RubikaBot.ts"
import { simulatorAdapter } from "./SimulatorSql.ts"
import { smsirAdapter } from "./adapters/Smsir.ts"
import { telegramGatewayAdapter } from "./adapters/TelegramGateway.ts"
import { ProviderAdapters } from "../../services/provider/ProviderAdapter.ts"
import { Simulator } from "../../services/system/Simulator.ts"

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
