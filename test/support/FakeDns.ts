import { promises } from "node:dns"
import * as net from "node:net"
import { beforeAll, beforeEach, vi } from "vitest"

/** The addresses of a name; or why there are none. */
export type DnsAnswer = ReadonlyArray<string> | Error

interface Question {
  readonly hostname: string
  readonly families: Array<4 | 6>
}

/**
 * Answers for the DNS while the tests of a file run. A name has one answer after the other, the last for all questions
 * that follow; `otherwise` is the answer for names without one.
 */
export const fakeDns = (otherwise: (hostname: string) => DnsAnswer) => {
  const answers = new Map<string, ReadonlyArray<DnsAnswer>>()
  const asked: Array<Question> = []
  /** One lookup asks for both families in one turn. */
  let current: Question | null = null

  const begin = (hostname: string): Question => {
    const question: Question = { hostname, families: [] }
    asked.push(question)
    current = question
    queueMicrotask(() => (current = null))
    return question
  }

  const resolve = (family: 4 | 6) => async (hostname: string) => {
    const isSameLookup = current?.hostname === hostname && !current.families.includes(family)
    const question = isSameLookup && current !== null ? current : begin(hostname)
    question.families.push(family)
    const all = answers.get(hostname) ?? [otherwise(hostname)]
    const nth = asked.filter((each) => each.hostname === hostname).length - 1
    const answer = all[Math.min(nth, all.length - 1)] ?? []
    if (answer instanceof Error) throw answer
    return answer.filter((address) => net.isIP(address) === family)
  }

  beforeAll(() => {
    const { prototype } = promises.Resolver
    const spies = [
      vi.spyOn(prototype, "resolve4").mockImplementation(resolve(4) as typeof prototype.resolve4),
      vi.spyOn(prototype, "resolve6").mockImplementation(resolve(6) as typeof prototype.resolve6)
    ]
    return () => spies.forEach((spy) => spy.mockRestore())
  })
  beforeEach(() => {
    answers.clear()
    asked.length = 0
  })
  return {
    asked: asked as ReadonlyArray<{
      readonly hostname: string
      readonly families: ReadonlyArray<4 | 6>
    }>,
    standsFor: (hostname: string, ...given: ReadonlyArray<DnsAnswer>) => void answers.set(hostname, given)
  }
}
