/** Processes that lived through all of the second act hold no more than when they had just become warm. */
import type { Invariant } from "../Evidence.ts"

/** Pools that had not yet opened all their connections, and a file or two. */
const MORE_DESCRIPTORS = 12
const MORE_CONNECTIONS = 12
/** Megabytes. Code is still compiled, and caches fill; what leaks goes on and on. */
const MORE_HEAP = 24
const MORE_RESIDENT = 160

export const holdings: Invariant = ({ warm, settled }) => {
  const measured = settled.servers.flatMap((after, index) => {
    const before = warm.servers[index]
    return before === undefined ? [] : [{ index, before, after }]
  })
  const counted = measured.map(({ index, before, after }) => {
    const change = (of: "descriptors" | "heap" | "resident") =>
      `${before[of].toFixed(0)} → ${after[of].toFixed(0)}`
    return `server ${index}: descriptors ${change("descriptors")}, heap MB ${change("heap")}, resident MB ${change("resident")}`
  })
  return {
    invariant: `Nothing leaks: at rest, at most ${MORE_DESCRIPTORS} more descriptors, ${MORE_HEAP} MB more heap, ${MORE_RESIDENT} MB more resident, ${MORE_CONNECTIONS} more connections to PostgreSQL`,
    counted: [...counted, `connections ${warm.connections} → ${settled.connections}`].join("\n      "),
    broken: [
      ...measured.flatMap(({ index, before, after }) => {
        const told = `server ${index}`
        if (before.life !== after.life)
          return [`${told} ended in the second act, in which nothing ends a process`]
        return [
          ...(after.descriptors > before.descriptors + MORE_DESCRIPTORS
            ? [`${told} has more descriptors`]
            : []),
          ...(after.heap > before.heap + MORE_HEAP ? [`${told} has more on its heap`] : []),
          ...(after.resident > before.resident + MORE_RESIDENT ? [`${told} has more memory`] : [])
        ]
      }),
      ...(settled.connections > warm.connections + MORE_CONNECTIONS ? ["there are more connections"] : [])
    ]
  }
}
