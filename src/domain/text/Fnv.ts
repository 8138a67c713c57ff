const OFFSET = 0x81_1c_9d_c5
const PRIME = 0x01_00_01_93

/** FNV-1a, 32 bits, signed. Not for secrets. A hash as `from` makes one of both texts. */
export const fnv1a = (text: string, from = OFFSET): number => {
  let hash = from
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), PRIME)
  return hash
}
