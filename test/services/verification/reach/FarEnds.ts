import { type Clock, Duration, Effect, Layer } from "effect"
import { defaultEndpoints, ProviderEndpoints } from "../../../../src/layers/provider/ProviderEndpoints.ts"
import { fakeBaleSafir } from "../../../support/fakes/FakeBaleSafir.ts"
import type { Answer, FakeFarEnd, Fault, Received } from "../../../support/fakes/FakeFarEnd.ts"
import { fakeKavenegar } from "../../../support/fakes/FakeKavenegar.ts"
import { fakeSmsir } from "../../../support/fakes/FakeSmsir.ts"

export type FarEnd = "kavenegar" | "smsir" | "safir"

/** What a far end does with a send. */
export interface Behavior {
  /** Absent: it answers as its documents say. */
  readonly answer?: Answer | Fault
  /** Seconds until it answers; 0 by default. */
  readonly after?: number
  /** Only this many sends are treated like this; all by default. */
  readonly times?: number
  /** What it reports later about a message that it accepted. */
  readonly report?: Answer
}

export type Faults = Partial<Record<FarEnd, Behavior>>

export const withFarEnds = Effect.gen(function* () {
  const ends = { kavenegar: yield* fakeKavenegar(), smsir: yield* fakeSmsir(), safir: yield* fakeBaleSafir() }
  const endpoints = {
    ...defaultEndpoints,
    kavenegarUrl: `${ends.kavenegar.url}/v1`,
    smsirUrl: `${ends.smsir.url}/v1`,
    baleSafirUrl: `${ends.safir.url}/api/v3`
  }
  return { ends, endpoints: Layer.succeed(ProviderEndpoints, endpoints) }
})

const isSend = ({ method, path }: Received): boolean => method === "POST" && !path.includes("status")

/** More than any case calls a far end. */
const MAX_CALLS = 20

/** Records when each far end gets a send, by the test's clock, and lets it behave as the case says. */
export const watchFarEnds = (
  ends: Readonly<Record<FarEnd, FakeFarEnd>>,
  faults: Faults,
  clock: Clock.Clock
): ReadonlyArray<readonly [FarEnd, number]> => {
  const sends: Array<readonly [FarEnd, number]> = []
  for (const name of ["kavenegar", "smsir", "safir"] as const) {
    const { answer, after = 0, times = MAX_CALLS, report } = faults[name] ?? {}
    let count = 0
    const respond = async (received: Received): Promise<Answer | Fault> => {
      if (!isSend(received)) return report ?? ends[name].behave(received)
      sends.push([name, clock.currentTimeMillisUnsafe() / 1000])
      count += 1
      if (count > times) return ends[name].behave(received)
      if (after > 0) await Effect.runPromise(clock.sleep(Duration.seconds(after)))
      return answer ?? ends[name].behave(received)
    }
    ends[name].script(...Array.from({ length: MAX_CALLS }, () => respond))
  }
  return sends
}
