import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ProviderHttp } from "../../../src/layers/provider/ProviderHttp.ts"
import { delivery, expectOutcome, ProviderHttpTest } from "./kit/AdapterTest.ts"
import { botAdapters, botSetUp, describeBotAdapter, lost } from "./kit/BotAdapterTest.ts"

describeBotAdapter({
  platform: "bale",
  maxTextLength: 4096,
  wrongSettings: [[{ token: "t", trust_contacts: "SECRET" }, "trust_contacts Expected boolean"]]
})

describe("bale bot", () => {
  it.effect("sends codes and texts on bale, to people it has met", () =>
    Effect.gen(function* () {
      const { name, channels } = botAdapters.bale(yield* ProviderHttp, "http://127.0.0.1:1")
      expect({ name, channels }).toEqual({ name: "bale_bot", channels: ["bale"] })
      expect((yield* botSetUp("bale")).account.traits).toEqual({
        sendsCodes: true,
        sendsTexts: true,
        deduplicatesCodes: false,
        deduplicatesTexts: false,
        reportsDelivery: false,
        needsContact: true
      })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("knows from the platform's own words that a chat does not exist", () =>
    Effect.gen(function* () {
      const { account } = yield* botSetUp("bale")
      expectOutcome(yield* account.sendText(delivery("bale", { chatId: "nobody" })), {
        ...lost,
        providerError: "400 Bad Request: no such group or user"
      })
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})
