import { Option } from "effect"

/** The results, in the order of the requests: each row has the place of its request. */
export const inOrder = <Found>(
  count: number,
  rows: ReadonlyArray<readonly [nth: number, found: Found]>
): ReadonlyArray<Option.Option<Found>> => {
  const found: Array<Option.Option<Found>> = Array.from({ length: count }, () => Option.none())
  for (const [nth, row] of rows) found[nth - 1] = Option.some(row)
  return found
}
