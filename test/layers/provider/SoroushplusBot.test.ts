import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ProviderHttp } from "../../../src/layers/provider/ProviderHttp.ts"
import { ProviderHttpTest } from "./kit/AdapterTest.ts"
import { botAdapters, botSetUp, describeBotAdapter } from "./kit/BotAdapterTest.ts"

describeBotAdapter({
  platform: "soroushplus",
  maxTextLength: 4000,
  wrongSettings: [[{ token: "t", trust_contacts: "SECRET" }, "trust_contacts Expected boolean"]]
})

describe("soroushplus bot", () => {
  it.effect("sends codes and texts on soroushplus, to people it has met", () =>
    Effect.gen(function* () {
      const { name, channels } = botAdapters.soroushplus(yield* ProviderHttp, "http://127.0.0.1:1")
      expect({ name, channels }).toEqual({ name: "soroushplus_bot", channels: ["soroushplus"] })
      expect((yield* botSetUp("soroushplus")).account.traits).toEqual({
        sendsCodes: true,
        sendsTexts: true,
        deduplicatesCodes: false,
        deduplicatesTexts: false,
        reportsDelivery: false,
        needsContact: true
      })
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})
