import { Result, Schema } from "effect"
import { InvalidStrategy } from "../Errors.ts"

/** Over one route after the other until one succeeds, or over all of them. */
export const Strategy = Schema.Literals(["failover", "broadcast"])
export type Strategy = typeof Strategy.Type

const isStrategy = Schema.is(Strategy)

export const parseStrategy = (name: string): Result.Result<Strategy, InvalidStrategy> =>
  isStrategy(name) ? Result.succeed(name) : Result.fail(new InvalidStrategy())
