import { Effect } from "effect"
import { ProviderHttp } from "../../../../src/layers/provider/ProviderHttp.ts"
import { rubikaBotAdapter } from "../../../../src/layers/provider/adapters/RubikaBot.ts"
import { connected, delivery, type Expected } from "./AdapterTest.ts"
import { recipient } from "./ProviderCase.ts"
import { fakeRubika, RUBIKA_CHAT, RUBIKA_TOKEN } from "../../../support/fakes/FakeRubika.ts"

/** A bot of Rubika over a fake of its platform. */

export const settings = { token: RUBIKA_TOKEN }

export const lost: Expected = { ...recipient, isContactLost: true }

export const toChat = (changes: Parameters<typeof delivery>[1] = {}) =>
  delivery("rubika", { chatId: RUBIKA_CHAT, ...changes })

export const connect = (http: ProviderHttp["Service"], url: string, given: unknown = settings) =>
  connected(rubikaBotAdapter(http, `${url}/v3`), given)

export const setUpWith = (updates: ReadonlyArray<unknown>, given: unknown = settings) =>
  Effect.gen(function* () {
    const fake = yield* fakeRubika({ updates })
    const account = connect(yield* ProviderHttp, fake.url, given)
    const inbox = account.inbox ?? (yield* Effect.die("no inbox"))
    return { fake, account, inbox }
  })
export const setUp = setUpWith([])
