/** A value's place in the list; without its value once that is removed. */
export interface Link<A> {
  value: A | null
  before: Link<A> | null
  after: Link<A> | null
}

/**
 * A set in the order of its additions: a linked list. A Map or a Set replaces its table every few dozen entries that come
 * and go. A table that has outlived a collection of young objects keeps the tables that replaced it, with all that was in
 * them, until old objects are collected; and a request makes many objects. So a removed link drops its neighbours, too.
 */
export class LinkedSet<A extends object> implements Iterable<A> {
  #first: Link<A> | null = null
  #last: Link<A> | null = null
  #size = 0

  get size(): number {
    return this.#size
  }

  add(value: A): Link<A> {
    const link: Link<A> = { value, before: this.#last, after: null }
    if (this.#last === null) this.#first = link
    else this.#last.after = link
    this.#last = link
    this.#size += 1
    return link
  }

  /** False if it was removed before. */
  remove(link: Link<A>): boolean {
    if (link.value === null) return false
    const { before, after } = link
    if (before === null) this.#first = after
    else before.after = after
    if (after === null) this.#last = before
    else after.before = before
    link.value = null
    link.before = null
    link.after = null
    this.#size -= 1
    return true
  }

  /** The current value may be removed during the iteration, and no other. */
  *[Symbol.iterator](): Iterator<A> {
    for (let next = this.#first; next !== null;) {
      const { value, after } = next
      if (value !== null) yield value
      next = after
    }
  }
}
