import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ProviderHttp } from "../../../src/layers/provider/ProviderHttp.ts"
import { delivery, expectOutcome, ProviderHttpTest } from "./kit/AdapterTest.ts"
import { botAdapters, botSetUp, describeBotAdapter } from "./kit/BotAdapterTest.ts"
import { configuration } from "./kit/ProviderCase.ts"

describeBotAdapter({
  platform: "telegram",
  maxTextLength: 4096,
  wrongSettings: [[{ token: "t", trust_contacts: true }, "trust_contacts is not a setting of this provider"]]
})

describe("telegram bot", () => {
  it.effect("sends texts on telegram, to people it has met, and no codes", () =>
    Effect.gen(function* () {
      const { name, channels } = botAdapters.telegram(yield* ProviderHttp, "http://127.0.0.1:1")
      expect({ name, channels }).toEqual({ name: "telegram_bot", channels: ["telegram"] })
      expect((yield* botSetUp("telegram")).account.traits).toEqual({
        sendsCodes: false,
        sendsTexts: true,
        deduplicatesCodes: false,
        deduplicatesTexts: false,
        reportsDelivery: false,
        needsContact: true
      })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  const tokens: ReadonlyArray<readonly [string, string, string]> = [
    ["revoked", "3000000003:RevokedTelegramToken_0123456789abcd", "401 Unauthorized"],
    ["malformed", "3000000003", "404 Not Found"]
  ]
  it.effect.each(tokens)("names the account as the cause of a token that is %s", ([, token, providerError]) =>
    Effect.gen(function* () {
      const { account } = yield* botSetUp("telegram", { token })
      expectOutcome(yield* account.sendText(delivery("telegram")), { ...configuration, providerError })
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})
