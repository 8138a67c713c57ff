/** A position in a list by id; an invalid one is the beginning. */
export const idPosition = (after: string | null): number | null => {
  const id = Number(after ?? "")
  return Number.isSafeInteger(id) && id > 0 && id <= 2_147_483_647 ? id : null
}
