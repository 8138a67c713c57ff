/**
 * Computes argon2id on a thread of its own, one hash after the other. Plain JavaScript: a worker is started by its file,
 * which stands here in a clone, and next to the compiled code in the package.
 */
import { argon2Sync } from "node:crypto"
import { setPriority } from "node:os"
import { parentPort } from "node:worker_threads"

/** A tenth of the weight of other threads: a hash waits for sends, and still ends when they keep all cores busy. */
const NICENESS = 10

/** On Linux a thread has a priority of its own. Elsewhere it would be that of the whole process. */
if (process.platform === "linux") {
  try {
    setPriority(0, NICENESS)
  } catch {
    // a sandbox may forbid it: then hashes have the priority of everything else
  }
}

parentPort.on("message", ({ id, ...parameters }) => {
  try {
    parentPort.postMessage({ id, tag: argon2Sync("argon2id", parameters) })
  } catch {
    parentPort.postMessage({ id, tag: null })
  }
})
