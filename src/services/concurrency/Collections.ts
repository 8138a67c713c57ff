/**
 * A map of at most so many entries. It forgets those that were not used for longest, half of them at a time. A `Map`
 * alone cannot do this at a steady cost: to find its oldest key, its iterator passes the places of all deleted entries
 * (7 to 28 µs for each new key among 50 000).
 */
export class BoundedMap<Key, A extends object | string | number | boolean> {
  readonly #half: number
  #recent = new Map<Key, A>()
  #older = new Map<Key, A>()

  constructor(capacity: number) {
    this.#half = Math.ceil(capacity / 2)
  }

  get(key: Key): A | undefined {
    const recent = this.#recent.get(key)
    if (recent !== undefined || this.#older.size === 0) return recent
    const older = this.#older.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  set(key: Key, value: A): void {
    this.#older.delete(key)
    this.#recent.set(key, value)
    if (this.#recent.size < this.#half) return
    this.#older = this.#recent
    this.#recent = new Map()
  }

  delete(key: Key): void {
    this.#recent.delete(key)
    this.#older.delete(key)
  }

  clear(): void {
    this.#recent.clear()
    this.#older.clear()
  }

  *[Symbol.iterator](): IterableIterator<[Key, A]> {
    yield* this.#older
    yield* this.#recent
  }
}

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
