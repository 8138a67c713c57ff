/** The text of an id, as a part of patterns. */
export const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

const WHOLE = new RegExp(`^${UUID}$`)

/** In lower case, as Peyk writes ids. */
export const isUuid = (text: string): boolean => WHOLE.test(text)
