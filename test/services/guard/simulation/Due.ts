/** A queue by time: a binary heap. Equal times keep no order. */
export class Due<A extends { readonly at: number }> {
  readonly #heap: Array<A> = []

  add(item: A): void {
    const heap = this.#heap
    let at = heap.push(item) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#isEarlier(at, parent)) return
      this.#swap(at, parent)
      at = parent
    }
  }

  next(): A | undefined {
    const heap = this.#heap
    const [first] = heap
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    heap[0] = last
    this.#sink()
    return first
  }

  #sink(): void {
    for (let at = 0; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2]
      let least = at
      if (left < this.#heap.length && this.#isEarlier(left, least)) least = left
      if (right < this.#heap.length && this.#isEarlier(right, least)) least = right
      if (least === at) return
      this.#swap(at, least)
      at = least
    }
  }

  #isEarlier(one: number, other: number): boolean {
    return (this.#heap[one]?.at ?? 0) < (this.#heap[other]?.at ?? 0)
  }

  #swap(one: number, other: number): void {
    const heap = this.#heap
    const [a, b] = [heap[one], heap[other]]
    if (a === undefined || b === undefined) return
    heap[one] = b
    heap[other] = a
  }
}
