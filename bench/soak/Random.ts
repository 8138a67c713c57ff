import { fnv1a } from "../../src/domain/text/Fingerprints.ts"

/** Choices that a seed decides: the same seed makes the same ones, in any order of calls. */
export interface Random {
  /** At least 0, less than 1. */
  readonly next: () => number
  /** A whole number, both ends included. */
  readonly between: (from: number, to: number) => number
  readonly chance: (probability: number) => boolean
  readonly pick: <A>(from: ReadonlyArray<A>) => A
  readonly shuffled: <A>(all: ReadonlyArray<A>) => ReadonlyArray<A>
}

/** A separate stream for each name, so that one part of the program does not change another's choices. */
export const randomOf = (seed: string, ...name: ReadonlyArray<string | number>): Random => {
  let state = fnv1a([seed, ...name].join("/")) >>> 0
  // mulberry32
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (from: number, to: number) => from + Math.floor(next() * (to - from + 1))
  const pick = <A>(from: ReadonlyArray<A>): A => {
    const picked = from[between(0, from.length - 1)]
    if (picked === undefined) throw new Error("nothing to pick from")
    return picked
  }
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick,
    shuffled: (all) =>
      all
        .map((each) => ({ each, at: next() }))
        .sort((a, b) => a.at - b.at)
        .map(({ each }) => each)
  }
}
