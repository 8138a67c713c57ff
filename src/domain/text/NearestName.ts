/** How many characters must be added, removed or replaced to turn one text into the other. */
const distance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (const [line, character] of [...from].entries()) {
    const next = [line + 1]
    for (const [at, other] of [...to].entries()) {
      const replaced = (row[at] ?? 0) + (character === other ? 0 : 1)
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}

const MAX_DISTANCE = 4

/** The name that was probably meant; undefined if none is similar. */
export const nearest = (name: string, known: ReadonlyArray<string>): string | undefined => {
  const [closest] = known
    .map((candidate) => ({ candidate, far: distance(name, candidate) }))
    .toSorted((a, b) => a.far - b.far)
  return closest !== undefined && closest.far <= Math.min(MAX_DISTANCE, name.length / 3)
    ? closest.candidate
    : undefined
}
