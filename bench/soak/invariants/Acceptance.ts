/** Everything accepted exists; what was requested twice with one key exists once. */
import { describe, groupBy, type Invariant } from "../Evidence.ts"

export const acceptance: Invariant = ({ records, journal }) => {
  const byPhone = groupBy(records.subjects, ({ phone }) => phone)
  const subjectOfKey = new Map(records.keys.map(({ key, subject }) => [key, subject]))
  let answered = 0
  let unanswered = 0
  const broken = [...journal.subjects.values()].flatMap((subject): ReadonlyArray<string> => {
    const { phone, ids, idempotencyKey, customer, kind } = subject
    const found = byPhone.get(phone) ?? []
    answered += ids.size
    unanswered += ids.size === 0 ? found.length : 0
    const problems: Array<string> = []
    if (found.length > 1) problems.push(`${idempotencyKey} made ${found.map(describe).join(" and ")}`)
    for (const id of ids) {
      const record = found.find((each) => each.id === id)
      if (record === undefined) problems.push(`${kind} ${id} (${phone}) was accepted, and is not there`)
      else if (record.customerId !== customer.id)
        problems.push(`${describe(record)} belongs to another customer`)
    }
    for (const { id } of found) {
      if (subjectOfKey.get(idempotencyKey) !== id)
        problems.push(`${idempotencyKey} does not stand for ${kind} ${id}`)
    }
    return problems
  })
  const strangers = records.subjects.filter(({ phone }) => !journal.subjects.has(phone))
  return {
    invariant: "Nothing that was accepted is lost, and one key makes one thing",
    counted: `${answered} accepted and answered, ${unanswered} accepted though no answer came through, ${records.keys.length} keys`,
    isCovered: answered > 0,
    broken: [
      ...broken,
      ...journal.contradictions,
      ...strangers.map((each) => `${describe(each)} was asked for by nobody`)
    ]
  }
}
