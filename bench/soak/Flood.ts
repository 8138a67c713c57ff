/** One customer sends far more messages than its provider takes, while that provider does not answer. */
import type { Customer } from "./Customers.ts"
import { tally } from "./Evidence.ts"
import { phoneOf } from "./Load.ts"
import { randomOf } from "./Random.ts"
import type { World } from "./Statuses.ts"

/** Phones that no user of the load has: those count from 0. */
const FIRST_PHONE = 5_000_000
const AT_ONCE = 8

/** Returns how its messages were answered. */
export type Flood = (count: number) => Promise<string>

export const makeFlood = ({ backend, journal }: World, customer: Customer, seed: string): Flood => {
  let sent = 0
  const sendOne = async () => {
    const nth = sent
    sent += 1
    const phone = phoneOf(FIRST_PHONE + nth)
    const subject = journal.newSubject("message", customer, phone)
    const { reply } = await backend.insist(
      {
        operation: "POST /v1/messages/send",
        key: customer.key,
        idempotencyKey: subject.idempotencyKey,
        body: { to: phone, message: `soak ${phone}`, channels: ["soroushplus"] }
      },
      randomOf(seed, "flood", nth)
    )
    const id: unknown = Object(reply?.body).message_id
    if (reply?.status === 201 && typeof id === "string") subject.ids.add(id)
    return String(reply?.status ?? "not now")
  }
  return async (count) => {
    let left = count
    const answers: Array<string> = []
    const sendOn = async () => {
      while (left > 0) {
        left -= 1
        answers.push(await sendOne())
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, sendOn))
    return tally(answers)
  }
}
