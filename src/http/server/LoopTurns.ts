/** What one turn of the event loop writes at most, before requests that have arrived since are read. */
const TURN_BYTES = 512_000
/** The work for a response next to its bytes, as so many bytes. */
const RESPONSE_BYTES = 25_000

/** Makes a response; returns how many bytes of it were written at once. */
type Task = () => number

/**
 * Responses that can wait: large files, and those to requests that were sent before the earlier ones were answered.
 * Hundreds of clients can ask for them at once, and to hand some megabytes to the system for each takes long. So each
 * turn of the event loop makes a few, in the order in which they came due.
 */
export class LoopTurns {
  readonly #tasks: Array<Task> = []
  #isPlanned = false

  /** Runs the task after what other connections have ready. */
  add(task: Task): void {
    this.#tasks.push(task)
    this.#plan()
  }

  #plan(): void {
    if (this.#isPlanned) return
    this.#isPlanned = true
    setImmediate(() => this.#takeTurn())
  }

  #takeTurn(): void {
    this.#isPlanned = false
    let left = TURN_BYTES
    let count = 0
    for (const task of this.#tasks) {
      if (left <= 0) break
      count += 1
      left -= RESPONSE_BYTES + task()
    }
    this.#tasks.splice(0, count)
    if (this.#tasks.length > 0) this.#plan()
  }
}
