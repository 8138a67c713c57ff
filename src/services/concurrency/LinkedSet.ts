/** One thing in progress; remove it once it is over. */
export interface Begun<A> {
  value: A | null
  before: Begun<A> | null
  after: Begun<A> | null
}

/**
 * What is in progress, the oldest first: a linked list. A Map or a Set replaces its table every few dozen entries. Each
 * table that survived a collection of young objects keeps its successors alive, with everything in them, until old
 * objects are collected; a request creates many objects. So an entry that is over also drops its references.
 */
export class LinkedSet<A extends object> implements Iterable<A> {
  #first: Begun<A> | null = null
  #last: Begun<A> | null = null
  #size = 0

  get size(): number {
    return this.#size
  }

  begin(value: A): Begun<A> {
    const begun: Begun<A> = { value, before: this.#last, after: null }
    if (this.#last === null) this.#first = begun
    else this.#last.after = begun
    this.#last = begun
    this.#size += 1
    return begun
  }

  /** False if it was over before. */
  end(begun: Begun<A>): boolean {
    if (begun.value === null) return false
    const { before, after } = begun
    if (before === null) this.#first = after
    else before.after = after
    if (after === null) this.#last = before
    else after.before = before
    begun.value = null
    begun.before = null
    begun.after = null
    this.#size -= 1
    return true
  }

  /** The callback can end the given entry at once; nothing else may end in between. */
  *[Symbol.iterator](): Iterator<A> {
    for (let next = this.#first; next !== null;) {
      const { value, after } = next
      if (value !== null) yield value
      next = after
    }
  }
}
