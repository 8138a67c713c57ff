import type { CallOptions } from "./Transport.ts"

/** A part of a list. The list is complete when `next_cursor` is null. */
export interface Page<Item> {
  readonly data: ReadonlyArray<Item>
  readonly next_cursor: string | null
}

type Cursor = { readonly cursor?: string }

export interface List<Item, Query> {
  /** One page. */
  (query?: Query & Cursor, options?: CallOptions): Promise<Page<Item>>
  /** Every item, page by page: `for await (const item of client.messages.list.all())`. */
  readonly all: (query?: Query, options?: CallOptions) => AsyncIterableIterator<Item>
}

/** A list with its pages, and an iterator over all of them. */
export const makeList = <Item, Query>(
  read: (query: (Query & Cursor) | undefined, options: CallOptions | undefined) => Promise<Page<Item>>
): List<Item, Query> => {
  async function* all(query?: Query, options?: CallOptions): AsyncGenerator<Item, void, undefined> {
    let cursor: string | null = null
    do {
      const page: Page<Item> = await read(
        { ...query, ...(cursor === null ? {} : { cursor }) } as Query & Cursor,
        options
      )
      yield* page.data
      cursor = page.next_cursor
    } while (cursor !== null)
  }
  return Object.assign((query?: Query & Cursor, options?: CallOptions) => read(query, options), { all })
}
