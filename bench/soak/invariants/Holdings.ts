/** Processes that lived through the whole second act hold no more than when they were just warm. */
import type { Invariant } from "../Evidence.ts"
import { knownConnections } from "../Leaks.ts"

/** A file or two, and connections to webhooks and providers that stay open for a while. */
const MORE_DESCRIPTORS = 10
/** Connections that a process opens when needed: changes and presence 1 each, and two to spare. */
const MAX_OF_PROCESS = 4
/** For each cell, and for the store's own schema: requests 10, batches 4 and 2, reports 2. */
const MAX_OF_CELL = 18
/** Megabytes. Code is still compiled, and caches fill; a leak grows without end. */
const MORE_HEAP = 24
const MORE_RESIDENT = 160

export const holdings: Invariant = ({ warm, settled, records }) => {
  const maxConnections = MAX_OF_PROCESS + MAX_OF_CELL * (1 + records.cells)
  const measured = settled.servers.flatMap((after, index) => {
    const before = warm.servers[index]
    return before === undefined ? [] : [{ index, before, after }]
  })
  const counted = measured.map(({ index, before, after }) => {
    const change = (of: "connections" | "descriptors" | "heap" | "resident") =>
      `${before[of].toFixed(0)} → ${after[of].toFixed(0)}`
    return `server ${index}: connections ${change("connections")}, other descriptors ${change("descriptors")}, heap MB ${change("heap")}, resident MB ${change("resident")}`
  })
  const known = knownConnections(settled)
  return {
    invariant: `Nothing leaks: at rest, at most ${maxConnections} connections to PostgreSQL for each process, and none that no process knows; at most ${MORE_DESCRIPTORS} more of other descriptors, ${MORE_HEAP} MB more heap, ${MORE_RESIDENT} MB more resident`,
    counted: [...counted, `connections ${known}, by PostgreSQL's count ${settled.connections}`].join(
      "\n      "
    ),
    isCovered: measured.length > 0,
    broken: [
      ...measured.flatMap(({ index, before, after }) => {
        const name = `server ${index}`
        if (before.life !== after.life)
          return [`${name} ended in the second act, in which nothing ends a process`]
        return [
          ...(after.connections > maxConnections ? [`${name} has more connections`] : []),
          ...(after.descriptors > before.descriptors + MORE_DESCRIPTORS
            ? [`${name} has more descriptors`]
            : []),
          ...(after.heap > before.heap + MORE_HEAP ? [`${name} has more on its heap`] : []),
          ...(after.resident > before.resident + MORE_RESIDENT ? [`${name} has more memory`] : [])
        ]
      }),
      ...(settled.connections > known ? ["there are connections that no process knows"] : [])
    ]
  }
}
