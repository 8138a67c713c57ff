/** One thing that was begun; without it once it is over. */
export interface Begun<A> {
  value: A | null
  before: Begun<A> | null
  after: Begun<A> | null
}

/**
 * What was begun and is not over, the oldest first: a linked list. A Map or a Set replaces its table every few dozen
 * entries that come and go, and each table that has outlived a collection of young objects keeps those that replaced it,
 * with all that was in them, until old objects are collected: what is made for a request is much. So what is over
 * is left by what was about it, too.
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

  /** False when it was over before. */
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

  /** What is given may be ended at once; nothing else may be, in between. */
  *[Symbol.iterator](): Iterator<A> {
    for (let next = this.#first; next !== null;) {
      const { value, after } = next
      if (value !== null) yield value
      next = after
    }
  }
}
