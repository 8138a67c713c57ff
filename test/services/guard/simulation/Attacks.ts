/** Eight kinds of attack, one of them also at night, as requests for codes that nobody enters. */
import type { Random } from "../../../../bench/soak/Random.ts"
import { anyNetwork, type Asked, HOUR, MINUTE, randomPhone, SECOND } from "./Users.ts"

export interface Attack {
  readonly name: string
  readonly asked: ReadonlyArray<Asked>
  /** What its codes have in common: each of these is one attacked segment. */
  readonly segmentOf: (asked: Asked) => string
}

type Given = Pick<Asked, "phone"> & Partial<Asked>

export const makeAttack = (
  name: string,
  starts: number,
  codes: number,
  lasts: number,
  given: (nth: number) => Given,
  segmentOf: (asked: Asked) => string = () => name
): Attack => ({
  name,
  segmentOf,
  asked: Array.from({ length: codes }, (_, nth) => ({
    at: starts + Math.round((nth * lasts) / codes),
    customer: 0,
    by: name,
    verifiesAfter: null,
    hasMessenger: true,
    retries: 0,
    insists: 0,
    ...given(nth)
  }))
})

/** Attacks on the first customer, or on all of them. `scale` is the factor for the number of codes. */
export const attacks = (
  random: Random,
  starts: (nth: number) => number,
  night: number,
  customers: number,
  scale: number
) => {
  const codes = (most: number) => Math.round(most * scale)
  const victims = Array.from({ length: codes(20) }, () => randomPhone(random))
  const range = `+98911${random.between(100, 999)}`
  return [
    makeAttack("one address", starts(0), codes(600), 40 * MINUTE, () => ({
      phone: randomPhone(random),
      ip: "203.0.113.5"
    })),
    makeAttack("many addresses", starts(1), codes(1500), 2 * HOUR, () => ({
      phone: randomPhone(random),
      ip: anyNetwork(random)
    })),
    makeAttack("range of numbers", starts(2), codes(800), HOUR, (nth) => ({
      phone: range + String(nth).padStart(4, "0"),
      ip: anyNetwork(random)
    })),
    makeAttack("slow drip", starts(3), codes(240), 20 * HOUR * scale, () => ({
      phone: randomPhone(random),
      ip: "203.0.113.77"
    })),
    makeAttack(
      "bomber",
      starts(4),
      codes(20) * customers * 6,
      30 * MINUTE,
      (nth) => ({
        phone: victims[nth % victims.length] ?? "",
        customer: Math.floor(nth / victims.length) % customers,
        ip: anyNetwork(random)
      }),
      ({ phone }) => phone
    ),
    makeAttack("guessing", starts(5), codes(200), HOUR, () => ({
      phone: randomPhone(random),
      ip: "198.51.100.9",
      deviceId: "guesser",
      wrong: 5
    })),
    makeAttack("replayed device", starts(6), codes(600), HOUR, () => ({
      phone: randomPhone(random),
      ip: anyNetwork(random),
      deviceId: "replayed"
    })),
    makeAttack("own bug", starts(7), codes(1200), 40 * MINUTE, () => ({ phone: randomPhone(random) })),
    // Hardly a user is awake: twice the codes of a mean hour are few enough to look like an outage.
    makeAttack("many addresses at night", night, codes(100), 3 * HOUR, () => ({
      phone: randomPhone(random),
      ip: anyNetwork(random)
    }))
  ] satisfies ReadonlyArray<Attack>
}

/** A provider delivers nothing on this channel. */
export interface Lost {
  /** Of this customer only; absent: of all. */
  readonly customer?: number
  readonly channel: "bale" | "sms"
  readonly from: number
  readonly until: number
}

export const isLost = (lost: ReadonlyArray<Lost>, channel: Lost["channel"], at: number): boolean =>
  lost.some((each) => each.channel === channel && each.from <= at && at < each.until)

export const STEP_WAIT = 60 * SECOND
