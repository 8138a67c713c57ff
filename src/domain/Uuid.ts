/** The text of an id, as a part of patterns. */
export const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

const WHOLE = new RegExp(`^${UUID}$`)

/** No record has this id, and it sorts before all others. The subject of a timer that a customer has only once. */
export const NIL_UUID = "00000000-0000-0000-0000-000000000000"

/** In lower case, as Peyk writes ids. */
export const isUuid = (text: string): boolean => WHOLE.test(text)
