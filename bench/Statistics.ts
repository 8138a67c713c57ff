/** The arithmetic of the measurements. */

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

/** The nearest rank: the least value that is not below a share `q` of them. */
export const quantileOfSorted = (sorted: ArrayLike<number>, q: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * q) - 1)] ?? Number.NaN

export const quantile = (values: ReadonlyArray<number>, q: number): number =>
  quantileOfSorted(
    values.toSorted((a, b) => a - b),
    q
  )

/** One figure divided by another, of each round in which both were measured. */
export const pairedRatios = (
  mine: ReadonlyArray<number | null>,
  others: ReadonlyArray<number | null>
): ReadonlyArray<number> =>
  mine.flatMap((figure, round) => {
    const other = others[round]
    return figure === null || other === null || other === undefined ? [] : [figure / other]
  })
