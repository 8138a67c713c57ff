/** People who ask for codes because they want to sign in. */
import type { Random } from "../../../../bench/soak/Random.ts"

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** A request for a code. */
export interface Asked {
  readonly at: number
  /** Index of the customer. */
  readonly customer: number
  readonly phone: string
  readonly ip?: string
  readonly deviceId?: string
  /** A user, or the attack it belongs to. */
  readonly by: string
  /** The code is entered so long after it was delivered; null: never. */
  readonly verifiesAfter: number | null
  /** Without the messenger, the code comes with the SMS after it. */
  readonly hasMessenger: boolean
  /** Wrong codes that are entered. */
  readonly wrong?: number
  /** A user without a code asks again so often. */
  readonly retries: number
  /** A user who is refused tries again so often. */
  readonly insists: number
  /** It repeats a request that was refused. */
  readonly isRepeated?: boolean
}

const ADDRESSES_OF_OPERATORS = 300
const ADDRESSES_AT_HOME = 4000

export const randomPhone = (random: Random) => `+989${random.between(100_000_000, 399_999_999)}`

export const anyNetwork = (random: Random) =>
  `${random.between(11, 200)}.${random.between(0, 255)}.${random.between(0, 255)}.${random.between(1, 254)}`

/** Most people share the addresses of few mobile operators; homes have more of them; some come from anywhere. */
const networkOf = (random: Random): string => {
  const where = random.next()
  // Few networks have most of the users.
  const nth = (networks: number) => Math.floor(networks * random.next() ** 3)
  if (where < 0.65) {
    const network = nth(ADDRESSES_OF_OPERATORS)
    return `5.${Math.floor(network / 250)}.${network % 250}.${random.between(1, 254)}`
  }
  if (where < 0.93) {
    const network = nth(ADDRESSES_AT_HOME)
    return `2.${Math.floor(network / 250)}.${network % 250}.${random.between(1, 254)}`
  }
  return anyNetwork(random)
}

/** Log-normal: the median is 18 seconds, and 95 % are below 70. */
const timeToEnter = (random: Random): number => {
  const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
  return Math.round(18 * SECOND * Math.exp(0.82 * normal))
}

/** How busy each hour of the day is; the mean is 1. */
const busyness = (at: number): number => 1 + 0.9 * Math.sin(((at / HOUR - 9) / 24) * 2 * Math.PI)

interface Known {
  readonly phone: string
  readonly deviceId: string
}

/** What is different about a customer's users. */
export interface Habits {
  /** All of them come from this address. */
  readonly ip?: string
  /** Each who is refused tries again so often. */
  readonly insists?: number
}

/** The requests of one customer's users, in order. */
export const usersOf = (
  random: Random,
  customer: number,
  days: number,
  codesPerDay: number,
  habits: Habits = {}
): Array<Asked> => {
  const known: Array<Known> = []
  const asked: Array<Asked> = []
  for (let at = 0; at < days * DAY;) {
    at += Math.round((-Math.log(1 - random.next()) * DAY) / codesPerDay / Math.max(0.1, busyness(at)))
    const returns = known.length > 50 && random.chance(0.5)
    const user = returns
      ? random.pick(known)
      : { phone: randomPhone(random), deviceId: `device-${random.next()}` }
    if (!returns) known.push(user)
    const enters = random.chance(returns ? 0.88 : 0.76)
    asked.push({
      ...user,
      at,
      customer,
      ip: habits.ip ?? networkOf(random),
      by: "user",
      verifiesAfter: enters ? timeToEnter(random) : null,
      hasMessenger: random.chance(0.7),
      retries: random.chance(0.4) ? random.between(1, 2) : 0,
      insists: habits.insists ?? (random.chance(0.8) ? random.between(1, 3) : 0)
    })
  }
  return asked
}
