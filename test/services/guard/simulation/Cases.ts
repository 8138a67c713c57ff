/** What once went wrong, each as a plan of two days and what has to hold in it. */
import type { Random } from "../../../../bench/soak/Random.ts"
import { type Attack, makeAttack } from "./Attacks.ts"
import type { Outcome, Plan } from "./Plan.ts"
import { anyNetwork, DAY, HOUR, MINUTE, randomPhone } from "./Users.ts"

export interface Case {
  readonly name: string
  /** Short enough to be among all tests; the others run in `npm run simulate:guard`. */
  readonly isQuick?: true
  /** With seed b, on any machine: they change with the rules of the guard alone. */
  readonly figures?: Pick<Outcome, "codes" | "refused" | "outages"> & {
    readonly leaked: ReadonlyArray<number>
  }
  readonly plan: (seed: string) => Plan
  /** What does not hold. */
  readonly faults: (outcome: Outcome) => ReadonlyArray<string>
}

const MAX_LEAKED = 50
/** The codes of the first customer's users in a mean hour. */
const CODES_PER_HOUR = 12

const plan =
  (changes: Partial<Plan>) =>
  (seed: string): Plan => ({
    seed,
    days: 2,
    customers: 4,
    codesPerDay: [24 * CODES_PER_HOUR, 24],
    attacks: () => [],
    lost: [],
    mode: "enforcing",
    ...changes
  })

const leaks = ({ attacks }: Outcome) =>
  attacks.flatMap(({ name, leaked }) => (leaked > MAX_LEAKED ? [`${name}: ${leaked} leaked`] : []))

const refusedFrom = ({ refusedAt }: Outcome, from: number, until: number, most: number) => {
  const refused = refusedAt.filter((at) => from <= at && at < until).length
  return refused > most
    ? [`${refused} users were refused between ${from / HOUR} h and ${until / HOUR} h`]
    : []
}

/** Each code from another network, so many times the mean of users' codes. */
const fromEverywhere = (random: Random, starts: number, hours: number, times: number): Attack =>
  makeAttack(`${times} × the mean`, starts, Math.round(times * CODES_PER_HOUR * hours), hours * HOUR, () => ({
    phone: randomPhone(random),
    ip: anyNetwork(random)
  }))

const ATTACK = DAY + 14 * HOUR

/** The night attack begins with the first code, or after a day. */
const atNight = (times: number, starts: number): Case => ({
  name: `an attack of ${times} × the mean in the ${starts < DAY ? "first" : "second"} night`,
  plan: plan({ attacks: (random) => [fromEverywhere(random, starts, 5, times)] }),
  faults: (outcome) => [
    ...leaks(outcome),
    ...outcome.outages.map(({ from }) => `an outage at ${from / HOUR} h`)
  ]
})

const LOST: Plan["lost"] = (["sms", "bale"] as const).map((channel) => ({
  channel,
  from: ATTACK,
  until: ATTACK + 3 * HOUR
}))

/** A customer with few codes: the main rules, in seconds. */
const quick: ReadonlyArray<Case> = [
  {
    name: "three attacks in a small customer's first day",
    isQuick: true,
    figures: { codes: 121, refused: 0, leaked: [28, 26, 28], outages: [] },
    plan: plan({
      days: 0.8,
      customers: 1,
      codesPerDay: [144, 0],
      habits: { ip: "192.0.2.1" },
      attacks: (random) => [
        makeAttack("one address", 8 * HOUR, 60, 3 * HOUR, () => ({
          phone: randomPhone(random),
          ip: "203.0.113.5"
        })),
        makeAttack("a /48", 12 * HOUR, 60, HOUR / 2, (nth) => ({
          phone: randomPhone(random),
          ip: `2001:db8:0:${nth.toString(16)}::1`
        })),
        fromEverywhere(random, 16 * HOUR, 1, 10)
      ]
    }),
    // Two attacks have a network in common, and the users' network is known when the third comes.
    faults: (outcome) => [
      ...outcome.attacks.flatMap(({ name, leaked }, nth) =>
        leaked > (nth < 2 ? 30 : MAX_LEAKED) ? [`${name}: ${leaked} leaked`] : []
      ),
      ...refusedFrom(outcome, 0, 2 * DAY, 0)
    ]
  },
  {
    name: "a provider fails a small customer",
    isQuick: true,
    figures: {
      codes: 277,
      refused: 3,
      leaked: [],
      outages: [
        { from: 143_692_557, until: 145_013_425 },
        { from: 145_876_143, until: 147_633_873 }
      ]
    },
    plan: plan({
      days: 1.75,
      customers: 1,
      codesPerDay: [144, 0],
      habits: { ip: "192.0.2.1" },
      lost: LOST
    }),
    // With six codes an hour it takes most of an hour to know.
    faults: (outcome) => [
      ...refusedFrom(outcome, 0, 2 * DAY, 5),
      ...(outcome.outages.length === 0 ? ["no outage was seen"] : [])
    ]
  }
]

export const cases: ReadonlyArray<Case> = [
  ...quick,
  {
    name: "a large customer makes it look as if a provider failed, and another one is attacked",
    plan: plan({
      codesPerDay: [24 * CODES_PER_HOUR, 12 * CODES_PER_HOUR],
      // None of its own codes is verified, and it sends three times as many.
      lost: [{ customer: 1, channel: "sms", from: ATTACK, until: ATTACK + 2 * HOUR }],
      attacks: (random) => [
        makeAttack("the large customer", ATTACK, 48, 2 * HOUR, () => ({
          customer: 1,
          phone: randomPhone(random),
          ip: anyNetwork(random)
        })),
        fromEverywhere(random, ATTACK + HOUR / 2, 1.5, 10)
      ]
    }),
    faults: (outcome) => [
      ...leaks(outcome),
      // The night of a customer's first day is another matter: what is usual then is not known yet.
      ...outcome.outages
        .filter(({ from }) => from >= ATTACK)
        .map(({ from }) => `an outage at ${from / HOUR} h`)
    ]
  },
  {
    name: "users who are refused try twenty times",
    plan: plan({
      habits: { insists: 20 },
      attacks: (random) => [fromEverywhere(random, ATTACK, 1, 40)]
    }),
    // A block and an hour of probation after the attack.
    faults: (outcome) => [...leaks(outcome), ...refusedFrom(outcome, ATTACK + 3 * HOUR, 2 * DAY, 0)]
  },
  ...[0.4, 1, 2].flatMap((times) => [atNight(times, 3 * HOUR), atNight(times, DAY + 3 * HOUR)]),
  {
    name: "a provider fails a customer whose codes come from one network",
    plan: plan({
      habits: { ip: "192.0.2.1" },
      lost: LOST
    }),
    faults: (outcome) => refusedFrom(outcome, 0, 2 * DAY, 0)
  },
  {
    name: "an attack from one network goes on in an outage",
    plan: plan({
      lost: LOST,
      attacks: (random) => [
        makeAttack("one address", ATTACK - 40 * MINUTE, 400, 4 * HOUR, () => ({
          phone: randomPhone(random),
          ip: "203.0.113.5"
        }))
      ]
    }),
    faults: (outcome) => [...leaks(outcome), ...refusedFrom(outcome, 0, 2 * DAY, 0)]
  },
  {
    name: "two addresses ask for what others need",
    plan: plan({
      attacks: (random) => [
        makeAttack("two addresses", ATTACK, 36, 10 * MINUTE, (nth) => ({
          phone: randomPhone(random),
          ip: nth % 2 === 0 ? "203.0.113.5" : "198.51.100.9"
        }))
      ]
    }),
    faults: (outcome) => refusedFrom(outcome, 0, 2 * DAY, 0)
  },
  {
    name: "an attacker with a /48 takes another /64 for each code",
    plan: plan({
      attacks: (random) => [
        makeAttack("a /48", ATTACK, 480, HOUR, (nth) => ({
          phone: randomPhone(random),
          ip: `2001:db8:0:${nth.toString(16)}::1`
        }))
      ]
    }),
    faults: (outcome) => [...leaks(outcome), ...refusedFrom(outcome, 0, 2 * DAY, 0)]
  },
  {
    name: "one phone is asked for again and again, which its limits refuse",
    plan: plan({
      attacks: (random) => {
        const phones = Array.from({ length: 4 }, () => randomPhone(random))
        return [
          makeAttack("limited", ATTACK, 400, HOUR, (nth) => ({
            phone: phones[nth % 4] ?? "",
            ip: anyNetwork(random)
          }))
        ]
      }
    }),
    faults: (outcome) => refusedFrom(outcome, 0, 2 * DAY, 0)
  }
]
